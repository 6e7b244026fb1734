from __future__ import annotations

import pickle
from dataclasses import asdict, dataclass, field, replace


@dataclass(order=True)
class Point:
    x: float
    y: float

    def distance(self, other: Point) -> float:
        return ((self.x - other.x) ** 2 + (self.y - other.y) ** 2) ** 0.5


@dataclass(frozen=True)
class Route:
    name: str
    points: tuple[Point, ...] = field(default_factory=tuple)

    @property
    def length(self) -> float:
        return sum(a.distance(b) for a, b in zip(self.points, self.points[1:]))


route = Route("loop", (Point(0, 0), Point(3, 4), Point(3, 0)))
copy = pickle.loads(pickle.dumps(route))
print(copy)
print("equal:", copy == route, "same class:", type(copy) is Route)
print("length:", copy.length)
print("as dict:", asdict(replace(route, points=route.points[:1])))
print("module:", Point.__module__)
try:
    route.name = "other"
except AttributeError as error:
    print(type(error).__name__, error)
