async function readAll(stream) {
  let text = '';
  stream.setEncoding('utf8');
  for await (const chunk of stream) text += chunk;
  return text;
}

const groupBy = (list, keyOf) => list.reduce((groups, item) => {
  (groups[keyOf(item)] ??= []).push(item);
  return groups;
}, {});

function centsOf({ lines, discount = 0 }) {
  const sum = lines.reduce((total, [, count, price]) => total + count * Math.round(price * 100), 0);
  return sum - Math.round((sum * discount) / 100);
}

const revive = (key, value) => (key === 'placed' ? new Date(value) : value);
const orders = JSON.parse(await readAll(process.stdin), revive);

const months = groupBy(orders, ({ placed }) => placed.toISOString().slice(0, 7));
for (const month of Object.keys(months).sort()) {
  console.log(month);
  for (const [customer, list] of Object.entries(groupBy(months[month], (order) => order.customer))) {
    const cents = list.reduce((total, order) => total + centsOf(order), 0);
    console.log(`  ${customer.padEnd(6)}${list.length} ${(cents / 100).toFixed(2).padStart(8)}`);
  }
}

console.log(JSON.stringify(orders[2], ['id', 'placed', 'note']));
const odd = { lost: undefined, call: () => 1, list: [undefined], not: NaN, map: new Map([[1, 2]]) };
console.log(JSON.stringify(odd));
console.log(JSON.stringify({ a: [1, { b: 2 }], c: [] }, null, 1));
return Object.fromEntries(orders.map((order) => [order.id, centsOf(order)]));
