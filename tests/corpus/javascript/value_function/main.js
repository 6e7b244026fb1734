const adder = (n) => (m) => n + m;
console.log('adds 2:', adder(2)(3));
return adder(2);
