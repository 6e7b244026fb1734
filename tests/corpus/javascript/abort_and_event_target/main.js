const { once } = require('events');
const { setTimeout: delay } = require('timers/promises');

class PriceEvent extends Event {
  constructor(price) {
    super('price', { cancelable: true });
    this.price = price;
  }
}

class Ticker extends EventTarget {
  publish(price) { return this.dispatchEvent(new PriceEvent(price)); }
}

const ticker = new Ticker();
const controller = new AbortController();
const { signal } = controller;

ticker.addEventListener('price', ({ price }) => console.log('price', price), { signal });
ticker.addEventListener('price', ({ price }) => console.log('first', price), { once: true });
ticker.addEventListener('price', {
  handleEvent(event) { if (event.price < 0) event.preventDefault(); },
});
ticker.addEventListener('price', (event) => {
  if (event.price > 99) event.stopImmediatePropagation();
});
ticker.addEventListener('price', ({ price, target }) => console.log('last', price, target === ticker));

for (const price of [10, -1, 100]) console.log('accepted', ticker.publish(price));

const report = (error) => `${error.name} ${error.code} ${error instanceof Error}`;
const waits = [delay(60000, 'late', { signal }), once(ticker, 'never', { signal })];
signal.addEventListener('abort', () => console.log('abort:', signal.reason.message));
controller.abort(new Error('market closed'));
controller.abort(new Error('said too late'));
console.log((await Promise.all(waits.map((wait) => wait.catch(report)))).join(', '));

ticker.publish(11);
try {
  signal.throwIfAborted();
} catch (error) {
  console.log(error === signal.reason, error.message);
}

const aborted = AbortSignal.abort();
console.log(aborted.aborted, aborted.reason.name, aborted.reason.code);
console.log(await delay(60000, null, { signal: aborted }).catch(report));
console.log(await delay(1, 'in time', { signal: new AbortController().signal }));
