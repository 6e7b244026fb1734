import json
import signal
import sys
import time

done = {"items": 0}


def save(number, frame):
    with open("checkpoint.json", "w") as handle:
        json.dump(done, handle)
    with open("checkpoint.json") as handle:
        print("saved checkpoint:", json.load(handle) == done, flush=True)
    sys.exit(7)


signal.signal(signal.SIGTERM, save)
print("working", flush=True)
while True:
    done["items"] += 1
    time.sleep(0.05)
