// Fetches with npm's own library what /work/wanted names, one a line, and all that it needs. This
// box has no network: Lazaret connects for it, as core/relay.hpp says. Nor has it subprocesses, by
// which npm would prepare what comes out of a repository. Its last word on standard error, when it
// cannot, is shown to who wanted them; its value says how much there is.
const fs = require('fs');
const http = require('http');
const { createRequire } = require('module');
const path = require('path');
const { Duplex } = require('stream');

const PLACE = '/work/out/packages';
const PROJECT = '/work/own/project';
const HEAD = 5;
const MOST = 0xFFFF;

function send(kind, number, data = Buffer.alloc(0)) {
  const head = Buffer.alloc(HEAD, kind);
  head.writeUInt16BE(number, 1);
  head.writeUInt16BE(data.length, 3);
  process.stdout.write(Buffer.concat([head, data]));
}

// A connection that Lazaret carries.
class Tunnel extends Duplex {
  static all = new Map();
  static count = 0;

  constructor(to) {
    super();
    this.to = to;
  }
  _construct(done) {
    this.number = ++Tunnel.count;
    this.stands = done;
    Tunnel.all.set(this.number, this);
    send('o', this.number, Buffer.from(this.to));
  }
  _read() {}
  _write(data, encoding, done) {
    for (let at = 0; at < data.length; at += MOST)
      send('d', this.number, data.subarray(at, at + MOST));
    done();
  }
  _final(done) {
    send('e', this.number);
    done();
  }
  _destroy(error, done) {
    send('c', this.number);
    done(error);
  }
  hear(kind, data) {
    if (kind === 'o') {
      this.stands();
      this.emit('stands');
    }
    if (kind === 'f') this.stands(new Error(data.toString()));
    if (kind === 'd') this.push(data);
    if (kind === 'e') this.push(null);
  }
  // What http wants of a socket.
  setKeepAlive() {}
  setNoDelay() {}
  setTimeout() {}
  ref() {}
  unref() {}
}

let heard = Buffer.alloc(0);
process.stdin.on('data', (piece) => {
  heard = Buffer.concat([heard, piece]);
  while (heard.length >= HEAD && heard.length >= HEAD + heard.readUInt16BE(3)) {
    const end = HEAD + heard.readUInt16BE(3);
    Tunnel.all.get(heard.readUInt16BE(1))?.hear(String.fromCharCode(heard[0]),
                                                heard.subarray(HEAD, end));
    heard = heard.subarray(end);
  }
});

const proxy = http.createServer((request, response) => {
  const url = new URL(request.url);
  const { connection, 'proxy-connection': unused, ...headers } = request.headers;
  const asked = http.request({
    createConnection: () => new Tunnel(url.port ? url.host : `${url.host}:80`),
    method: request.method, path: url.pathname + url.search, headers,
  }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.on('error', () => response.destroy()).pipe(response);
  });
  asked.on('error', (error) => {
    if (response.headersSent) response.destroy();
    else response.writeHead(502).end(error.message);
  });
  request.pipe(asked);
});
proxy.on('connect', (request, socket) => {
  const tunnel = new Tunnel(request.url);
  socket.on('error', () => tunnel.destroy());
  tunnel.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
  tunnel.on('close', () => tunnel.errored || socket.destroy());
  tunnel.once('stands', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    socket.pipe(tunnel).pipe(socket);
  });
});

function giveUp(why) {
  console.error(`ERROR: ${String(why).replace(/\/\/[^/@\s]*@/g, '//').split('\n')[0]}`);
  process.exit(1);
}

const linesOf = (file) => fs.readFileSync(file, 'utf8').split('\n').filter(Boolean);
const pathOf = (folder) => path.join(folder, 'npm');

const npm = ['/usr/local/bin', '/usr/bin', '/bin'].map(pathOf).find(fs.existsSync);
if (!npm) giveUp('there is no npm: install npm');
const ofNpm = createRequire(fs.realpathSync(npm));
const Arborist = ofNpm('@npmcli/arborist');
const pacote = ofNpm('pacote');
const { checkPlatform } = ofNpm('npm-install-checks');

await new Promise((ready) => proxy.listen(0, '127.0.0.1', ready));
const way = `http://127.0.0.1:${proxy.address().port}`;
const trusted = fs.readFileSync('/work/authorities', 'utf8');
const [registry] = linesOf('/work/index');
const options = {
  path: PROJECT, cache: '/work/npm', proxy: way, httpsProxy: way, noProxy: '', timeout: 20000,
  retry: { retries: 1, minTimeout: 500 }, ignoreScripts: true, allowGit: 'none', audit: false,
  ...(trusted && { ca: trusted }), ...(registry && { registry }),
};

// As npm does it: what is there for another system is left out.
function isForHere(entry) {
  try {
    checkPlatform(entry, false);
    return true;
  } catch {
    return !entry.optional;
  }
}

// Names of packages hold no plus.
function fileOf(place, { name, version }) {
  const known = name ?? place.replace(/^.*node_modules\//, '');
  return `${known.replace(/^@/, '').replace('/', '+')}-${version}.tgz`;
}

// Writes down which package goes where, and gives what there is to be fetched.
async function lockOf(words) {
  const tree = new Arborist({ ...options, packageLockOnly: true });
  await tree.reify({ add: words, save: true });
  return JSON.parse(fs.readFileSync(`${PROJECT}/package-lock.json`, 'utf8'));
}

async function fetchAll(lock, taken) {
  for (const [place, entry] of Object.entries(lock.packages)) {
    if (/^git/.test(entry.resolved)) giveUp(`${place} is a repository, and those are not fetched`);
    if (!/^https?:/.test(entry.resolved) || !isForHere(entry)) continue;
    const file = fileOf(place, entry);
    if ((taken.get(file) ?? entry.resolved) !== entry.resolved)
      giveUp(`${file} comes from ${taken.get(file)} and from ${entry.resolved}`);
    taken.set(file, entry.resolved);
    await pacote.tarball.file(entry.resolved, path.join(PLACE, file),
                              { ...options, integrity: entry.integrity });
    entry.resolved = `file:../../packages/${file}`;
  }
}

// At the depth of the place where they will be installed, for the sake of relative paths.
fs.mkdirSync(PROJECT, { recursive: true });
fs.mkdirSync(PLACE);
fs.writeFileSync(`${PROJECT}/package.json`, '{}');
const given = fs.existsSync('/work/packages') ? fs.readdirSync('/work/packages').sort() : [];
try {
  const lock = await lockOf([...given.map((name) => `file:/work/packages/${name}`),
                             ...linesOf('/work/wanted')]);
  await fetchAll(lock, new Map(given.map((name) => [name, 'a file that was given'])));
  fs.writeFileSync(`${PLACE}/package-lock.json`, JSON.stringify(lock));
} catch (error) {
  giveUp(error.message);
}
for (const name of given) fs.copyFileSync(`/work/packages/${name}`, path.join(PLACE, name));
fs.copyFileSync(`${PROJECT}/package.json`, `${PLACE}/package.json`);
// Connections that are kept for more would keep this program.
proxy.close();
proxy.closeAllConnections();
for (const tunnel of Tunnel.all.values()) tunnel.destroy();
process.stdin.destroy();
const sizes = fs.readdirSync(PLACE).map((name) => fs.statSync(path.join(PLACE, name)).size);
return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
