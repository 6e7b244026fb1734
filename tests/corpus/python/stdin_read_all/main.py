import json
import sys

request = json.load(sys.stdin)
numbers = request["numbers"]
print(json.dumps({"label": request["label"], "sorted": sorted(numbers)}, ensure_ascii=False))
sum(numbers)
