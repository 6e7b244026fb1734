// Installs the files in /work/packages with npm and without an index, and runs nothing of theirs.
// Its last word on standard error, when it cannot, is shown to who wanted them; its value says how
// much there is.
const { spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');

const PLACE = '/work/out/packages';
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
const npm = spawnSync('npm', [
  'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier',
  '--no-save', '--no-package-lock', '--no-bin-links', '--registry=http://index.invalid',
  '--cache=/work/npm', '--prefix', PLACE, ...FILES,
], { encoding: 'utf8', env: { ...process.env, HOME: '/work' } });
if (npm.error) giveUp(npm.error.code === 'ENOENT' ? 'there is no npm: install npm' : npm.error);
if (npm.status !== 0) giveUp(reasonOf(npm.stderr));
const sizes = sizesIn(PLACE);
return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
