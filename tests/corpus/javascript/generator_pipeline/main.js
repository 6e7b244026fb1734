function* naturals(from = 1) {
  try {
    for (let n = from; ; n += 1) yield n;
  } finally {
    console.log(`naturals from ${from} closed`);
  }
}

const map = (change) => function* (items) { for (const item of items) yield change(item); };
const filter = (keep) => function* (items) { for (const item of items) if (keep(item)) yield item; };
const take = (count) => function* (items) {
  let left = count;
  for (const item of items) {
    yield item;
    left -= 1;
    if (left === 0) return;
  }
};
const pipe = (source, ...steps) => steps.reduce((items, step) => step(items), source);

console.log(...pipe(naturals(), filter((n) => n % 2), map((n) => n * n), take(4)));
const [ten, eleven] = naturals(10);
console.log(ten, eleven);

function* averager() {
  let total = 0;
  let count = 0;
  for (;;) {
    const next = yield total / count;
    if (next === undefined) return `${count} numbers`;
    total += next;
    count += 1;
  }
}
const report = averager();
report.next();
console.log([4, 8, 6].map((n) => report.next(n).value), report.next(), report.next());

function* careful(n = 0) {
  while (true) {
    try {
      yield n;
      n += 1;
    } catch (error) {
      console.log('caught', error.message);
      n = 100;
    }
  }
}
const counter = careful();
console.log(counter.next().value, counter.next().value, counter.throw(new Error('jump')).value);
console.log(counter.return(5), counter.next().done);

function* walk({ name, children = [] }) {
  yield name;
  for (const child of children) yield* walk(child);
}
const leaf = (name) => ({ name });
return [...walk({ name: 'root', children: [{ name: 'left', children: [leaf('a')] }, leaf('b')] })];
