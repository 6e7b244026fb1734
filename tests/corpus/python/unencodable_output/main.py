text = "cat 😀"
half = text.encode("utf-16-le")[:-2].decode("utf-16-le", "surrogatepass")
print(len(text), len(half), ascii(half))
print(half.encode("utf-8", "replace"), half.encode("utf-8", "surrogatepass")[-3:].hex())
print("joined:", (half + "\ude00").encode("utf-16", "surrogatepass").decode("utf-16") == text)
print(half)
