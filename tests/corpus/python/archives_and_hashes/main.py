import base64
import gzip
import hashlib
import io
import tarfile
import zipfile

payload = b"".join(f"line {number}\n".encode() for number in range(500))
digest = hashlib.sha256(payload).hexdigest()
print(len(payload), digest[:16], hashlib.md5(payload).hexdigest()[:8])

with zipfile.ZipFile("bundle.zip", "w", zipfile.ZIP_DEFLATED) as bundle:
    bundle.writestr("data/lines.txt", payload)
    bundle.writestr("ünïcode.txt", "ok")
with zipfile.ZipFile("bundle.zip") as bundle:
    print(bundle.namelist(), bundle.testzip())
    assert hashlib.sha256(bundle.read("data/lines.txt")).hexdigest() == digest

with gzip.open("lines.gz", "wb") as handle:
    handle.write(payload)
with gzip.open("lines.gz", "rt") as handle:
    print(sum(1 for _ in handle), "lines")

buffer = io.BytesIO()
with tarfile.open(fileobj=buffer, mode="w:xz") as archive:
    info = tarfile.TarInfo("lines.txt")
    info.size = len(payload)
    archive.addfile(info, io.BytesIO(payload))
buffer.seek(0)
with tarfile.open(fileobj=buffer) as archive:
    print(archive.getnames(), archive.extractfile("lines.txt").read() == payload)

text = base64.b64encode(payload[:12]).decode()
print(text, base64.b64decode(text) == payload[:12], base64.b32encode(b"hi").decode())
