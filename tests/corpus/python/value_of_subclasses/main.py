from collections import Counter, OrderedDict, defaultdict, namedtuple
from enum import IntEnum, StrEnum

Point = namedtuple("Point", "x y")


class Level(IntEnum):
    HIGH = 3


class Kind(StrEnum):
    SOLID = "solid"


class Text(str):
    def __str__(self):
        return "never asked"


class Ratio(float):
    def __repr__(self):
        return "half"


result = OrderedDict(point=Point(1, 2), counts=Counter("bab"), level=Level.HIGH, kind=Kind.SOLID)
result.update(flag=3 > 2, text=Text("sub"), ratio=Ratio(0.5), chain=[], empty=defaultdict(list))
result["tuple"] = ((), "")
print(result["counts"]["b"], result["level"] + 1, result["kind"].upper(), repr(result["ratio"]))
result
