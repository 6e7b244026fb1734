async function pool<T, R>(most: number, items: T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const mine = next++;
      results[mine] = await work(items[mine]);
    }
  };
  await Promise.all(Array.from({ length: most }, worker));
  return results;
}

let running = 0;
let peak = 0;
const results = await pool(2, [30, 10, 20, 5], async (pause) => {
  peak = Math.max(peak, ++running);
  await new Promise((resolve) => setTimeout(resolve, pause));
  running -= 1;
  return pause * 2;
});
return { results, peak };
