interface Sized {
  readonly length: number;
}

class Cache<K, V extends Sized> {
  #entries = new Map<K, V>();
  constructor(private readonly most: number) {}

  get(key: K): V | undefined {
    const found = this.#entries.get(key);
    if (found === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, found);
    return found;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.most) {
      const [oldest] = this.#entries.keys();
      console.log("drops", oldest);
      this.#entries.delete(oldest);
    }
  }

  get total(): number {
    return [...this.#entries.values()].reduce((sum, each) => sum + each.length, 0);
  }
}

const cache = new Cache<string, number[] | string>(2);
cache.set("a", [1, 2, 3]);
cache.set("b", "text");
console.log(cache.get("a"), cache.get("nothing"));
cache.set("c", "longer text");
return { total: cache.total, b: cache.get("b") ?? null, c: cache.get("c") ?? null };
