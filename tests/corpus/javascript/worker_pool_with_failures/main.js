const { Worker } = require('worker_threads');

const code = `
  const { parentPort, workerData: started } = require('worker_threads');
  parentPort.on('message', (job) => {
    if (job === null) return parentPort.close();
    Atomics.add(started, 0, 1);
    if (job.kind === 'crash') throw new RangeError('job ' + job.id + ' is broken');
    if (job.kind === 'leave') process.exit(3);
    const numbers = new Float64Array(job.buffer);
    numbers.sort();
    parentPort.postMessage({ id: job.id, buffer: job.buffer }, [job.buffer]);
  });
`;

const kinds = ['sort', 'sort', 'crash', 'sort', 'leave', 'sort'];
const jobs = kinds.map((kind, id) => {
  const numbers = Float64Array.from({ length: 5 }, (_, n) => (n * 7 + id * 3) % 11);
  return { id, kind, buffer: numbers.buffer };
});
const started = new Int32Array(new SharedArrayBuffer(4));
const results = Array(jobs.length).fill(null);
const queue = [...jobs];

/// Works on the queue until it is empty; a worker that dies is replaced by another.
function work() {
  return new Promise((resolve) => {
    const worker = new Worker(code, { eval: true, workerData: started });
    let job = null;
    const next = () => {
      job = queue.shift() ?? null;
      worker.postMessage(job, job ? [job.buffer] : []);
    };
    worker.on('message', ({ id, buffer }) => {
      results[id] = [...new Float64Array(buffer)];
      next();
    });
    worker.on('error', (error) => { results[job.id] = `${error.name}: ${error.message}`; });
    worker.on('exit', (status) => {
      if (job) results[job.id] ??= `left with ${status}`;
      resolve(status === 0 ? undefined : work());
    });
    next();
  });
}

await Promise.all([work(), work()]);
results.forEach((result, id) => console.log(id, String(result)));
const left = jobs.filter(({ buffer }) => buffer.byteLength > 0);
console.log(Atomics.load(started, 0), 'jobs started,', left.length, 'buffers kept');
return results;
