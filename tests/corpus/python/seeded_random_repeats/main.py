import random

rng = random.Random(42)
print(rng.random())

first, second = random.Random("text seed"), random.Random("text seed")
deck = list(range(52))
other = list(deck)
first.shuffle(deck)
second.shuffle(other)
print(deck == other, sorted(deck) == list(range(52)), deck != sorted(deck))

state = first.getstate()
hand = first.sample(deck, 5)
noise = [first.gauss(0, 1) for _ in range(3)]
first.setstate(state)
print(hand == first.sample(deck, 5), noise == [first.gauss(0, 1) for _ in range(3)])
print(len(set(hand)), first.getrandbits(12) < 4096, len(first.randbytes(7)))

random.seed(7)
walk = [0]
for _ in range(1000):
    walk.append(walk[-1] + random.choice((-1, 1)))
random.seed(7)
again = 0
for _ in range(1000):
    again += random.choice((-1, 1))
print(again == walk[-1], again % 2, max(abs(b - a) for a, b in zip(walk, walk[1:])))

random.seed(1)
inside = sum(random.random() ** 2 + random.random() ** 2 < 1 for _ in range(20_000))
print("pi is about", round(4 * inside / 20_000, 1))
picks = random.choices("abc", weights=[0, 1, 0], k=4)
print(picks, random.uniform(2, 2), random.randrange(10, 11))

random.seed(42)
[random.randint(1, 100) for _ in range(10)]
