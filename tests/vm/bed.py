"""bed.py MACHINE: runs the cases of one machine, inside it, as its root.

Every function in cases/MACHINE*.py whose name begins with a capital is a case: it passes when it
returns. The results go to the second serial port, one JSON object a line; the last one is
{"end": true}.
"""

import contextlib
import importlib.util
import inspect
import json
import os
import pathlib
import subprocess
import sys
import time
import traceback
from dataclasses import dataclass

CGROUPS = pathlib.Path("/sys/fs/cgroup")
BOUND_SECONDS = 30


@dataclass(frozen=True)
class Caller:
    """Who starts a program, and in which cgroup it sits from its first instruction."""

    uid: int = 0
    cgroup: pathlib.Path | None = None

    def become(self):
        if self.cgroup:
            (self.cgroup / "cgroup.procs").write_text("0")
        if self.uid:
            os.setgroups([])
            os.setgid(self.uid)
            os.setuid(self.uid)


ROOT = Caller()
USER = Caller(uid=1000)


class Answer:
    """What one call of lazaret said."""

    def __init__(self, code, stdout, stderr):
        self.code, self.stdout, self.stderr = code, stdout, stderr

    def __str__(self):
        return f"status {self.code}\n{self.stdout[-4000:]}\n{self.stderr[-2000:]}"

    @property
    def result(self):
        return json.loads(self.stdout)

    @property
    def cause(self):
        return self.result["meta"]["cause"]

    @property
    def evidence(self):
        return {row["control"]: row for row in self.result["meta"]["evidence"]}

    @property
    def native(self):
        """Of doctor: what it says about this backend."""
        return next(row for row in self.result["backends"] if row["name"] == "native")

    def statuses(self, *controls):
        return {control: self.evidence[control]["status"] for control in controls}


# Every control but Landlock, of which this kernel has version 2: partial (P-57).
ALL_HELD = ("--require", "network,filesystem,privileges,groups,timeout,syscalls,processes,ipc,"
            "hostname,cgroup_view,memory,swap,cpu,pids,open_files,file_size,core_dumps,disk,"
            "environment")


def settings():
    """What a case has set of lazaret's own, and what it wants loaded into it."""
    return {name: value for name, value in os.environ.items()
            if name.startswith("LAZARET_") or name == "LD_PRELOAD"}


@contextlib.contextmanager
def fault(file, how):
    """One cgroup file fails lazaret; cgroup_faults.c says in which ways."""
    os.environ.update(LD_PRELOAD="/vm/faults.so", LAZARET_TEST_FAULT=f"{file}:{how}")
    try:
        yield
    finally:
        del os.environ["LD_PRELOAD"], os.environ["LAZARET_TEST_FAULT"]


def start(*words, by=ROOT):
    return subprocess.Popen(["lazaret", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, preexec_fn=by.become,
                            env={"PATH": "/usr/bin", "HOME": "/tmp", **settings()}, cwd="/tmp")


def finish(process):
    try:
        stdout, stderr = process.communicate(timeout=BOUND_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return Answer(process.returncode, stdout, stderr)


def lazaret(*words, by=ROOT):
    return finish(start(*words, by=by))


def python(code, *options, by=ROOT):
    return lazaret("run", "--json", "--type", "local", *options, "--lang", "python", "-c", code,
                   by=by)


def command(*words, options=(), by=ROOT):
    return lazaret("exec", "--json", "--type", "local", *options, "--", *words, by=by)


def prediction_is_true(by=ROOT):
    """What doctor says of each control is what the next run says of it."""
    rows = lazaret("doctor", "--json", by=by).native["evidence"]
    doctor = {row["control"]: (row["status"], row["applied"]) for row in rows}
    run = {control: (row["status"], row["applied"])
           for control, row in command("true", by=by).evidence.items()}
    equal(doctor, run)


def check(holds, words):
    if not holds:
        raise AssertionError(str(words))


def equal(seen, wanted, words=""):
    check(seen == wanted, f"{seen!r} is not {wanted!r}\n{words}")


def until(holds, words, seconds=10):
    """Polls what nothing announces."""
    end = time.monotonic() + seconds
    while not holds():
        check(time.monotonic() < end, words)
        time.sleep(0.02)


@contextlib.contextmanager
def directories(*paths):
    """Cgroups for one case; empty again at its end."""
    for path in paths:
        path.mkdir()
    try:
        yield
    finally:
        for path in paths:
            path.rmdir()


@contextlib.contextmanager
def sleeper(cgroup):
    """A process that does nothing, in this cgroup."""
    with subprocess.Popen(["sleep", "4000"], preexec_fn=Caller(cgroup=cgroup).become) as process:
        try:
            yield process
        finally:
            process.kill()


def processes(marker):
    """Numbers of those that have this word among their arguments."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if marker.encode() in words:
            found.append(int(entry.name))
    return found


def left_cgroups():
    """Those that Lazaret has made and not removed; what goes meanwhile is no error to os.walk."""
    return sorted(os.path.join(place, name) for place, names, _ in os.walk(CGROUPS)
                  for name in names if name.startswith("lazaret-"))


def begin(word, before=(), by=ROOT):
    """A program with this word in its box, which has a cgroup by now beside those before it. The
    word alone says little: who starts the spawner has Lazaret's arguments for a moment."""
    process = start("exec", "--json", "--", "sleep", word, by=by)
    try:
        until(lambda: len(processes(word)) > 1 and set(left_cgroups()) - set(before),
              "the program has not started")
    except AssertionError:
        process.terminate()
        raise
    return process


def functions_of(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [(name, value) for name, value in vars(module).items()
            if name[0].isupper() and inspect.isfunction(value) and value.__module__ == path.stem]


def judged(case):
    try:
        case()
    except Exception as problem:  # a case may fail in any way, and the next one must still run
        traceback.print_exc()
        return {"passed": False, "words": f"{type(problem).__name__}: {problem}"}
    return {"passed": True, "words": ""}


def main():
    machine = sys.argv[1]
    folder = pathlib.Path(__file__).parent / "cases"
    sys.path.append(str(folder))
    with open("/dev/ttyS1", "w", buffering=1, encoding="utf-8") as results:
        for path in sorted(folder.glob(f"{machine}*.py")):
            for name, case in functions_of(path):
                began = time.monotonic()
                row = {"case": f"{path.stem}.{name}", **judged(case)}
                row["seconds"] = round(time.monotonic() - began, 2)
                print(json.dumps(row))
                print(json.dumps(row), file=results)
        print('{"end": true}', file=results)


if __name__ == "__main__":
    sys.modules["bed"] = sys.modules["__main__"]  # one module, however it is called
    main()
