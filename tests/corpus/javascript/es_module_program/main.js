import { writeFileSync } from 'node:fs';
import path, { basename } from 'path';
import * as timers from 'node:timers/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

console.log(basename(fileURLToPath(import.meta.url)), typeof module, this);
console.log(basename('a/b.txt'), path.posix.basename('c.txt'));

writeFileSync('stats.mjs', `
  export let visits = 0;
  export const visit = () => { visits += 1; };
  export const store = await Promise.resolve({ one: 1 });
  export function mean(numbers) { return numbers.reduce((a, b) => a + b) / numbers.length; }
  export default class Stats {}
`);
writeFileSync('plain.cjs', 'exports.loaded = true;');
writeFileSync('broken.mjs', 'export const = 1;');
writeFileSync('fails.mjs', 'export default null.nothing;');

const stats = await import('./stats.mjs');
console.log(stats.store.one, stats.store, stats.default.name, stats.mean([1, 2, 6]));

const before = stats.visits;
stats.visit();
(await import('./stats.mjs')).visit();
console.log(before, stats.visits);

const require = createRequire(import.meta.url);
console.log(require('./plain.cjs').loaded);
for (const name of ['./missing.mjs', './broken.mjs', './fails.mjs']) {
  try {
    await import(name);
  } catch (error) {
    console.log(error.code ?? error.name);
  }
}
console.log(await timers.setTimeout(5, 'waited'));
export const names = Object.keys(stats);
console.log(names.join());
