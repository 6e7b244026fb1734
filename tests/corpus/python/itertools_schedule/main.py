from itertools import accumulate, chain, combinations, groupby, islice, permutations, product


def round_robin(teams):
    teams = list(teams)
    for _ in range(len(teams) - 1):
        half = len(teams) // 2
        yield list(zip(teams[:half], reversed(teams[half:])))
        teams.insert(1, teams.pop())


rounds = list(round_robin("ABCDEF"))
for number, pairs in enumerate(rounds, 1):
    print(number, " ".join("".join(pair) for pair in pairs))

played = {frozenset(pair) for pair in chain.from_iterable(rounds)}
assert played == {frozenset(pair) for pair in combinations("ABCDEF", 2)}
print(len(played), "games, each pair once")
print(list(accumulate([3, 1, 4, 1, 5], max)))
print([(key, len(list(run))) for key, run in groupby("aaabccd")])
print(sum(1 for _ in permutations(range(7))), list(islice(product("xy", repeat=3), 2)))
