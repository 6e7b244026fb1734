class Money {
  constructor(cents, currency) { Object.assign(this, { cents, currency }); }
  plus({ cents }) { return new Money(this.cents + cents, this.currency); }
  toJSON() { return `${(this.cents / 100).toFixed(2)} ${this.currency}`; }
}

class Order {
  #notes = ['private'];
  placed = new Date(Date.UTC(2024, 0, 31, 12));
  lines = [new Money(1999, 'EUR'), new Money(1, 'EUR')];
  get total() { return this.lines.reduce((sum, line) => sum.plus(line)); }
  toJSON() { return { placed: this.placed, total: this.total, notes: this.#notes.length }; }
}

const bare = Object.create({ inherited: 'left out' }, {
  hidden: { value: 'left out', enumerable: false },
  shown: { get: () => 7, enumerable: true },
});

const order = new Order();
console.log(JSON.stringify(order));
console.log(JSON.stringify({ never: new Date(NaN), bare }));

return {
  order,
  days: [new Date(0), new Date(Date.UTC(-1, 0, 1))],
  site: new URL('http://example.org/a b'),
  bare,
  dictionary: Object.assign(Object.create(null), { toString: 1, '': 2 }),
  numbers: [-0, 1e21, 0.1 + 0.2, 2 ** 53, -1.5e-7],
  texts: ['', 'ünï "quoted" \\', 'tab\tline\u2028end\u0000', '😀'],
  others: [null, true, false, [], {}, [[null]]],
};
