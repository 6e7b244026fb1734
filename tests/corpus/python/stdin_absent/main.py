import sys

text = sys.stdin.read()
print("input:", repr(text))
print("terminal:", sys.stdin.isatty(), sys.stdout.isatty())
try:
    name = input("Your name? ")
except EOFError:
    name = "stranger"
print()
print(f"Hello, {name}!")
