type Shape =
  | { kind: "circle"; radius: number }
  | { kind: "rectangle"; width: number; height: number }
  | { kind: "triangle"; sides: [number, number, number] };

function never(shape: never): never {
  throw new Error(`unknown shape: ${JSON.stringify(shape)}`);
}

function area(shape: Shape): number {
  switch (shape.kind) {
    case "circle":
      return Math.PI * shape.radius ** 2;
    case "rectangle":
      return shape.width * shape.height;
    case "triangle": {
      const [a, b, c] = shape.sides;
      const half = (a + b + c) / 2;
      return Math.sqrt(half * (half - a) * (half - b) * (half - c));
    }
    default:
      return never(shape);
  }
}

const shapes: Shape[] = [
  { kind: "circle", radius: 2 },
  { kind: "rectangle", width: 3, height: 4.5 },
  { kind: "triangle", sides: [3, 4, 5] },
];
for (const shape of shapes) console.log(shape.kind.padEnd(10), area(shape).toFixed(2));
try {
  area({ kind: "blob" } as unknown as Shape);
} catch (error) {
  console.log(error instanceof Error && error.message);
}
