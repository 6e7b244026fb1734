interface Task {
  name: string;
  at: number;
  every?: number;
}

class Heap<T> {
  #items: T[] = [];
  constructor(readonly before: (a: T, b: T) => boolean) {}
  get size() {
    return this.#items.length;
  }
  push(item: T): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    for (let up = (at - 1) >> 1; at > 0 && this.before(items[at], items[up]); up = (at - 1) >> 1) {
      [items[at], items[up]] = [items[up], items[at]];
      at = up;
    }
  }
  pop(): T | undefined {
    const items = this.#items;
    const [first] = items;
    const last = items.pop();
    if (items.length === 0 || last === undefined) return first;
    items[0] = last;
    for (let at = 0, down = 1; down < items.length; down = 2 * at + 1) {
      if (down + 1 < items.length && this.before(items[down + 1], items[down])) down += 1;
      if (!this.before(items[down], items[at])) break;
      [items[at], items[down]] = [items[down], items[at]];
      at = down;
    }
    return first;
  }
}

const queue = new Heap<Task>((a, b) => a.at < b.at || (a.at === b.at && a.name < b.name));
queue.push({ name: "backup", at: 7 });
queue.push({ name: "poll", at: 1, every: 4 });
queue.push({ name: "mail", at: 5 });
const log: string[] = [];
for (let task = queue.pop(); task && task.at <= 10; task = queue.pop()) {
  log.push(`${task.at}:${task.name}`);
  if (task.every) queue.push({ ...task, at: task.at + task.every });
}
return log;
