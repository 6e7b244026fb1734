const { execFile, execFileSync, execSync, spawn, spawnSync } = require('child_process');

console.log(execSync('printf "%s-" a b c').toString());
console.log(execFileSync('sort', ['-n'], { input: '10\n9\n1\n' }).toString().split('\n'));

const failed = spawnSync('sh', ['-c', 'echo problem >&2; exit 5']);
console.log(failed.status, failed.stderr.toString().trim());
console.log(spawnSync('sh', ['-c', 'kill -KILL $$']).signal);
console.log(spawnSync('no-such-program').error.code);

const child = spawn('tr', ['a-z', 'A-Z']);
let shouted = '';
child.stdout.on('data', (chunk) => { shouted += chunk; });
child.on('close', (code) => {
  console.log(code, shouted);
  execFile('sleep', ['60'], { timeout: 100 }, (error) => {
    console.log('killed:', error.killed, error.signal);
    spawn('sh', ['-c', 'echo inherited'], { stdio: 'inherit' });
  });
});
child.stdin.end('quiet words');
