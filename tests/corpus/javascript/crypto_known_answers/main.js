const crypto = require('crypto');
const hex = (text) => Buffer.from(text, 'hex');

console.log(crypto.createHash('sha256').update('a').update('bc').digest('hex'));
console.log(crypto.createHmac('sha256', 'Jefe').update('what do ya want for nothing?').digest('hex'));
console.log(crypto.pbkdf2Sync('password', 'salt', 2, 20, 'sha1').toString('hex'));
console.log(crypto.scryptSync('', '', 32, { N: 16, r: 1, p: 1 }).toString('hex'));

function seal(key, iv, text, aad = Buffer.alloc(0)) {
  const cipher = crypto.createCipheriv(`aes-${key.length * 8}-gcm`, key, iv).setAAD(aad);
  const body = Buffer.concat([cipher.update(text), cipher.final()]);
  return { body, tag: cipher.getAuthTag() };
}

function open(key, iv, { body, tag }, aad = Buffer.alloc(0)) {
  const decipher = crypto.createDecipheriv(`aes-${key.length * 8}-gcm`, key, iv).setAAD(aad);
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(body), decipher.final()]);
}

const zeros = seal(Buffer.alloc(16), Buffer.alloc(12), Buffer.alloc(16));
console.log(zeros.body.toString('hex'), zeros.tag.toString('hex'));

const [key, iv, aad] = [Buffer.alloc(32, 7), Buffer.alloc(12, 9), Buffer.from('header')];
const letter = seal(key, iv, 'meet me at nine', aad);
console.log(open(key, iv, letter, aad).toString(), letter.body.length, letter.tag.length);
for (const [name, attempt] of Object.entries({
  'changed text': () => open(key, iv, { ...letter, body: Buffer.alloc(15) }, aad),
  'changed header': () => open(key, iv, letter, Buffer.from('Header')),
  'short key': () => open(Buffer.alloc(16), iv, letter, aad),
})) {
  try {
    console.log(name, attempt().length);
  } catch {
    console.log(name, 'is refused');
  }
}

const seed = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
const der = hex(`302e020100300506032b657004220420${seed}`);
const secret = crypto.createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
const signature = crypto.sign(null, Buffer.alloc(0), secret);
const verified = crypto.verify(null, Buffer.alloc(0), crypto.createPublicKey(secret), signature);
console.log(signature.subarray(0, 16).toString('hex'), verified);
console.log(crypto.timingSafeEqual(hex('00ff'), hex('00ff')), /^[\da-f-]{36}$/.test(crypto.randomUUID()));
return [...new Uint8Array(await crypto.webcrypto.subtle.digest('SHA-1', Buffer.from('abc')))].slice(0, 4);
