"""The daemon where boxes have cgroups: what it made ahead goes with it, and a session's box is not
ended for one of its programs."""

import contextlib
import os
import pathlib
import signal

from bed import check, equal, finish, lazaret, left_cgroups, start, until
from unified_killed import rows, stands_in_a_row
from unified_root import HOG

SOCKET = "/tmp/own/lazaret.sock"


@contextlib.contextmanager
def serving(ready=""):
    os.environ.update(LAZARET_SOCKET=SOCKET, LAZARET_POOL_READY=ready)
    daemon = start("serve", "--type", "local", "--socket", SOCKET)
    try:
        until(lambda: pathlib.Path(SOCKET).exists(), "the daemon does not listen")
        yield daemon
    finally:
        daemon.terminate()
        finish(daemon)
        del os.environ["LAZARET_SOCKET"], os.environ["LAZARET_POOL_READY"]


def rows_of(daemon):
    return [name for _, name in rows() if name.startswith(f"lazaret-{daemon.pid}-")]


def AKilledOneLeavesNothingOnceTheNextHasCome_P45_L49():
    with serving("python:2,bash") as daemon:
        until(lambda: len(left_cgroups()) >= 3, "no boxes are made ahead")
        daemon.send_signal(signal.SIGKILL)
        daemon.wait(10)
        left = left_cgroups()
        check(left, "nothing was left: this case proves nothing")
        equal([cgroup for cgroup in left if not stands_in_a_row(cgroup)], [], rows())
    pathlib.Path(SOCKET).unlink(missing_ok=True)
    with serving():
        until(lambda: not set(left) & set(left_cgroups()) and not rows_of(daemon),
              "the next has not looked around")
    equal((left_cgroups(), rows()), ([], []))


def session(*words):
    return lazaret("session", *words)


def oom_groups():
    """Of all boxes: one that is only looked at by the daemon may go meanwhile."""
    for cgroup in left_cgroups():
        with contextlib.suppress(OSError):
            yield pathlib.Path(cgroup, "memory.oom.group").read_text()


def ASessionOutlivesAProgramThatTakesItsMemory_P15():
    with serving():
        place = session("new", "-q", "-l", "python", "--memory", "64MiB").stdout.split()[0]
        until(lambda: "0\n" in oom_groups(), "the session's box ends whole")
        for _ in range(2):
            answer = session("run", "--json", place, "-c", HOG)
            equal(answer.cause, "memory_limit", answer)
            equal(session("run", "--json", place, "-c", "print(1)").result["stdout"], "1\n")
        equal(session("rm", place).code, 0)
    equal(left_cgroups(), [])
