import { deepStrictEqual } from "node:assert";
if (Deno.args.length > 0) return 1;
const check = (n: number): void => {
  if (n > 2) throw new RangeError(`${n} is too much`);
};
deepStrictEqual([1], [1]);
await Promise.resolve();
check(3);
