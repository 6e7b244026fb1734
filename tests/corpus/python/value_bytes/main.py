import zlib

text = b"abcabcabcabca"
packed = zlib.compress(text)
assert zlib.decompress(packed) == text
print(len(text), "bytes")
packed
