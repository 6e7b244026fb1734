async function work(n: number): Promise<void> {
  await Promise.resolve();
  if (n > 1) throw new URIError(`no ${n}`);
}

for (const n of [1, 2]) {
  void work(n);
}
setTimeout(() => console.log("not reached"), 50);
