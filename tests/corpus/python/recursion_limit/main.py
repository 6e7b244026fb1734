def factorial(number):
    return 1 if number == 0 else number * factorial(number - 1)


print("factorial(5) =", factorial(5), flush=True)
print("factorial(-1) =", factorial(-1))
