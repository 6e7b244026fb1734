let ticks = 0;
const timer = setInterval(() => { ticks += 1; }, 20);

process.on('SIGTERM', () => {
  clearInterval(timer);
  console.log('closing, ticks counted:', ticks > 0);
});
console.log('serving');
