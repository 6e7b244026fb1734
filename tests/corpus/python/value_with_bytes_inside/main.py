import hashlib

files = {"a.txt": b"alpha\n", "b.txt": b""}
rows = [{"name": name, "size": len(data), "sha256": hashlib.sha256(data).digest()}
        for name, data in files.items()]
for row in rows:
    print(row["name"], row["size"], row["sha256"].hex()[:8])
rows
