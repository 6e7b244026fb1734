def of(path):
    return sum(map(int, open(path).read().split(",")))
