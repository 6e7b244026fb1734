// Fetches with npm what /work/wanted names, one a line, and all that it needs, and runs nothing of
// it. This box has no network: Lazaret connects for it, as core/relay.hpp says. Its last word on
// standard error, when it cannot, is shown to who wanted them; its value says how much there is.
const { spawn } = require('child_process');
const fs = require('fs');
const http = require('http');
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
    createConnection: () => new Tunnel(`${url.hostname}:${url.port || 80}`),
    method: request.method, path: url.pathname + url.search, headers,
  }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  asked.on('error', (error) => response.writeHead(502).end(error.message));
  request.pipe(asked);
});
proxy.on('connect', (request, socket) => {
  const tunnel = new Tunnel(request.url);
  socket.on('error', () => tunnel.destroy());
  tunnel.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
  tunnel.once('stands', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    socket.pipe(tunnel).pipe(socket);
  });
});

function giveUp(why) {
  console.error(`ERROR: ${why}`);
  process.exit(1);
}

function reasonOf(said) {
  const lines = said.split('\n').map((line) => line.replace(/^npm (ERR!|error) ?/, ''));
  return lines.find((line) => line && !/^code |^A complete log/.test(line)) ?? 'npm has failed';
}

const linesOf = (file) => fs.readFileSync(file, 'utf8').split('\n').filter(Boolean);

await new Promise((ready) => proxy.listen(0, '127.0.0.1', ready));
const way = `http://127.0.0.1:${proxy.address().port}`;
const trusted = fs.statSync('/work/authorities').size > 0 ? ['--cafile=/work/authorities'] : [];
const options = [
  '--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--no-workspaces',
  '--omit-lockfile-registry-resolved=false', '--cache=/work/npm', `--proxy=${way}`,
  `--https-proxy=${way}`, '--noproxy=', '--fetch-retries=1', '--fetch-retry-mintimeout=500', '--fetch-timeout=20000', ...trusted,
  ...linesOf('/work/index').map((url) => `--registry=${url}`),
];

function npm(...words) {
  return new Promise((resolve) => {
    const child = spawn('npm', [...words, ...options],
                        { cwd: PROJECT, env: { ...process.env, HOME: '/work' } });
    const said = { out: '', err: '' };
    child.stdout.on('data', (text) => { said.out += text; });
    child.stderr.on('data', (text) => { said.err += text; });
    child.on('error', ({ code }) => giveUp(code === 'ENOENT' ? 'there is no npm: install npm' : code));
    child.on('close', (status) => (status === 0 ? resolve(said.out) : giveUp(reasonOf(said.err))));
  });
}

// Others of those that are there for one system each are not for this one.
function isForHere({ optional, os, cpu }) {
  return !optional || ((os ?? process.platform).includes(process.platform)
                       && (cpu ?? process.arch).includes(process.arch));
}

// At the depth of the place where they will be installed, for the sake of relative paths.
fs.mkdirSync(PROJECT, { recursive: true });
fs.mkdirSync(PLACE);
fs.writeFileSync(`${PROJECT}/package.json`, '{}');
const given = fs.existsSync('/work/packages') ? fs.readdirSync('/work/packages').sort() : [];
await npm('install', '--package-lock-only', ...given.map((name) => `/work/packages/${name}`),
          ...linesOf('/work/wanted'));
const lock = JSON.parse(fs.readFileSync(`${PROJECT}/package-lock.json`, 'utf8'));
const entries = Object.values(lock.packages)
  .filter((entry) => /^https?:/.test(entry.resolved) && isForHere(entry));
const addresses = [...new Set(entries.map((entry) => entry.resolved))];
const packed = addresses.length === 0 ? []
  : JSON.parse(await npm('pack', '--json', `--pack-destination=${PLACE}`, ...addresses));
const fileOf = (name) => name.replace(/^@/, '').replace('/', '-');
const files = new Map(addresses.map((address, at) => [address, fileOf(packed[at].filename)]));
for (const entry of entries) entry.resolved = `file:../../packages/${files.get(entry.resolved)}`;
for (const name of given) fs.copyFileSync(`/work/packages/${name}`, path.join(PLACE, name));
fs.writeFileSync(`${PLACE}/package-lock.json`, JSON.stringify(lock));
fs.copyFileSync(`${PROJECT}/package.json`, `${PLACE}/package.json`);
proxy.close();
proxy.closeAllConnections();
process.stdin.destroy();
const sizes = fs.readdirSync(PLACE).map((name) => fs.statSync(path.join(PLACE, name)).size);
return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
