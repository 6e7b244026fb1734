const prices = { apple: 3 };

async function price(fruit) {
  await null;
  if (!(fruit in prices)) {
    throw new Error(`no price for ${fruit}`);
  }
  return prices[fruit];
}

async function main() {
  console.log('looking up 2 prices');
  for (const fruit of ['apple', 'kiwi']) console.log(fruit, await price(fruit));
}

main();
setTimeout(() => console.log('never printed'), 1000);
