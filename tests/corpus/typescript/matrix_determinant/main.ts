type Matrix = readonly (readonly number[])[];

const minor = (matrix: Matrix, column: number): Matrix =>
  matrix.slice(1).map((row) => row.filter((_, index) => index !== column));

const determinant = (matrix: Matrix): number =>
  matrix.length === 1
    ? matrix[0][0]
    : matrix[0].reduce((sum, cell, column) =>
      sum + (column % 2 === 0 ? 1 : -1) * cell * determinant(minor(matrix, column)), 0);

const identity = Array.from({ length: 5 }, (_, row) =>
  Array.from({ length: 5 }, (_, column) => Number(row === column)));
console.log(determinant([[1, 2], [3, 4]]));
console.log(determinant([[2, -3, 1], [2, 0, -1], [1, 4, 5]]));
console.log(determinant(identity));
