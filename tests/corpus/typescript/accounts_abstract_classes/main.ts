abstract class Account {
  static #made = 0;
  static readonly rates = new Map<string, number>();
  static {
    Account.rates.set("savings", 0.02);
  }
  protected constructor(public readonly owner: string, protected cents: number) {
    Account.#made += 1;
  }
  static get made(): number {
    return Account.#made;
  }
  abstract fee(): number;
  withdraw(cents: number): this {
    const all = cents + this.fee();
    if (all > this.cents) throw new RangeError(`${this.owner} lacks ${all - this.cents}`);
    this.cents -= all;
    return this;
  }
  get balance(): string {
    return (this.cents / 100).toFixed(2);
  }
}

class Checking extends Account {
  constructor(owner: string, cents = 0) {
    super(owner, cents);
  }
  override fee(): number {
    return 25;
  }
}

class Savings extends Account {
  declare readonly kind: "savings";
  constructor(owner: string, cents: number) {
    super(owner, cents);
  }
  override fee(): number {
    return Math.round(this.cents * Account.rates.get("savings")!);
  }
}

const accounts: Account[] = [new Checking("ann", 10_000), new Savings("bob", 50_000)];
for (const account of accounts) console.log(account.owner, account.withdraw(2_500).balance);
try {
  accounts[0].withdraw(7_500).withdraw(1);
} catch (error) {
  if (!(error instanceof RangeError)) throw error;
  console.log(error.message);
}
return Account.made;
