enum Level {
  Debug,
  Info = 5,
  Warning,
  Error = Info << 1,
}

enum Color {
  Red = "red",
  Green = "green",
}

namespace Level {
  export function parse(text: string): Level {
    const found = Level[text as keyof typeof Level];
    if (typeof found !== "number") throw new RangeError(`no level: ${text}`);
    return found;
  }
}

const enum Bits {
  Read = 1,
  Write = 2,
  Both = Read | Write,
}

console.log(Level[0], Level.Warning, Level.Error, Level[10]);
console.log(Level.parse("Info"), Object.values(Color).join(), Bits.Both);
try {
  Level.parse("Loud");
} catch (error) {
  console.log((error as Error).message);
}
