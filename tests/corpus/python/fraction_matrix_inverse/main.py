from fractions import Fraction


def inverse(matrix):
    size = len(matrix)
    rows = [
        [Fraction(cell) for cell in row] + [Fraction(int(i == j)) for j in range(size)]
        for i, row in enumerate(matrix)
    ]
    for column in range(size):
        pivot = next((r for r in range(column, size) if rows[r][column]), None)
        if pivot is None:
            raise ZeroDivisionError("matrix is singular")
        rows[column], rows[pivot] = rows[pivot], rows[column]
        head = rows[column][column]
        rows[column] = [cell / head for cell in rows[column]]
        for r in range(size):
            if r != column and rows[r][column]:
                factor = rows[r][column]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[column])]
    return [row[size:] for row in rows]


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


A = [[2, 1, 0], [1, 3, 1], [0, 1, 4]]
result = inverse(A)
for row in result:
    print(" ".join(f"{str(cell):>6}" for cell in row))
try:
    inverse([[1, 2], [2, 4]])
except ZeroDivisionError as error:
    print("refused:", error)
solution = times(result, [1, 2, 3])
print("check:", times(A, solution) == [1, 2, 3])
[str(x) for x in solution]
