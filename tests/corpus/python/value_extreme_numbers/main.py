import sys

numbers = [2**63 - 1, -(2**63), 2**64 - 1, 2**53 + 1, 0.1 + 0.2, sys.float_info.max, 5e-324, 1e22]
numbers += [123456789012345678901, 1 < 2, -0]
print(len(numbers), numbers[4])
numbers
