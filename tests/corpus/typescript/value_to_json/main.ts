class Money {
  constructor(private readonly cents: number) {}
  toJSON() {
    return { amount: (this.cents / 100).toFixed(2) };
  }
}
return { at: new Date(Date.UTC(2024, 1, 29)), price: new Money(1250), empty: [], none: null };
