def parse(line):
    return [int(field) for field in line.split(",")]


def main():
    print("parsing 4 fields")
    numbers = parse("1,2,twelve,4")
    print("never printed", sum(numbers))


main()
