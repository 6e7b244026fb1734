Error.stackTraceLimit = 0; // where it overflows depends on what has been compiled by then
const depth = (n: number): number => depth(n + 1) + 1;
console.log("begins");
depth(0);
