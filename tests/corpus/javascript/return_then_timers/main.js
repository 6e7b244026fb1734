const started = [2, 1, 0];
// Each one starts the next: clocks of their own would race on a busy machine.
setTimeout(function finish(left = [...started]) {
  console.log(`task ${left.shift()} finished`);
  if (left.length) setTimeout(finish, 10, left);
}, 10);
process.on('exit', (code) => console.log('exit with', code));
console.log('all started');

return { started: started.length };
console.log('never printed');
