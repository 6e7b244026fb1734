const log = (...words) => console.log(...words);
const delay = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));

setTimeout(() => log('timer'), 0);
Promise.resolve().then(() => log('microtask'));
process.nextTick(() => log('next tick'));
log('synchronous');

async function main() {
  const [a, b] = await Promise.all([delay(20, 'slow'), delay(1, 'fast')]);
  log(a, b);
  log(await Promise.race([delay(200, 'loses'), delay(1, 'wins')]));
  const settled = await Promise.allSettled([delay(1, 1), Promise.reject(new Error('no'))]);
  log(settled.map(({ status, value, reason }) => `${status}:${value ?? reason.message}`).join(' '));
  const steps = async function* () { yield 1; yield delay(1, 2); };
  for await (const step of steps()) log('step', step);
  try {
    await Promise.any([Promise.reject(new Error('first')), Promise.reject(new Error('second'))]);
  } catch (error) {
    log(error.constructor.name, error.errors.map((inner) => inner.message));
  }
}

main().finally(() => log('done'));
