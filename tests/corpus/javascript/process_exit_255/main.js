setTimeout(() => console.log('never printed'), 50);

function fatal(message) {
  console.error(`fatal: ${message}`);
  process.exit(-1);
}

console.log('first');
fatal('no second');
console.log('never printed either');
