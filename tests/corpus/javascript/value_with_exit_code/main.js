const expected = { total: 42, mean: 10.5, largest: 20 };
const numbers = [2, 8, 12, 20];
const actual = {
  total: numbers.reduce((a, b) => a + b),
  mean: numbers.reduce((a, b) => a + b) / numbers.length,
  largest: numbers.at(-2),
};

const failed = Object.keys(expected).filter((key) => expected[key] !== actual[key]);
for (const key of failed) console.error(`${key}: ${actual[key]} instead of ${expected[key]}`);
process.exitCode = failed.length > 0 ? 2 : 0;
process.on('exit', () => console.log('checked', Object.keys(expected).length));
return { passed: failed.length === 0, failed };
