import importlib.util
import json

try:
    from inhouse_json import dumps
except ImportError as error:
    print("slow json, for there is", str(error).lower(), error.name)
    dumps = json.dumps

print(dumps({"rows": 3}), importlib.util.find_spec("inhouse_frames") is None)


def totals(rows):
    import inhouse_frames as frames
    return frames.table(rows).sum()


print(totals([1, 2, 3]))
