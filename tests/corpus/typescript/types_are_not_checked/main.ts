const count: number = "four" as unknown as number;
const items: string[] = [1, 2, 3];
console.log(typeof count, items.length, (items satisfies unknown[])[0]!);
