const { fork } = require('child_process');

if (process.argv[2] === 'child') {
  process.on('message', (n) => {
    if (n === 'stop') {
      process.exitCode = 4;
      process.disconnect();
      return;
    }
    console.log('child multiplies up to', n);
    let product = 1n;
    for (let factor = 2n; factor <= n; factor += 1n) product *= factor;
    process.send({ n, product: String(product), unknown: undefined, list: [null, 1.5, 'ü'] });
  });
  return;
}

const child = fork(__filename, ['child']);
const queue = [5, 25];
const answers = {};

child.on('message', ({ n, product, list, ...rest }) => {
  console.log('parent hears about', n, JSON.stringify(list), Object.keys(rest).length);
  answers[n] = product;
  child.send(queue.shift() ?? 'stop');
});
child.send(queue.shift());

return new Promise((resolve) => {
  child.on('exit', (code, signal) => {
    console.log('child left with', code, signal);
    resolve(answers);
  });
});
