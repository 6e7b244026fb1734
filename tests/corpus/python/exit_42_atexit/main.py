import atexit
import sys


def check(value):
    try:
        if value > 2:
            sys.exit(42)
        print("checked", value)
    finally:
        print("released", value)


atexit.register(lambda: print("goodbye from atexit", file=sys.stderr))
for number in (1, 2, 3, 4):
    check(number)
