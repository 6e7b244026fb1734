const { once } = require('events');
const readline = require('readline');

const operators = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '^': (a, b) => a ** b,
  '/': (a, b) => {
    if (b === 0) throw new RangeError('division by zero');
    return a / b;
  },
};

function evaluate(line) {
  const stack = [];
  for (const word of line.trim().split(/\s+/)) {
    if (Object.hasOwn(operators, word)) {
      if (stack.length < 2) throw new Error(`'${word}' needs two numbers`);
      const b = stack.pop();
      stack.push(operators[word](stack.pop(), b));
    } else if (Number.isNaN(Number(word))) {
      throw new Error(`unknown word '${word}'`);
    } else {
      stack.push(Number(word));
    }
  }
  if (stack.length !== 1) throw new Error(`${stack.length} numbers are left`);
  return stack[0];
}

const results = [];
let number = 0;
const input = readline.createInterface({ input: process.stdin, crlfDelay: Infinity });
input.on('line', (line) => {
  number += 1;
  if (line.trim() === '') return;
  try {
    results.push(evaluate(line));
    console.log(`${number}: ${results.at(-1)}`);
  } catch (error) {
    console.error(`${number}: ${error.message}`);
  }
});
await once(input, 'close');
console.log(`${results.length} results from ${number} lines`);
return results;
