const { Readable, Transform, Writable, pipeline } = require('stream');
const { createGzip, createGunzip } = require('zlib');

const numbers = Readable.from((function* () {
  for (let n = 1; n <= 1000; n += 1) yield n;
})());

const squares = new Transform({
  objectMode: true,
  transform(n, _encoding, done) {
    if (n % 100 === 0) this.push(`${n}^2 = ${n * n}\n`);
    done();
  },
});

const chunks = [];
const sink = new Writable({
  write(chunk, _encoding, done) {
    chunks.push(chunk);
    done();
  },
});

pipeline(numbers, squares, createGzip(), createGunzip(), sink, (error) => {
  if (error) throw error;
  process.stdout.write(Buffer.concat(chunks).toString());
  console.log(`${chunks.reduce((sum, chunk) => sum + chunk.length, 0)} bytes`);
});
