squares = {number * number: number for number in (1, 2, 3)}
print(list(squares.items()))
squares
