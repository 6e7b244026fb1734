const root = { name: 'root', children: [] };
root.children.push({ name: 'leaf', parent: root });
console.log('root has', root.children.length, 'child');
return root;
