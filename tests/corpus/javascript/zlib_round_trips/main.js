const { Readable } = require('stream');
const { promisify } = require('util');
const zlib = require('zlib');

const text = Buffer.from('the quick brown fox jumps over the lazy dog, ünï 漢字\n'.repeat(400));
const pairs = [['gzip', 'gunzip'], ['deflate', 'inflate'], ['deflateRaw', 'inflateRaw'],
  ['brotliCompress', 'brotliDecompress'], ['gzip', 'unzip'], ['deflate', 'unzip']];
for (const [pack, unpack] of pairs) {
  const packed = await promisify(zlib[pack])(text);
  const back = await promisify(zlib[unpack])(packed);
  console.log(pack, unpack, packed.length * 20 < text.length, back.equals(text));
}

const hello = Buffer.from('H4sIAAAAAAACA8tIzcnJVyjPL8pJAQCFEUoNCwAAAA==', 'base64');
console.log(zlib.gunzipSync(hello).toString(), hello.readUInt16BE(0).toString(16));

const damaged = zlib.gzipSync(text);
damaged[damaged.length - 6] ^= 0xff;
const cases = {
  'wrong check sum': () => zlib.gunzipSync(damaged),
  'cut short': () => zlib.gunzipSync(hello.subarray(0, 15)),
  'not packed': () => zlib.gunzipSync(Buffer.from('hello world')),
  'too much': () => zlib.gunzipSync(zlib.gzipSync(text), { maxOutputLength: 1000 }),
};
for (const [name, attempt] of Object.entries(cases)) {
  try {
    attempt();
    console.log(name, 'is fine');
  } catch (error) {
    console.log(`${name}: ${error.code}`);
  }
}

const dictionary = Buffer.from('the quick brown fox');
const packed = zlib.deflateSync('the quick brown fox, again', { dictionary });
console.log(zlib.inflateSync(packed, { dictionary }).toString());

function* pieces(buffer, size) {
  for (let at = 0; at < buffer.length; at += size) yield buffer.subarray(at, at + size);
}
let bytes = 0;
for await (const chunk of Readable.from(pieces(zlib.gzipSync(text), 7)).pipe(zlib.createGunzip())) {
  bytes += chunk.length;
}
return { bytes, same: bytes === text.length };
