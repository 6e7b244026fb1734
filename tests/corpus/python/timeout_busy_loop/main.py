def longest_cycle(limit):
    best = 0
    number = 1
    while best < limit:
        length, value = 1, number
        while value != 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            length += 1
        best = max(best, min(length, 300))
        number = number % 100000 + 1
    return best


print(longest_cycle(10_000))
