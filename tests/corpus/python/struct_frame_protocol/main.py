import base64
import struct
import zlib

HEAD = struct.Struct(">2sBHI")  # magic, kind, length, checksum


def frame(kind, payload):
    return HEAD.pack(b"LZ", kind, len(payload), zlib.crc32(payload)) + payload


def frames(stream):
    view = memoryview(stream)
    while len(view) >= HEAD.size:
        magic, kind, length, checksum = HEAD.unpack_from(view)
        payload = bytes(view[HEAD.size : HEAD.size + length])
        state = "ok"
        if magic != b"LZ":
            state = "bad magic"
        elif len(payload) < length:
            state = f"cut after {len(payload)} of {length}"
        elif zlib.crc32(payload) != checksum:
            state = "damaged"
        yield kind, payload, state
        view = view[HEAD.size + length :]


reading = struct.pack("<hfB?", -2, 1.5, 255, True)
stream = bytearray(frame(1, b"123456789") + frame(2, reading) + frame(3, b"text"))
stream += frame(4, b"tail")
print(HEAD.size, len(stream), bytes(stream[:9]).hex(" "), stream[5:9].hex())
stream[stream.index(b"text")] ^= 0x20
for kind, payload, state in frames(stream[:-1]):
    print(kind, payload.hex(), state)
print(struct.unpack("<hfB?", reading), struct.calcsize("<hfB?"), struct.calcsize("=q3s"))
encoded = base64.b64encode(stream[:12])
print(encoded.decode(), base64.b64decode(encoded) == stream[:12])
print(base64.b32encode(b"hi"), base64.b85encode(b"\0\0\0\0"), base64.urlsafe_b64encode(b"\xff\xfe"))
for wrong in (lambda: struct.pack("B", 256), lambda: struct.unpack(">I", b"abc")):
    try:
        wrong()
    except struct.error:
        print("refused")
