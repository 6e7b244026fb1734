const { Transform } = require('stream');

let characters = 0;
process.stdin.setEncoding('utf8');
const upper = new Transform({
  decodeStrings: false,
  transform(text, _encoding, done) {
    characters += text.length;
    done(null, text.toUpperCase());
  },
  flush(done) {
    console.error(`read ${characters} characters`);
    done();
  },
});
process.stdin.pipe(upper).pipe(process.stdout);
