let list = null;
for (let value = 5000; value > 0; value -= 1) list = { value, next: list };

let sum = 0;
for (let node = list; node; node = node.next) sum += node.value;
console.log('sum', sum);
return list;
