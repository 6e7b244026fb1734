const v8 = require('v8');

class Point {
  x = 1;
  #secret = 2;
  get double() { return this.x * 2 + this.#secret; }
}

const original = {
  when: new Date(0),
  tags: new Set(['a', 'b']),
  scores: new Map([['ann', [1, 2]]]),
  pattern: /x+/gi,
  big: 12n,
  bytes: Uint8Array.of(1, 2, 3),
  failure: new RangeError('too far'),
  list: [1, , 3],
  nothing: undefined,
};
original.self = original;
original.again = original.tags;

for (const clone of [structuredClone, (value) => v8.deserialize(v8.serialize(value))]) {
  const copy = clone(original);
  copy.scores.get('ann').push(3);
  copy.tags.add('c');
  for (const { scores, again } of [original, copy]) console.log(scores.get('ann').length, again.size);
  console.log(copy.self === copy, copy.again === copy.tags, copy !== original);
  console.log(copy.when.toISOString(), copy.pattern.flags, copy.big, [...copy.bytes].join());
  console.log(copy.failure instanceof RangeError, copy.failure.message, 1 in copy.list, 'nothing' in copy);
}

const point = structuredClone(new Point());
console.log(point instanceof Point, point.double, JSON.stringify(point));
console.log(structuredClone({ get sum() { return 1 + 1; } }).sum, structuredClone(Object(true)) == true);

for (const value of [() => 1, Symbol('s'), new WeakMap(), { deep: [Promise.resolve()] }]) {
  try {
    console.log('never printed', structuredClone(value));
  } catch (error) {
    console.log(error.name, error.code);
  }
}

const buffer = new ArrayBuffer(8);
const moved = structuredClone({ buffer }, { transfer: [buffer] });
return [buffer.byteLength, moved.buffer.byteLength];
