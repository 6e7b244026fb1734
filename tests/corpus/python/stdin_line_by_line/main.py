import operator
import sys

OPERATORS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}
stack = []
while True:
    try:
        command, *rest = input().split()
    except EOFError:
        break
    except ValueError:
        print("empty line")
        continue
    if command == "push":
        stack.append(int(rest[0]))
    elif command == "print":
        print(stack)
    elif command == "pop" and stack:
        print("popped", stack.pop())
    elif command in OPERATORS and len(stack) >= 2:
        right, left = stack.pop(), stack.pop()
        stack.append(OPERATORS[command](left, right))
    else:
        print("cannot", command, file=sys.stderr)
print("end of input")
