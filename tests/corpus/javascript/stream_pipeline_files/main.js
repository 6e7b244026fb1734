const fs = require('fs');
const { Readable } = require('stream');
const { pipeline } = require('stream/promises');

function* readings() {
  for (let n = 1; n <= 2000; n += 1) yield `s${n % 4},${n % 50}\n`;
}

async function* lines(source) {
  let rest = '';
  for await (const chunk of source) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop();
    yield* parts;
  }
  if (rest) yield rest;
}

async function* totals(source) {
  const sensors = new Map();
  for await (const line of source) {
    const [name, value] = line.split(',');
    const { count, sum } = sensors.get(name) ?? { count: 0, sum: 0 };
    sensors.set(name, { count: count + 1, sum: sum + Number(value) });
  }
  for (const name of [...sensors.keys()].sort()) {
    yield `${name} ${sensors.get(name).count} ${sensors.get(name).sum}\n`;
  }
}

await pipeline(Readable.from(readings()), fs.createWriteStream('sensors.csv'));
console.log(fs.statSync('sensors.csv').size, 'bytes');

const small = { encoding: 'utf8', highWaterMark: 101 };
await pipeline(fs.createReadStream('sensors.csv', small), lines, totals, fs.createWriteStream('report.txt'));
process.stdout.write(fs.readFileSync('report.txt'));

async function* strict(source) {
  for await (const line of source) {
    if (line.startsWith('s2')) throw new RangeError(`bad sensor: ${line}`);
    yield `${line}\n`;
  }
}
const sink = fs.createWriteStream('strict.txt');
await pipeline(fs.createReadStream('report.txt', 'utf8'), lines, strict, sink).catch((error) => {
  console.log(`${error.name}: ${error.message}`, sink.destroyed);
});
await pipeline(fs.createReadStream('missing.csv'), lines, async (source) => {
  for await (const line of source) console.log('never printed', line);
}).catch((error) => console.log(error.code, error.syscall, error.path));

const letters = await pipeline(fs.createReadStream('report.txt', small), async (source) => {
  let count = 0;
  for await (const chunk of source) count += chunk.length;
  return count;
});
return letters;
