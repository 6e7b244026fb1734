def fibonacci(count):
    first, second = 0, 1
    for _ in range(count):
        first, second = second, first + second
        yield first


print(*fibonacci(10))
