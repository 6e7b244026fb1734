console.log('never printed');

const numbers = [1, 2, 3];
for (const number of numbers) {
  console.log('number', number;
}
