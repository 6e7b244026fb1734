const fs = require('fs');
const path = require('path');

fs.mkdirSync('lib');
const files = {
  'lib/index.js': "module.exports = { ...require('./counter'), config: require('./config') };",
  'lib/config.json': '{"limit": 3}',
  'lib/counter.js': `
    const path = require('path');
    console.log('counter is loaded', require.main === module, path.basename(__dirname));
    let count = 0;
    exports.next = () => (count += 1);`,
  'lib/even.js': `
    exports.isEven = (n) => n === 0 || require('./odd').isOdd(n - 1);`,
  'lib/odd.js': `
    const { isEven } = require('./even');
    exports.isOdd = (n) => n !== 0 && isEven(n - 1);`,
  'lib/broken.js': 'exports.list = [1, 2;',
};
for (const [name, text] of Object.entries(files)) fs.writeFileSync(name, text);

const { next, config } = require('./lib');
console.log(next(), next(), config.limit, require('./lib').next === next);
console.log(require('./lib/even').isEven(10), require('./lib/odd').isOdd(10));

const counter = require.resolve('./lib/counter');
delete require.cache[counter];
console.log(path.basename(counter), require('./lib/counter.js').next(), next());

for (const name of ['./missing', './lib/broken', 'no-such-package']) {
  try {
    require(name);
  } catch (error) {
    console.log(error.name, error.code);
  }
}
console.log(require.main === module, path.basename(__filename), typeof exports, this === module.exports);
return Object.keys(require.cache).map((name) => path.relative(__dirname, name)).sort();
