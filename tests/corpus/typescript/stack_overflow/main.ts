const depth = (): number => 1 + depth();
console.log("begins");
depth();
