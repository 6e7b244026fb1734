import bz2
import io
import lzma
import zlib

TEXT = b"".join(b"%d green bottles, standing on the wall\n" % n for n in range(2000, 0, -1))


def pieces(data, size):
    view = memoryview(data)
    for start in range(0, len(data), size):
        yield view[start : start + size]


def packed(compressor):
    return b"".join(compressor.compress(piece) for piece in pieces(TEXT, 4096)) + compressor.flush()


def unpacked(decompressor, data):
    out = bytearray()
    for piece in pieces(data[:-20], 100):
        out += decompressor.decompress(piece)
    return bytes(out + decompressor.decompress(data[-20:]))


KINDS = {
    "zlib": (lambda: zlib.compressobj(9), zlib.decompressobj, b"x\xda"),
    "bz2": (lambda: bz2.BZ2Compressor(5), bz2.BZ2Decompressor, b"BZh5"),
    "xz": (lambda: lzma.LZMACompressor(preset=1), lzma.LZMADecompressor, b"\xfd7zXZ\0"),
}
print(len(TEXT), f"{zlib.crc32(TEXT) == zlib.crc32(TEXT[9:], zlib.crc32(TEXT[:9]))}")
for name, (compressor, decompressor, magic) in KINDS.items():
    data = packed(compressor())
    reader = decompressor()
    whole = unpacked(reader, data + b"extra")
    damaged = data[:-1] + bytes([data[-1] ^ 0x80])
    try:
        verdict = "kept" if unpacked(decompressor(), damaged) == TEXT else "changed"
    except (zlib.error, OSError, lzma.LZMAError):
        verdict = "refused"
    print(name, data.startswith(magic), len(data) < len(TEXT) / 8, whole == TEXT,
          reader.eof, reader.unused_data, verdict)

half = zlib.decompressobj()
print(half.decompress(zlib.compress(TEXT), 12), half.eof, len(half.unconsumed_tail) > 0)
print(bz2.decompress(bz2.compress(b"one ") + bz2.compress(b"two")))
with lzma.open(io.BytesIO(lzma.compress(TEXT)), "rt") as stream:
    print(stream.readline().strip(), sum(1 for _ in stream))
print(zlib.adler32(b"Wikipedia"), zlib.crc32(b"123456789"))
try:
    lzma.decompress(lzma.compress(TEXT)[:-20])
except lzma.LZMAError:
    print("cut short")
