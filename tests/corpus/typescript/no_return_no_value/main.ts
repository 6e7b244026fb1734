const square = (n: number): number => {
  return n * n;
};
console.log(square(7));
square(8);
