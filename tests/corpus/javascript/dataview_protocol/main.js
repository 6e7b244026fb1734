const KINDS = ['ping', 'text', 'move'];
const MAGIC = 0xbeef;

const bodies = {
  ping: () => new Uint8Array(),
  text: ({ text }) => new TextEncoder().encode(text),
  move({ x, y, id }) {
    const view = new DataView(new ArrayBuffer(20));
    view.setFloat32(0, x);
    view.setFloat64(4, y, true);
    view.setBigUint64(12, BigInt(id));
    return new Uint8Array(view.buffer);
  },
};
const readers = {
  ping: () => ({}),
  text: (view) => ({ text: new TextDecoder('utf-8', { fatal: true }).decode(view) }),
  move: (view) => ({ x: view.getFloat32(0), y: view.getFloat64(4, true), id: String(view.getBigUint64(12)) }),
};

function encode(message) {
  const body = bodies[message.kind](message);
  const frame = new Uint8Array(5 + body.length);
  const head = new DataView(frame.buffer);
  head.setUint16(0, MAGIC);
  head.setUint8(2, KINDS.indexOf(message.kind));
  head.setUint16(3, body.length, true);
  frame.set(body, 5);
  return frame;
}

function decode(buffer) {
  const messages = [];
  for (let at = 0; at < buffer.byteLength;) {
    const head = new DataView(buffer, at);
    if (head.getUint16(0) !== MAGIC) throw new Error(`no frame at ${at}`);
    const kind = KINDS[head.getUint8(2)];
    const body = new DataView(buffer, at + 5, head.getUint16(3, true));
    messages.push({ kind, ...readers[kind](body) });
    at += 5 + body.byteLength;
  }
  return messages;
}

const frames = [{ kind: 'ping' }, { kind: 'text', text: 'né' },
  { kind: 'move', x: 1.5, y: -2.25, id: '9007199254740993' }].map(encode);
for (const frame of frames) console.log(Buffer.from(frame).toString('hex'));

const bytes = Uint8Array.from(frames.flatMap((frame) => [...frame]));
const broken = [bytes.slice(0, 36), bytes.slice(1), bytes.slice(0, 1),
  bytes.map((byte) => (byte === 0xc3 ? 0xff : byte))];
for (const part of broken) {
  try {
    console.log('never printed', decode(part.buffer));
  } catch (error) {
    console.log(error.name);
  }
}
console.log(Uint8ClampedArray.of(300, -5, 1.5, 2.5).join(), Int8Array.of(200)[0], Float32Array.of(0.1)[0] === 0.1);
return decode(bytes.buffer);
