// Installs the files in /work/packages with npm and without an index, and runs nothing of theirs.
// Where they were fetched there is a lock among them, that says which goes where.
// Its last word on standard error, when it cannot, is shown to who wanted them; its value says how
// much there is.
const { spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');

const PLACE = '/work/out/packages';
const LOCKS = ['package-lock.json', 'package.json'];
const FILES = fs.readdirSync('/work/packages').sort().map((name) => `/work/packages/${name}`);

function giveUp(why) {
  console.error(`ERROR: ${why}`);
  process.exit(1);
}

function reasonOf(said) {
  const asked = /request to \S+\/(\S+) failed/.exec(said);
  if (asked) return `no file gives the ${decodeURIComponent(asked[1])} that is asked for`;
  const lines = said.split('\n').map((line) => line.replace(/^npm (ERR!|error) ?/, ''));
  return lines.find((line) => line && !/^code |^A complete log/.test(line)) ?? 'npm has failed';
}

function sizesIn(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) return sizesIn(place);
    return entry.isFile() ? [fs.statSync(place).size] : [];
  });
}

fs.mkdirSync(PLACE, { recursive: true });
const isLocked = fs.existsSync(`/work/packages/${LOCKS[0]}`);
if (isLocked)
  for (const name of LOCKS) fs.copyFileSync(`/work/packages/${name}`, `${PLACE}/${name}`);
const npm = spawnSync('npm', [
  ...(isLocked ? ['ci'] : ['install', '--no-save', '--no-package-lock', ...FILES]), '--offline',
  '--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--no-bin-links',
  '--registry=http://index.invalid', '--cache=/work/npm', '--prefix', PLACE,
], { encoding: 'utf8', env: { ...process.env, HOME: '/work' } });
if (npm.error) giveUp(npm.error.code === 'ENOENT' ? 'there is no npm: install npm' : npm.error);
if (npm.status !== 0) giveUp(reasonOf(npm.stderr));
for (const name of LOCKS) fs.rmSync(`${PLACE}/${name}`, { force: true });
const sizes = sizesIn(PLACE);
return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
