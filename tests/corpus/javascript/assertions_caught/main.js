const assert = require('assert/strict');

const median = (numbers) => {
  const sorted = [...numbers].sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

const tests = {
  'odd count': () => assert.equal(median([3, 1, 2]), 2),
  'even count': () => assert.equal(median([4, 1, 3, 2]), 2.5),
  'leaves its input alone': () => {
    const input = [3, 1, 2];
    median(input);
    assert.deepEqual(input, [3, 1, 2]);
  },
  'throws without numbers': () => assert.throws(() => median(null), TypeError),
  'rejects nothing': () => assert.rejects(async () => median(undefined), { name: 'TypeError' }),
  'compares numbers, not texts': () => assert.equal(median([9, 10, 11]), 10, 'sorted as texts'),
  'tells 0 from -0': () => assert.equal(0, -0, 'they are not the same'),
  'keeps order': () => assert.deepEqual([1, { a: [2] }], [1, { a: [3] }], new RangeError('own error')),
  'refuses an empty list': () => assert.throws(() => median([]), RangeError, 'not a number'),
  'is not there yet': () => assert.fail('to be written'),
};

let passed = 0;
const failed = {};
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    passed += 1;
    console.log('ok     ', name);
  } catch (error) {
    failed[name] = error.code ?? error.name;
    console.log('failed ', name, '|', error.message.split('\n')[0]);
    if (error instanceof assert.AssertionError && 'actual' in error) {
      console.log('        ', error.actual, error.operator, error.expected, error.generatedMessage);
    }
  }
}
return { passed, failed };
