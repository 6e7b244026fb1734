def grid(rows, columns):
    return bytearray(rows * columns)


small = grid(10, 10)
large = grid(10**9, 10**6)
print(len(small), len(large))
