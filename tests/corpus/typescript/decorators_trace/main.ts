const calls: string[] = [];

function traced<T extends (...all: never[]) => unknown>(
  method: T,
  context: ClassMethodDecoratorContext,
) {
  return function (this: unknown, ...all: Parameters<T>) {
    calls.push(`${String(context.name)}(${all.join()})`);
    return method.apply(this, all);
  } as unknown as T;
}

function named(name: string) {
  return (_: unknown, context: ClassDecoratorContext) => {
    calls.push(`${context.kind} ${context.name} is ${name}`);
  };
}

@named("calculator")
class Sums {
  @traced
  add(a: number, b: number): number {
    return a + b;
  }
  @traced
  static double(a: number): number {
    return a * 2;
  }
}

console.log(new Sums().add(2, 3), Sums.double(21));
console.log(calls.join("\n"));
