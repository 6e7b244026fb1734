const { once } = require('events');

async function main() {
  for (let n = 0; n < 3072; n += 1) {
    const chunk = `chunk ${String(n).padStart(4, '0')} `.padEnd(1023, 'x') + '\n';
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
  }
  console.error('3072 chunks written');
}

main();
