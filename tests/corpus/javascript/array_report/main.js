const sales = [
  { region: 'north', units: 12, price: 9.99 },
  { region: 'south', units: 3, price: 24.5 },
  { region: 'north', units: 7, price: 24.5 },
  { region: 'east', units: 20, price: 9.99 },
];

const totals = sales.reduce((map, { region, units, price }) => {
  const entry = map.get(region) ?? { units: 0, revenue: 0 };
  entry.units += units;
  entry.revenue += units * price;
  return map.set(region, entry);
}, new Map());

const rows = [...totals].sort(([, a], [, b]) => b.revenue - a.revenue);
for (const [region, { units, revenue }] of rows) {
  console.log(region.padEnd(8) + String(units).padStart(4) + revenue.toFixed(2).padStart(10));
}
console.log('total', sales.reduce((sum, { units }) => sum + units, 0), 'units');

const rounded = rows.map(([region, { revenue }]) => [region, Number(revenue.toFixed(2))]);
return Object.fromEntries(rounded);
