const depth = (n: number): number => depth(n + 1) + 1;
console.log("begins");
depth(0);
