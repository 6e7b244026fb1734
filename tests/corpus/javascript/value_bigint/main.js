let product = 1n;
for (let n = 1n; n <= 20n; n += 1n) product *= n;
console.log(String(product));
return [20, product];
