def ticker():
    number = 0
    try:
        while True:
            yield number
            number += 1
    finally:
        print("ticker closed at", number)


ticks = ticker()
print("two ticks")
[next(ticks), next(ticks)]
