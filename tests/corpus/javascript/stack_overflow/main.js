const depthOf = (node) => 1 + Math.max(0, ...node.children.map(depthOf));
const tree = { children: [{ children: [] }, { children: [{ children: [] }] }] };
console.log('depth', depthOf(tree));

// A list that was meant to end in null.
const list = { value: 1, next: { value: 2, next: null } };
list.next.next = list;
const sum = (node) => (node === null ? 0 : node.value + sum(node.next));

try {
  sum(list);
} catch (error) {
  console.log('caught', error instanceof RangeError, error.message);
}
console.log('still alive');
sum(list);
console.log('never printed');
