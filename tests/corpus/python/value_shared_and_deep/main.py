tree = {"leaf": [1, 2.5, None, "ü"]}
for _ in range(48):
    tree = [tree]
shared = ["again"]
print("built")
[shared, shared, {"x": shared}, tree]
