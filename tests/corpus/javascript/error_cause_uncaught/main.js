class BankError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }
}
class InsufficientFunds extends BankError {}
class TransferFailed extends BankError {}

const balances = new Map([['ann', 50], ['bob', 20]]);

function withdraw(owner, amount) {
  const balance = balances.get(owner);
  if (balance < amount) throw new InsufficientFunds(`${owner} has ${balance}, not ${amount}`);
  balances.set(owner, balance - amount);
}

function transfer(from, to, amount) {
  try {
    withdraw(from, amount);
    balances.set(to, balances.get(to) + amount);
    console.log(`${from} -> ${to}: ${amount}`);
  } catch (cause) {
    throw new TransferFailed(`${from} -> ${to}`, { cause });
  }
}

try {
  transfer('bob', 'ann', 21);
} catch (error) {
  const chain = [];
  for (let at = error; at; at = at.cause) chain.push(`${at.name}: ${at.message}`);
  console.log(chain.join(' | '));
  console.log(error instanceof BankError, error.cause instanceof TransferFailed);
}
transfer('ann', 'bob', 30);
process.on('exit', (code) => console.log([...balances].join(' '), code));
transfer('ann', 'bob', 30);
