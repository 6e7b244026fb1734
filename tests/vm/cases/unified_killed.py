"""Lazaret is killed at many points of a run that has a cgroup."""

import time

from bed import check, command, equal, lazaret, left_cgroups, processes, start, until

MARK = "killed-4712"
POINTS = 26


def killed_after(seconds):
    """What it has left of cgroups, once all that it had started is gone."""
    running = start("exec", "--json", "--no-daemon", "--", "sh", "-c", "sleep 0.3; echo over", MARK)
    time.sleep(seconds)
    running.kill()
    running.communicate(timeout=30)
    until(lambda: not processes(MARK), "its program lives on")
    return left_cgroups()


def LeavesNothingAtAnyPointOnceTheNextComes():
    began = time.monotonic()
    equal(command("sh", "-c", "sleep 0.3; echo over").code, 0)
    whole = time.monotonic() - began
    left = [bool(killed_after(whole * point / POINTS)) for point in range(POINTS)]
    check(any(left), "nothing was left at any point: this case proves nothing")
    equal(lazaret("gc").code, 0)
    equal(left_cgroups(), [])
