class HttpError extends Error {
  constructor(status) {
    super(`status ${status}`);
    this.name = 'HttpError';
    this.status = status;
  }
}

let clock = 0;
const waits = [];
async function sleep(ms) {
  waits.push(ms);
  clock += ms;
}

async function retry(task, { attempts = 4, base = 100, most = 500 } = {}) {
  const errors = [];
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      return await task(attempt);
    } catch (error) {
      if (!(error instanceof HttpError) || error.status < 500) throw error;
      errors.push(error);
      if (attempt < attempts) await sleep(Math.min(most, base * 2 ** (attempt - 1)));
    }
  }
  throw new AggregateError(errors, `gave up after ${attempts} attempts`);
}

const flaky = (...statuses) => async (attempt) => {
  const status = statuses[Math.min(attempt, statuses.length) - 1];
  if (status >= 400) throw new HttpError(status);
  return `${status} at attempt ${attempt}`;
};

const outcomes = await Promise.allSettled([
  retry(flaky(200)),
  retry(flaky(503, 500, 201)),
  retry(flaky(502, 404)),
  retry(flaky(503), { attempts: 5 }),
  retry(async () => { throw new TypeError('not a function'); }),
]);
for (const { status, value, reason } of outcomes) {
  console.log(status, value ?? `${reason.name}: ${reason.message} (${reason.errors?.length ?? 1})`);
}
console.log(waits.sort((a, b) => a - b).join(' '), clock);

return Promise.any([retry(flaky(404)), retry(flaky(500, 200)), retry(flaky(503, 503, 200))]);
