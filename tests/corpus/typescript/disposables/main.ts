class Resource implements Disposable, AsyncDisposable {
  constructor(readonly name: string) {
    console.log("opens", name);
  }
  [Symbol.dispose](): void {
    console.log("closes", this.name);
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.resolve();
    console.log("closes later", this.name);
  }
}

{
  using first = new Resource("first");
  await using second = new Resource("second");
  console.log("holds", first.name, second.name);
}
console.log("over");
