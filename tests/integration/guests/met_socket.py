# Which network this is, and what of another's can be found in it: argv[1] is an abstract name.
import json
import os
import socket
import sys

with open("/proc/net/unix") as file:
    seen = file.read().splitlines()[1:]
try:
    socket.socket(socket.AF_UNIX).connect("\0" + sys.argv[1])
    seen.append("connected")
except OSError:
    pass
print(json.dumps({"network": os.readlink("/proc/self/ns/net"), "seen": seen}))
