interface Node { name: string; next?: Node }
const node: Node = { name: "ring" };
node.next = node;
return [node];
