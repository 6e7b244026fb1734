const lines = [];
for (let n = 0; n < 3200; n += 1) {
  lines.push(`${String(n).padStart(8, '0')} `.padEnd(63, '=') + '\n');
}
process.stdout.write(lines.join(''), () => process.exit(0));
