const started = [];
for (const [index, ms] of [30, 20, 10].entries()) {
  started.push(index);
  setTimeout(() => console.log(`task ${index} finished`), ms);
}
process.on('exit', (code) => console.log('exit with', code));
console.log('all started');

return { started: started.length };
console.log('never printed');
