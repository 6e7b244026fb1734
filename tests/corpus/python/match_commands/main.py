from dataclasses import dataclass


@dataclass
class Point:
    x: int
    y: int


def understand(command):
    match command:
        case "quit" | "exit":
            return "end"
        case ["go", ("north" | "south") as way]:
            return f"walk {way}"
        case ["take", *things] if things:
            return f"take {len(things)}, last {things[-1]}"
        case {"op": "add", "args": [int(a), int(b)], **rest}:
            return f"{a + b} {sorted(rest)}"
        case Point(x=0, y=0):
            return "origin"
        case Point(x, y) if x == y:
            return f"diagonal {x}"
        case Point():
            return "elsewhere"
        case None | True | False:
            return "constant"
        case str():
            return "text " + command
    return "no idea"


def simplify(tree):
    match tree:
        case [op, left, right]:
            tree = [op, simplify(left), simplify(right)]
    match tree:
        case ["+", 0, rest] | ["+", rest, 0] | ["*", 1, rest] | ["*", rest, 1]:
            return rest
        case ["*", 0, _] | ["*", _, 0]:
            return 0
        case ["+" | "*" as op, int(a), int(b)]:
            return a + b if op == "+" else a * b
    return tree


COMMANDS = ["exit", ["go", "north"], ["go", "up"], ["take"], ("take", "key", "lamp"), "hi", None]
COMMANDS += [{"op": "add", "args": [2, 3], "id": 1}, {"op": "add", "args": [2, "3"]}]
COMMANDS += [Point(0, 0), Point(4, 4), Point(1, 2), 7]
for command in COMMANDS:
    print(understand(command))
simplify(["*", ["+", "x", ["*", 0, "z"]], ["+", ["*", "y", 1], ["+", 1, 1]]])
