const { EventEmitter, once } = require('events');

class InsufficientFunds extends Error {
  constructor(missing) {
    super(`${missing} short`);
    this.name = 'InsufficientFunds';
  }
}

class Account extends EventEmitter {
  #balance = 0;

  get balance() { return this.#balance; }

  deposit(amount) {
    this.#balance += amount;
    this.emit('change', '+', amount);
    return this;
  }

  withdraw(amount) {
    if (amount > this.#balance) {
      this.emit('error', new InsufficientFunds(amount - this.#balance));
      return this;
    }
    this.#balance -= amount;
    this.emit('change', '-', amount);
    return this;
  }
}

function main() {
  const account = new Account();
  account.on('change', (sign, amount) => console.log(sign + amount, '->', account.balance));
  account.on('error', (error) => console.error(`${error.name}: ${error.message}`));
  account.once('change', () => console.log('first change'));
  account.deposit(100).withdraw(30).withdraw(200);
  console.log(account.listenerCount('change'), account.eventNames());
  once(account, 'change').then(([sign, amount]) => console.log('awaited', sign, amount));
  account.deposit(5);
}

if (require.main === module) main();
