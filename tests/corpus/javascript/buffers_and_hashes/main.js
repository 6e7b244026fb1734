const { createHash, createHmac } = require('crypto');

const text = Buffer.from('héllo');
console.log(text.toString('hex'), text.toString('base64'), text.length, 'héllo'.length);
console.log(createHash('sha256').update('').digest('hex').slice(0, 16));
console.log(createHmac('md5', 'key').update('message').digest('hex'));

const packet = Buffer.alloc(12);
packet.writeUInt16BE(0xcafe, 0);
packet.writeInt32LE(-2, 2);
packet.writeFloatBE(1.5, 6);
console.log([...packet].map((byte) => byte.toString(16).padStart(2, '0')).join(' '));
console.log(packet.readUInt16BE(0).toString(16), packet.readInt32LE(2), packet.readFloatBE(6));
console.log(Buffer.compare(Buffer.from('a'), Buffer.from('b')), text.subarray(1, 3).toString());
console.log(Buffer.from([0xff, 0xfe, 0x41]).toString('utf8') === '\ufffd\ufffdA');
console.log(new TextDecoder('utf-16le').decode(Uint8Array.of(0x16, 0x4e, 0x4c, 0x75)));

return [text.toString('hex'), text.toString('base64'), text.byteLength];
