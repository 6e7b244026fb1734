"""A machine that systemd runs, and an ordinary user with a service manager of his own: it is asked
for a scope, and the user's boxes are held by cgroups as root's are."""

import contextlib
import functools
import os
import pathlib
import signal
import subprocess
import time

from bed import (ALL_HELD, CGROUPS, USER, begin, check, command, equal, finish, lazaret,
                 left_cgroups, prediction_is_true, processes, python, start, until)
from unified_root import BOMB, HOG

HELD = ("memory", "swap", "cpu", "pids")
# A user's manager has no io controller to hand out: the rate of disks is not limited.
ALL_A_USER_HAS = (ALL_HELD[0], ALL_HELD[1].replace(",disk", ""))
SOCKET = pathlib.Path(f"/run/user/{USER.uid}/systemd/private")
MANAGED = CGROUPS / f"user.slice/user-{USER.uid}.slice/user@{USER.uid}.service"
LIBRARY = pathlib.Path("/usr/lib/x86_64-linux-gnu/libsystemd.so.0")


def patiently(case):
    """Half a second may be too short for a manager that is emulated on a busy machine: then a run
    does without a scope, as it must, and the case is tried again."""

    @functools.wraps(case)
    def tried():
        for _ in range(4):
            try:
                return case()
            except AssertionError as problem:
                print(f"tried again: {str(problem)[:200]}")
                nothing_is_left()
        return case()
    return tried


def is_managed():
    """The user's manager is started by the login manager, for a user who lingers."""
    until(SOCKET.is_socket, "the user has no service manager")


def by_manager(*words):
    """What a client of the user's manager prints."""
    environment = {"PATH": "/usr/bin", "HOME": "/tmp", "XDG_RUNTIME_DIR": str(SOCKET.parents[1])}
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, cwd="/tmp",
                          preexec_fn=USER.become, env=environment).stdout


def scopes():
    """Units of Lazaret's that the managers know."""
    listed = [by_manager("systemctl", *whose, "list-units", "--all", "--plain", "--no-legend")
              for whose in (["--user"], ["--system"])]
    return [line for line in "".join(listed).splitlines() if "lazaret-" in line]


def nothing_is_left():
    until(lambda: not scopes(), f"{scopes()} left")
    until(lambda: not left_cgroups(), f"{left_cgroups()} left")


def cgroup_of(pid):
    return pathlib.Path(f"/proc/{pid}/cgroup").read_text()


@contextlib.contextmanager
def away(path):
    aside = path.with_name("aside")
    path.rename(aside)
    try:
        yield
    finally:
        aside.rename(path)


def degrades_saying(words):
    answer = command("true", by=USER)
    equal((answer.code, answer.evidence["cpu"]["status"]), (0, "partial"), answer)
    check(words in answer.evidence["cpu"]["applied"], answer)
    equal(answer.result["stderr"], "", answer)


@patiently
def HoldsAnOrdinaryUsersBoxInAScope_L46():
    is_managed()
    answer = command("true", options=ALL_A_USER_HAS, by=USER)
    equal(answer.code, 0, answer)
    equal(answer.evidence["disk"]["status"], "partial", answer)
    equal(set(answer.statuses(*HELD).values()), {"enforced"}, answer)
    equal(answer.evidence["memory"]["verified_by"], "cgroup files", answer)
    equal(answer.result["meta"]["usage"]["source"], "cgroup", answer)


def LeavesNoUnitAndNoCgroup_L49():
    nothing_is_left()


@patiently
def GetsMemoryLimitByCounters_P15():
    equal(python(HOG, "--memory", "64MiB", by=USER).cause, "memory_limit")


@patiently
def GetsPidsLimitByCounters_P51():
    equal(python(BOMB, "--pids", "16", by=USER).cause, "pids_limit")


@patiently
def PutsTheBoxBeneathTheUsersManagerAndLeavesTheCallerWhereHeIs():
    process = begin("4401", by=USER)
    try:
        equal(cgroup_of(process.pid), cgroup_of(os.getpid()))
        until(lambda: any(f"/user@{USER.uid}.service/app.slice/lazaret-" in cgroup_of(pid)
                          for pid in processes("4401") if pid != process.pid),
              "the box is not beneath its user's manager")
        equal(len(scopes()), 1, scopes())
    finally:
        process.send_signal(signal.SIGTERM)
        finish(process)
    nothing_is_left()


@patiently
def LeavesNothingWhenLazaretIsKilled_P04_L49():
    process = begin("4402", by=USER)
    process.send_signal(signal.SIGKILL)
    finish(process)
    until(lambda: not processes("4402"), "the program outlives Lazaret")
    nothing_is_left()


@patiently
def HoldsRunsAtOnceInScopesOfTheirOwn():
    both = []
    for count in (1, 2):
        both.append(start("exec", "--json", *ALL_A_USER_HAS, "--", "sleep", "10", by=USER))
        until(lambda: len(scopes()) == count, f"{scopes()}")
    for answer in [finish(process) for process in both]:
        equal(answer.cause, "exited", answer)


@patiently
def LetsDoctorSayWhereBoxesGetTheirCgroups_L52():
    text = lazaret("doctor", by=USER).stdout
    check(f"[!] Cgroups delegation: boxes beneath {MANAGED}/app.slice/lazaret-" in text, text)
    check(".scope, without: io\n" in text, text)
    check("fix: sudo systemctl edit user@.service, with: [Service] Delegate=" in text, text)


@patiently
def LetsDoctorSayWhatARunWillShow_P48():
    prediction_is_true(by=USER)


def DegradesWithTheReasonWhereNoManagerAnswers_L47():
    with away(SOCKET):
        degrades_saying(f"asked for a scope: {SOCKET}: ")


def DegradesWithTheReasonWithoutTheLibrary_L47():
    with away(LIBRARY.resolve()):
        degrades_saying("asked for a scope: libsystemd.so.0 is not installed")


def DoesNotWaitLongForAManagerThatIsSilent_L47():
    manager = int(subprocess.run(["systemctl", "show", "-P", "MainPID", f"user@{USER.uid}"],
                                 capture_output=True, text=True, check=True).stdout)
    os.kill(manager, signal.SIGSTOP)
    try:
        began = time.monotonic()
        degrades_saying("asked for a scope: deadline passed")
        check(time.monotonic() - began < 5, "it has waited for long")
    finally:
        os.kill(manager, signal.SIGCONT)


def AsksNobodyInsideOfADelegatedScope():
    text = by_manager("systemd-run", "--user", "--scope", "--unit=handed", "-pDelegate=yes",
                      "lazaret", "doctor")
    check(f"boxes beneath {MANAGED}/app.slice/handed.scope, without: io\n" in text, text)


@patiently
def AsksForAScopeWhereTheManagerHasTheSay():
    """The user could write to app.slice; his manager could take the controllers back."""
    text = by_manager("systemd-run", "--user", "--scope", "--unit=plain", "sh", "-c",
                      "lazaret doctor; true")
    check(f"boxes beneath {MANAGED}/app.slice/lazaret-" in text, text)


@patiently
def AsksTheSystemsManagerForRoot():
    """Root could write to system.slice, of which the manager takes back what it has not given."""
    answer = command("true", options=ALL_HELD)
    equal(answer.code, 0, answer)
    text = lazaret("doctor").stdout
    check(f"boxes beneath {CGROUPS}/system.slice/lazaret-" in text, text)


def AsksNobodyForRootInsideOfADelegatedScope():
    text = subprocess.run(["systemd-run", "--scope", "--unit=handed", "-pDelegate=yes", "lazaret",
                           "doctor"], stdout=subprocess.PIPE, text=True, check=True).stdout
    check(f"boxes beneath {CGROUPS}/system.slice/handed.scope\n" in text, text)


def LeavesNothingAnywhere_L49():
    nothing_is_left()
