# Runs one program without any box, as far as it goes in a few seconds, and prints what was seen of
# it from outside: {"exit", "signal", "overdue", "seconds", "stdout", "survivors"}.
#   argv: word for the program, seconds, program text
import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

MARKER, SECONDS, CODE = sys.argv[1], float(sys.argv[2]), sys.argv[3]
MOST_OUTPUT = 1 << 20

ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: whatever it leaves comes to us
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


def descendants():
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/" + name + "/stat") as file:
                    fields = file.read().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(name)] = (int(fields[1]), fields[0])
    found, more = set(), {os.getpid()}
    while more:
        more = {pid for pid, (parent, _) in parents.items() if parent in more} - found
        found |= more
    return [pid for pid in found if parents[pid][1] != "Z"]


def end_all():
    while True:
        left = descendants()
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            if not left:
                return


def output_until_end(program, until):
    text = b""
    while select.select([program.stdout], [], [], max(0, until - time.monotonic()))[0]:
        part = os.read(program.stdout.fileno(), 65536)
        if not part:
            break
        text = (text + part)[:MOST_OUTPUT]
    return text


def run():
    began = time.monotonic()
    program = subprocess.Popen([sys.executable, "-c", CODE, MARKER], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text = output_until_end(program, began + SECONDS)
    try:
        program.wait(max(0.05, began + SECONDS - time.monotonic()))
    except subprocess.TimeoutExpired:
        pass
    code = program.poll()
    seconds = time.monotonic() - began
    survivors = [pid for pid in descendants() if pid != program.pid]
    return {"exit": code if code is not None and code >= 0 else -1,
            "signal": -code if code is not None and code < 0 else 0,
            "overdue": code is None, "seconds": seconds, "survivors": len(survivors),
            "stdout": text.decode("utf-8", "replace")}


folder = tempfile.mkdtemp(prefix="lazaret-selftest-")
try:
    os.chdir(folder)
    print(json.dumps(run()))
finally:
    end_all()
    shutil.rmtree(folder, ignore_errors=True)
