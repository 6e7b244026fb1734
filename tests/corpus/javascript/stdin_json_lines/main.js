const readline = require('readline');

async function main() {
  const times = {};
  let number = 0;
  for await (const line of readline.createInterface({ input: process.stdin })) {
    number += 1;
    try {
      const { user, ms } = JSON.parse(line);
      (times[user] ??= []).push(ms);
    } catch {
      console.error(`line ${number} is not JSON`);
    }
  }
  for (const [user, list] of Object.entries(times)) {
    console.log(user, list.length, list.reduce((a, b) => a + b) / list.length);
  }
}

main();
