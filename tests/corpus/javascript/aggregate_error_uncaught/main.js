const mirrors = {
  north: async () => { throw new Error('north is closed'); },
  south: async () => { throw new TypeError('south speaks no http'); },
  east: async () => 'package from east',
};

async function download(names) {
  try {
    return await Promise.any(names.map((name) => mirrors[name]()));
  } catch ({ name, message, errors }) {
    console.log(name, errors.map((error) => error.message));
    console.log(message);
    throw new AggregateError(errors, `none of ${names.length} mirrors answered`);
  }
}

console.log(await download(['north', 'south', 'east']));
process.on('exit', (code) => console.log('exit', code));
await download(['south', 'north']);
console.log('never printed');
