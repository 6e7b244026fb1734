// Decorators are no javascript yet, and a word in a method ends no module.
function traced(target: unknown, context: { name: string | symbol }): void {
  console.log("traced", String(context.name), typeof target);
}
function named(name: string) {
  return (_target: unknown, _context: unknown): void => console.log("named", name);
}

@named("answers")
class Answers {
  @traced
  answer(): number {
    return 42;
  }
}

console.log(new Answers().answer());
await new Promise<void>(() => {});
