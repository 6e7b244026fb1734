console.log('searching');
setTimeout(() => console.log('never printed'), 100);

let n = 3n;
for (;;) {
  n = (n * n + 1n) % 1000003n;
  if (n < 0n) break;
}
