const pages = {
  start: { items: ['ann', 'bob'], next: 'p2' },
  p2: { items: ['cleo'], next: 'p3' },
  p3: { items: [], next: 'p4' },
  p4: { items: ['dora', 'egon', 'fay'], next: null },
};
let requests = 0;

async function fetchPage(cursor) {
  requests += 1;
  await new Promise(setImmediate);
  if (!(cursor in pages)) throw new RangeError(`no page ${cursor}`);
  return pages[cursor];
}

async function* everyone(cursor = 'start') {
  try {
    while (cursor) {
      const { items, next } = await fetchPage(cursor);
      yield* items;
      cursor = next;
    }
  } finally {
    console.log(`stopped after ${requests} requests`);
  }
}

async function* numbered(source) {
  let n = 0;
  for await (const item of source) yield `${n += 1}. ${item}`;
}

for await (const line of numbered(everyone())) {
  console.log(line);
  if (line.startsWith('3')) break;
}

requests = 0;
const all = [];
for await (const name of everyone()) all.push(name);

try {
  for await (const name of everyone('p9')) console.log('never printed', name);
} catch (error) {
  console.log(`${error.name}: ${error.message}`);
}

const last = everyone('p4');
const answers = await Promise.all([last.next(), last.next(), last.next(), last.next()]);
console.log(answers.map(({ value, done }) => `${value} ${done}`).join(', '));

return { all, requests };
