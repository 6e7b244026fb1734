from collections import ChainMap, Counter, OrderedDict, deque

TEXT = """It was the best of times, it was the worst of times,
it was the age of wisdom, it was the age of foolishness"""

words = [word.strip(",.").lower() for word in TEXT.split()]
counts = Counter(words)
print(counts.most_common(3))
print("only once:", sorted(word for word, count in counts.items() if count == 1))

window, repeats = deque(maxlen=3), Counter()
for word in words:
    window.append(word)
    if len(window) == 3:
        repeats[" ".join(window)] += 1
print([phrase for phrase, count in repeats.most_common() if count > 2])

settings = ChainMap({"colour": "red"}, {"colour": "blue", "size": 4})
print(settings["colour"], settings["size"])
recent = OrderedDict.fromkeys("abcab")
recent.move_to_end("a")
print("".join(recent))
