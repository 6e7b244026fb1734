async function* pages(size: number): AsyncGenerator<number[], void, undefined> {
  try {
    for (let from = 0; ; from += size) {
      await Promise.resolve();
      yield Array.from({ length: size }, (_, index) => from + index);
    }
  } finally {
    console.log("closed");
  }
}

let sum = 0;
for await (const page of pages(3)) {
  console.log(page);
  sum += page.reduce((a, b) => a + b);
  if (sum > 10) break;
}
return sum;
