import hashlib
import sys

digest, size, lines = hashlib.sha256(), 0, 0
while chunk := sys.stdin.buffer.read(65536):
    digest.update(chunk)
    size += len(chunk)
    lines += chunk.count(b"\n")

expected = hashlib.sha256(b"0123456789abcdefghijklmnopqrstuvwxyz\n" * 16216).hexdigest()
print(size, "bytes", lines, "lines")
print("digest matches:", digest.hexdigest() == expected)
