const grid = Array.from({ length: 5 }, (_, y) =>
  Array.from({ length: 5 }, (_unused, x) => ((x * y) % 3 ? '#' : '.')).join(''));
console.log(grid.join('\n'));
