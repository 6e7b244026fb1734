# Looks for anything of the host: files named as arguments, variables, descriptors, processes.
import json
import os
import sys


def content(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError as error:
        return "errno " + str(error.errno)


def descriptors():
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            found[name] = os.readlink("/proc/self/fd/" + name)
        except OSError:
            pass  # the one that lists the directory
    return found


print(json.dumps({
    "files": {path: content(path) for path in sys.argv[1:]},
    "environment": dict(os.environ),
    "descriptors": descriptors(),
    "processes": sorted(int(name) for name in os.listdir("/proc") if name.isdigit()),
    "host": os.uname().nodename,
    "mounts": content("/proc/self/mountinfo"),
    "homes": [path for path in ("/root", "/home", "/run", "/var/lib", "/var/run", "/sys", "/boot")
              if os.path.exists(path)],
    "passwd": content("/etc/passwd"),
    "shadow": content("/etc/shadow"),
    "machine_id": content("/etc/machine-id"),
}))
