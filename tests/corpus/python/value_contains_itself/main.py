import json


def node(name, parent=None):
    made = {"name": name, "parent": parent, "children": []}
    if parent:
        parent["children"].append(made)
    return made


root = node("root")
for name in ("left", "right"):
    node("leaf of " + name, node(name, root))
print([child["name"] for child in root["children"]], root["children"][0]["parent"] is root)
try:
    json.dumps(root)
except ValueError as error:
    print(error)
loop = [1]
loop.append(loop)
print(loop, len(str(root)) > 10)
root
