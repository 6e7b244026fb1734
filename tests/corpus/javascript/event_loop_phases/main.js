const fs = require('fs');

const seen = [];
const note = (word) => () => { seen.push(word); };
const show = () => console.log(seen.splice(0).join(', '));

await new Promise((resolve) => {
  fs.readFile(__filename, () => {
    setTimeout(note('timer'), 0);
    setTimeout(resolve, 0);
    setImmediate(() => {
      seen.push('immediate');
      queueMicrotask(note('its microtask'));
      process.nextTick(note('its tick'));
    });
    setImmediate(note('second immediate'));
    Promise.resolve().then(note('microtask')).then(note('chained'));
    queueMicrotask(note('queued'));
    process.nextTick(note('tick'));
    seen.push('callback');
  });
});
await new Promise(setImmediate);
show();

process.nextTick(note('tick'));
queueMicrotask(note('microtask'));
await new Promise(setImmediate);
show();

async function walker(name) {
  for (let step = 0; step < 3; step += 1) {
    seen.push(`${name}${step}`);
    await null;
  }
}
await Promise.all([walker('a'), walker('b')]);
show();

const nested = async () => Promise.resolve();
const plain = async () => {};
const thenable = { then(resolve) { resolve(); } };
await Promise.all([
  nested().then(note('nested')),
  Promise.resolve(thenable).then(note('thenable')),
  plain().then(note('plain')),
  Promise.reject(new Error()).finally(note('finally')).catch(note('catch')),
]);
show();

let extra = 2;
process.on('beforeExit', (code) => {
  console.log('before exit', code, extra);
  extra -= 1;
  if (extra > 0) setImmediate(() => console.log('more work'));
});
process.on('exit', () => console.log('exit'));
return 'in order';
