digits = [n % 10 for n in range(140_000)]
print(sum(digits), digits[-3:])
digits
