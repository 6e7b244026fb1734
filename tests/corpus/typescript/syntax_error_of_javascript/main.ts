let total = 1;
console.log(total);
let total = 2;
