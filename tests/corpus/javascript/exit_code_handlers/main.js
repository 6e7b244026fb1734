const checks = { 'one is odd': 1 % 2 === 1, 'two is odd': 2 % 2 === 1, 'nought is true': !!0 };
const failed = Object.entries(checks).filter(([, passed]) => !passed);

process.on('exit', (code) => console.log('leaving with', code));
if (failed.length > 0) {
  console.log(`${failed.length} checks failed`);
  process.exitCode = 3;
}
