const fs = require('fs');
const path = require('path');

fs.writeFileSync('counter.js', 'let count = 0; exports.next = () => (count += 1);');
fs.writeFileSync('config.json', '{"limit": 3}');
fs.writeFileSync('stats.mjs', `
  import counter from './counter.js';
  import { readFileSync } from 'node:fs';
  export const second = counter.next();
  export const text = readFileSync(new URL('./config.json', import.meta.url), 'utf8');
  export default class Stats {
    static mean(numbers) { return numbers.reduce((a, b) => a + b) / numbers.length; }
  }`);
fs.writeFileSync('broken.mjs', 'export const list = [1, 2;');

const { next } = require('./counter');
console.log(next());
const { second, text, default: Stats } = await import('./stats.mjs');
console.log(second, text, Stats.name, Stats.mean([1, 2, 6]), next());

for (const name of ['./missing.mjs', './broken.mjs', 'no-such-package']) {
  try {
    await import(name);
  } catch (error) {
    console.log(error.name, error.code);
  }
}
const url = require('url').pathToFileURL(path.resolve('stats.mjs'));
console.log((await import(url)).default === Stats);
return Object.keys(await import('./stats.mjs')).sort();
