import dbm.dumb
import os
import shelve
from dataclasses import dataclass, field


@dataclass
class Note:
    text: str
    tags: list = field(default_factory=list)


def open_notes(flag, **options):
    return shelve.Shelf(dbm.dumb.open("notes", flag), **options)


with open_notes("n") as shelf:
    shelf["milk"] = Note("buy milk", ["shop"])
    shelf["naïve"] = {"deep": [1, (2, 3), {4}]}
    shelf["gone"] = b"\0\xff"
    shelf["milk"].tags.append("lost, for the shelf was not told")

with open_notes("w", writeback=True) as shelf:
    shelf["milk"].tags.append("kept")
    del shelf["gone"]
    print(sorted(shelf), "gone" in shelf, shelf.get("gone", "nothing"))

with open_notes("r") as shelf:
    print(shelf["milk"], shelf["naïve"])
    print(len(shelf), type(shelf["milk"]) is Note)
try:
    shelf["milk"]
except ValueError as error:
    print("closed:", error)

with dbm.dumb.open("notes", "r") as raw:
    print(sorted(raw.keys()))
sorted(name for name in os.listdir() if name.startswith("notes") and not name.endswith(".bak"))
