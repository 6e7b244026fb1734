const path = require('path');

const options = {};
const rest = [];
for (const argument of process.argv.slice(2)) {
  const match = /^--(\w+)=(.*)$/.exec(argument);
  if (match) options[match[1]] = match[2];
  else rest.push(argument);
}

console.log(path.basename(process.argv[1]), process.argv.length);
console.log(rest.map((word) => JSON.stringify(word)).join(' '));
console.log(Number(process.env.LEVEL) + 1, JSON.stringify(process.env.EMPTY), process.env.ABSENT);
console.log(process.env.HOME === process.cwd(), new Date(0).getTimezoneOffset());
console.log(process.stdout.isTTY === undefined || process.stdout.isTTY === false);

return { ...options, rest };
