import csv
from pathlib import Path

rows = [
    ["id", "text", "note"],
    ["1", 'He said "hi"', "quotes"],
    ["2", "two\nlines", "newline"],
    ["3", "comma, semicolon;", ""],
]
path = Path("awkward.csv")
with path.open("w", newline="") as handle:
    csv.writer(handle).writerows(rows)

with path.open(newline="") as handle:
    back = list(csv.reader(handle))

print(path.read_text(), end="")
{"rows": len(back), "equal": back == rows}
