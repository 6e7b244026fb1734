CASES = [[], [1], [1, 2, 3]]


def check(sort):
    for numbers in CASES:
        result = sort(numbers)
        assert len(result) == len(numbers)
        assert result == sorted(numbers), f"not sorted: {result}"
        print("ok", numbers)


check(sorted)
print("second candidate", __debug__)
check(lambda numbers: numbers[:1] + numbers[:0:-1])
