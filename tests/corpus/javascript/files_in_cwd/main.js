const fs = require('fs');
const path = require('path');

async function main() {
  await fs.promises.mkdir('data/nested', { recursive: true });
  await Promise.all(['b.txt', 'a.txt', 'nested/c.json'].map((name, index) =>
    fs.promises.writeFile(path.join('data', name), JSON.stringify({ name, index }))));

  fs.appendFileSync('data/a.txt', '\nsecond line\n');
  fs.renameSync('data/b.txt', 'data/renamed.txt');
  fs.copyFileSync('data/nested/c.json', 'data/copy.json');

  const names = (await fs.promises.readdir('data', { withFileTypes: true }))
    .map((entry) => entry.name + (entry.isDirectory() ? '/' : '')).sort();
  console.log(names.join(' '));
  console.log(fs.readFileSync('data/a.txt', 'utf8').split('\n').length, 'lines');
  console.log(JSON.parse(fs.readFileSync('data/copy.json')).index);

  const handle = await fs.promises.open('data/renamed.txt');
  console.log((await handle.stat()).size, 'bytes');
  await handle.close();

  fs.rmSync('data', { recursive: true });
  console.log(fs.existsSync('data'), path.basename(__filename));
  console.log(path.resolve('.') === process.cwd());
  await fs.promises.readFile('data/a.txt').catch((error) => console.log(error.code, error.syscall));
}

main();
