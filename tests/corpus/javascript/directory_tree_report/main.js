const fs = require('fs/promises');
const path = require('path');

const files = {
  'src/index.js': 'const a = 1;\nmodule.exports = a;\n',
  'src/lib/util.js': 'exports.x = 1;\n',
  'src/lib/deep/data.json': '{"k":[1,2,3]}',
  'README.md': '# Title\n\ntext\n',
  'empty.txt': '',
};

async function walk(folder, pad = '') {
  let total = 0;
  const entries = await fs.readdir(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      console.log(`${pad}${entry.name}/`);
      total += await walk(full, `${pad}  `);
    } else if (entry.isSymbolicLink()) {
      console.log(`${pad}${entry.name} -> ${await fs.readlink(full)}`);
    } else {
      const { size } = await fs.stat(full);
      console.log(`${pad}${entry.name} ${size}`);
      total += size;
    }
  }
  return total;
}

const root = await fs.mkdtemp('tree-');
const inRoot = (name) => path.join(root, name);
await Promise.all(Object.entries(files).map(async ([name, text]) => {
  await fs.mkdir(path.dirname(inRoot(name)), { recursive: true });
  await fs.writeFile(inRoot(name), text);
}));
await fs.symlink('src/index.js', inRoot('main.js'));
console.log('total', await walk(root));

const handle = await fs.open(inRoot('empty.txt'), 'r+');
await handle.write('0123456789');
await handle.write('abc', 2);
await handle.truncate(7);
await handle.close();
console.log(await fs.readFile(inRoot('empty.txt'), 'utf8'), (await fs.readFile(inRoot('main.js'))).length);

const attempts = [fs.mkdir(root), fs.rmdir(root), fs.readFile(root), fs.readFile(inRoot('none')),
  fs.readdir(inRoot('README.md')), fs.open(inRoot('main.js'), 'wx')];
const outcomes = await Promise.allSettled(attempts);
await fs.rename(inRoot('src/lib'), inRoot('library'));
await fs.rm(inRoot('src'), { recursive: true });
console.log((await fs.readdir(root)).sort().join(' '));
await fs.rm(root, { recursive: true });
console.log((await fs.readdir('.')).join(' '));
return outcomes.map(({ reason }) => reason.code);
