"""Lazaret is killed at many points of a run that has a cgroup."""

import pathlib
import signal
import sqlite3
import subprocess
import time

from bed import (CGROUPS, check, command, directories, equal, fault, lazaret, left_cgroups,
                 processes, settings, start, until)

MARK = "killed-4712"
POINTS = 26
JOURNAL = pathlib.Path("/var/lib/lazaret/leases.db")


def rows():
    """Kind and name of what stands in root's lease journal."""
    if not JOURNAL.exists():
        return []
    with sqlite3.connect(JOURNAL) as journal:
        return journal.execute("SELECT kind, name FROM lease ORDER BY rowid").fetchall()


def stands_in_a_row(cgroup):
    """A row's name has a star where those of cgroups have numbers."""
    parts = pathlib.Path(cgroup).name.split("-")
    return ("cgroup", "-".join([*parts[:2], "*", *parts[3:]])) in rows()


def killed_after(seconds):
    """What it has left of cgroups, once all that it had started is gone."""
    running = start("exec", "--json", "--no-daemon", "--", "sh", "-c", "sleep 0.3; echo over", MARK)
    time.sleep(seconds)
    running.kill()
    running.communicate(timeout=30)
    until(lambda: not processes(MARK), "its program lives on")
    left = left_cgroups()
    for cgroup in left:
        check(stands_in_a_row(cgroup), f"{cgroup} is in no row: {rows()}")
    return left


def LeavesNothingAtAnyPointOnceTheNextComes():
    began = time.monotonic()
    equal(command("sh", "-c", "sleep 0.3; echo over").code, 0)
    whole = time.monotonic() - began
    left = [bool(killed_after(whole * point / POINTS)) for point in range(POINTS)]
    check(any(left), "nothing was left at any point: this case proves nothing")
    equal(lazaret("gc").code, 0)
    equal((left_cgroups(), rows()), ([], []))


def IsInTheJournalBeforeItsFirstCgroupIsThere():
    with fault("mkdir", "deadly"):
        equal(command("true").code, -signal.SIGKILL)
    equal((left_cgroups(), len(rows()), rows()[0][0]), ([], 1, "cgroup"))
    equal(command("true").code, 0)
    equal(rows(), [])


def IsClearedByItsRowWhereverItLies():
    elsewhere = CGROUPS / "elsewhere"
    with directories(elsewhere):
        with fault("mkdir", "last"):
            equal(command("true").code, -signal.SIGKILL)
        (left,) = map(pathlib.Path, left_cgroups())
        check(stands_in_a_row(left), rows())
        left.rmdir()
        moved = elsewhere / left.name
        moved.mkdir()
        equal(command("true").code, 0)
        equal((moved.exists(), rows()), (False, []))


def IsClearedThoughItRanInAnotherPidNamespace():
    with fault("mkdir", "last"):
        apart = ["unshare", "-p", "-f", "--mount-proc", "sh", "-c",
                 "lazaret exec --type local -- true; :"]
        subprocess.run(apart, env={"PATH": "/usr/bin", "HOME": "/tmp", **settings()}, check=True)
    equal((len(left_cgroups()), len(rows())), (1, 1))
    equal(lazaret("gc").code, 0)
    equal((left_cgroups(), rows()), ([], []))


def IsForgottenWithTheMachinesRun():
    machine = pathlib.Path("/etc/machine-id")
    machine.write_text("0123456789abcdef0123456789abcdef\n")
    with fault("mkdir", "deadly"):
        command("true")
    equal(len(rows()), 1)
    with sqlite3.connect(JOURNAL) as journal:
        journal.execute("UPDATE lease SET boot = 'another', namespaces = '1.1'")
    equal(lazaret("gc").code, 0)
    machine.unlink()
    equal(rows(), [])


def TellsOfAJournalThatCannotBeWritten():
    equal(command("true").code, 0)
    kept = JOURNAL.parent.rename("/var/lib/kept")
    JOURNAL.parent.touch()
    try:
        said = command("true")
        warnings = " ".join(said.result["meta"]["warnings"])
        equal(said.code, 0)
        check("lease journal" in warnings and "lazaret gc" in warnings, said)
    finally:
        JOURNAL.parent.unlink()
        kept.rename(JOURNAL.parent)
