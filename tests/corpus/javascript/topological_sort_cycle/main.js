class CycleError extends Error {
  constructor(path) {
    super(`cycle: ${path.join(' -> ')}`);
    this.name = 'CycleError';
  }
}

function buildOrder(graph) {
  const done = new Set();
  const path = [];
  const visit = (node) => {
    if (done.has(node)) return;
    const seenAt = path.indexOf(node);
    if (seenAt >= 0) {
      throw new CycleError([...path.slice(seenAt), node]);
    }
    path.push(node);
    for (const dependency of graph[node] ?? []) visit(dependency);
    path.pop();
    done.add(node);
  };
  Object.keys(graph).forEach(visit);
  return [...done];
}

const projects = {
  website: { app: ['lib', 'log'], lib: ['core'], log: ['core', 'clock'], core: [] },
  empty: {},
  broken: { a: ['b'], b: ['c'], c: ['d', 'b'], d: [] },
};
for (const [name, graph] of Object.entries(projects)) {
  console.log(`${name}: ${buildOrder(graph).join(' ') || '-'}`);
}
return 'never reached';
