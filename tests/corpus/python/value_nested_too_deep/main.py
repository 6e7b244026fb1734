chain = []
for number in range(5000):
    chain = [number, chain]


def length(chain):
    count = 0
    while chain:
        _, chain = chain
        count += 1
    return count


print("length", length(chain))
chain
