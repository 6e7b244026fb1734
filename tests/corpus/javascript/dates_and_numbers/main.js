const day = 24 * 60 * 60 * 1000;
const start = Date.UTC(2024, 1, 28);
for (let n = 0; n < 3; n += 1) console.log(new Date(start + n * day).toISOString().slice(0, 10));
console.log(new Date('2023-10-10T13:55:36-07:00').toJSON());
console.log(new Date(2024, 0, 31, 12).getTime() === Date.UTC(2024, 0, 31, 12));

console.log((1234.5678).toFixed(2), (255).toString(16), (0.1 + 0.2).toPrecision(3), 1e21, -0 === 0);
console.log(parseInt('08', 10), Number(''), Number('0x1f'), Number.MAX_SAFE_INTEGER);
const thousands = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
console.log(thousands(1234567), thousands(12));

let factorial = 1n;
for (let n = 2n; n <= 25n; n += 1n) factorial *= n;
console.log(`${factorial}`, BigInt.asUintN(8, 300n).toString());
console.log([10, 9, 1].sort().join(), [10, 9, 1].sort((a, b) => a - b).join());
