const { EventEmitter } = require('events');

const seen = [];
process.on('uncaughtException', (error, origin) => {
  seen.push(error.message);
  console.log(`${origin}: ${error.name}: ${error.message}`);
});
process.on('exit', (code) => console.log(`${seen.length} errors, exit ${code}`));

setImmediate(() => {
  console.log('first immediate');
  throw new RangeError('out of the immediate');
});
setImmediate(() => {
  console.log('second immediate');
  new EventEmitter().emit('error', new Error('nobody listens'));
});
setImmediate(() => {
  console.log('third immediate');
  setTimeout(() => noSuchName(), 1);
  process.nextTick(() => { throw new EvalError('out of a tick'); });
});

Promise.reject(new Error('nobody waits'));
Promise.reject(new Error('somebody waits')).catch(() => console.log('handled'));
console.log('about to throw');
throw new TypeError('out of the program');
