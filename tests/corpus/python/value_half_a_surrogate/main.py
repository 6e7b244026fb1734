name = b"caf\xe9.txt".decode("utf-8", "surrogateescape")
print(ascii(name), name.encode("utf-8", "surrogateescape"))
{"name": name}
