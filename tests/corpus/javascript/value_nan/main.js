const mean = (numbers) => numbers.reduce((a, b) => a + b, 0) / numbers.length;
console.log('mean of 0 numbers');
return mean([]);
