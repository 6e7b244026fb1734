const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');

const worker = `
  const { parentPort, workerData } = require('worker_threads');
  let count = 0;
  for (let n = Math.max(2, workerData.first); n < workerData.last; n += 1) {
    let prime = true;
    for (let d = 2; d * d <= n && prime; d += 1) prime = n % d !== 0;
    if (prime) count += 1;
  }
  parentPort.postMessage({ ...workerData, count });
`;

const count = (first, last) => new Promise((resolve, reject) => {
  const thread = new Worker(worker, { eval: true, workerData: { first, last } });
  thread.once('message', resolve);
  thread.once('error', reject);
});

(async () => {
  console.log('main thread:', isMainThread, parentPort, workerData);
  const parts = await Promise.all([count(0, 5000), count(5000, 10000)]);
  for (const part of parts) console.log(`${part.first}-${part.last}: ${part.count}`);
  console.log('total', parts.reduce((sum, part) => sum + part.count, 0));

  const shared = new Int32Array(new SharedArrayBuffer(4));
  const adder = new Worker(
    'const { workerData } = require("worker_threads"); Atomics.add(workerData, 0, 41);',
    { eval: true, workerData: shared },
  );
  adder.once('exit', (code) => console.log('adder', code, Atomics.add(shared, 0, 1) + 1));
})();
