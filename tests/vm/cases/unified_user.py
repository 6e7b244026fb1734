"""An ordinary user: with a part of the cgroups of his own as service managers hand it out, and
without."""

import contextlib
import os
import pathlib
import signal
from dataclasses import replace

from bed import (ALL_HELD, CGROUPS, USER, begin, check, command, equal, finish, lazaret,
                 left_cgroups, prediction_is_true, processes, python, sleeper, start, until)
from unified_root import BOMB, HOG, blocks_what_needs_a_cgroup

HELD = ("memory", "swap", "cpu", "pids")
SLICE = CGROUPS / "user.slice"
DELEGATED = SLICE / "delegated"
OTHER = SLICE / "other"


def give_controllers(directory, which="+memory +cpu +pids +io"):
    (directory / "cgroup.subtree_control").write_text(which)


def delegated():
    """A directory of the user's, as systemd makes it for Delegate=yes; what is in it is gone."""
    for directory in (DELEGATED, OTHER):
        directory.mkdir(parents=True, exist_ok=True)
    for directory in (CGROUPS, SLICE):
        give_controllers(directory)
    for name in (".", "cgroup.procs", "cgroup.subtree_control", "cgroup.threads"):
        os.chown(DELEGATED / name, USER.uid, USER.uid)
    return DELEGATED


def in_scope():
    """Sits in a cgroup of its own beneath the one that was handed out."""
    scope = delegated() / "scope"
    if not scope.exists():
        scope.mkdir()
        for name in (".", "cgroup.procs", "cgroup.subtree_control", "cgroup.threads"):
            os.chown(scope / name, USER.uid, USER.uid)
    return replace(USER, cgroup=scope)


def alone():
    """Sits in the very directory that was handed out, where no child may have controllers."""
    directory = delegated()
    if (directory / "scope").exists():
        (directory / "scope").rmdir()
    (directory / "cgroup.subtree_control").write_text("-memory -cpu -pids -io")
    return replace(USER, cgroup=directory)


def undelegated():
    delegated()
    return replace(USER, cgroup=OTHER)


def is_empty(directory):
    return not [path for path in directory.iterdir() if path.is_dir()]


def IsHeldByHisOwnCgroupsInAScope():
    answer = command("true", options=ALL_HELD, by=in_scope())
    equal(answer.code, 0, answer)
    equal(set(answer.statuses(*HELD).values()), {"enforced"}, answer)


def GetsMemoryLimitInAScope_P15():
    equal(python(HOG, "--memory", "64MiB", by=in_scope()).cause, "memory_limit")


def GetsPidsLimitInAScope_P51():
    equal(python(BOMB, "--pids", "16", by=in_scope()).cause, "pids_limit")


def LeavesNothingInAScope_L49():
    caller = in_scope()
    equal(command("true", by=caller).code, 0)
    equal(left_cgroups(), [])
    check(is_empty(caller.cgroup), "something is left beside Lazaret")


def IsHeldWhenLazaretSitsInTheDelegatedDirectoryItself_P52():
    answer = command("true", options=ALL_HELD, by=alone())
    equal(answer.code, 0, answer)
    equal(set(answer.statuses(*HELD).values()), {"enforced"}, answer)


def LeavesTheDelegatedDirectoryAsItWas_P52_L49():
    """Else nobody could be put into it a second time."""
    for _ in range(2):
        equal(command("true", options=ALL_HELD, by=alone()).code, 0)
        check(is_empty(DELEGATED), sorted(DELEGATED.iterdir()))
        equal((DELEGATED / "cgroup.subtree_control").read_text().split(), [])


def GetsMemoryLimitInTheDelegatedDirectoryItself_P15():
    equal(python(HOG, "--memory", "64MiB", by=alone()).cause, "memory_limit")


def HoldsMemoryAndTasksWhereOnlyTheyAreHandedOut():
    caller = alone()
    (SLICE / "cgroup.subtree_control").write_text("-cpu")
    answer = command("true", by=caller)
    equal(answer.statuses(*HELD), {"memory": "enforced", "swap": "enforced",
                                   "cpu": "not_enforced", "pids": "enforced"}, answer)
    equal(answer.evidence["cpu"]["applied"],
          "cpu.max is missing: not delegated, or not in this kernel")
    equal(command("true", options=("--strict",), by=caller).code, 125)


def DegradesWhereOthersSitInTheDelegatedDirectory_P52():
    caller = alone()
    with sleeper(DELEGATED):
        answer = command("true", by=caller)
    equal((answer.code, answer.evidence["cpu"]["status"]), (0, "partial"), answer)
    check("other processes" in answer.evidence["cpu"]["applied"], answer)


def ClearsWhatAKilledLazaretHasLeft_L49():
    process = begin("4302", left_cgroups(), by=alone())
    process.send_signal(signal.SIGKILL)
    finish(process)
    until(lambda: not processes("4302"), "the program outlives Lazaret")
    check(left_cgroups(), "nothing was left: this case proves nothing")
    equal(command("true", options=ALL_HELD, by=in_scope()).code, 0)
    equal(left_cgroups(), [])


def RunsWithoutDelegationAndSaysWhatIsMissing_L47():
    answer = command("true", by=undelegated())
    equal(answer.code, 0, answer)
    equal(answer.statuses(*HELD), {"memory": "partial", "swap": "not_enforced",
                                   "cpu": "partial", "pids": "enforced"}, answer)
    equal(answer.result["meta"]["isolation"], "partial")
    check("Delegate=yes" in answer.evidence["cpu"]["applied"], answer)


def BlocksWhatTheBatteryMustAllowWithoutDelegation():
    blocks_what_needs_a_cgroup(in_scope())


def WarnsOnceWithoutDelegation_L47():
    answer = lazaret("exec", "--type", "local", "--", "echo", "hello", by=undelegated())
    equal((answer.code, answer.stdout), (0, "hello\n"), answer)
    equal(len(answer.stderr.splitlines()), 1, answer)
    check("memory" in answer.stderr and "cpu" in answer.stderr, answer)


def LetsDoctorSayWhatARunWithoutDelegationWillShow_P48_L52():
    prediction_is_true(by=undelegated())


def RefusesWithoutDelegationWhenAskedToBeStrict():
    answer = command("echo", "has run", options=("--strict",), by=undelegated())
    equal((answer.code, answer.cause), (125, "enforcement_mismatch"), answer)
    check("has run" not in answer.result["stdout"], answer)
    for control in ("memory", "swap", "cpu"):
        check(control in answer.result["error"]["message"], answer)


def RefusesWithoutDelegationWhatIsRequiredAndMissing():
    for control, status in (("swap", 125), ("cpu", 125), ("network", 0)):
        answer = command("true", options=("--require", control), by=undelegated())
        equal(answer.code, status, answer)


def IsHeldBackByResourceLimitsWithoutDelegation_L47():
    code = "try:\n    bytearray(300 << 20)\nexcept MemoryError:\n    print('refused')\n"
    answer = python(code, "--memory", "128MiB", by=undelegated())
    equal(answer.result["stdout"], "refused\n", answer)


@contextlib.contextmanager
def given_ids():
    """A range of ids for the user, as an administrator gives one."""
    tables = (pathlib.Path("/etc/subuid"), pathlib.Path("/etc/subgid"))
    for first, table in zip((200000, 300000), tables):
        table.write_text(f"user:{first}:65536\n")
    try:
        yield
    finally:
        for table in tables:
            table.unlink()


def privileges_in(answer):
    return answer.evidence["privileges"]["applied"]


def IsAnotherUserInNoGroupWithARangeOfIds():
    with given_ids():
        answer = command("true", options=ALL_HELD, by=in_scope())
    equal(answer.code, 0, answer)
    check("outside user 265535" in privileges_in(answer), answer)
    check("groups" not in privileges_in(answer), answer)


def IsTheUserHimselfWithoutARange():
    check("outside the caller, user 1000" in privileges_in(command("true", by=in_scope())), "")


def EndsWhatRunsAsAnotherUser_P05():
    with given_ids():
        answer = command("sleep", "4303", options=("--timeout", "1", "--grace", "0"),
                         by=in_scope())
    equal((answer.cause, answer.result["meta"]["kill"]["survivors"]), ("timeout", 0), answer)
    equal(processes("4303"), [])


def HoldsTheMemoryOfAnotherUser_P15():
    with given_ids():
        equal(python(HOG, "--memory", "64MiB", by=in_scope()).cause, "memory_limit")


def LetsDoctorSayWhereCgroupsAreAndWhatTheUserLacks_L52_L53():
    text = lazaret("doctor", by=undelegated()).stdout
    for line in ("[✓] Cgroups v2: available at /sys/fs/cgroup",
                 "[!] Cgroups delegation: limited (non-root user): ",
                 "fix: systemd-run --user --scope -p Delegate=yes lazaret …",
                 "[✓] User namespaces: available", "[✓] Seccomp: available",
                 "[!] Landlock: version 2", "[!] Subordinate ids: "):
        check(line in text, f"{line!r} is not in\n{text}")


def LetsDoctorSayWhereBoxesGetTheirCgroups_L52():
    text = lazaret("doctor", by=in_scope()).stdout
    check(f"[✓] Cgroups delegation: boxes beneath {DELEGATED}" in text, text)


def SaysOfControllersThatWereNotHandedOutWhatThatCosts_L53():
    place = in_scope()
    for controller, control, status in (("io", "disk", "partial"), ("cpu", "cpu", "not_enforced")):
        for directory in (place.cgroup, DELEGATED, SLICE):
            give_controllers(directory, "-" + controller)
        try:
            answer = command("true", by=place)
            equal((answer.code, answer.evidence[control]["status"]), (0, status), answer)
            said = lazaret("exec", "--", "true", by=place).stderr
            check(control in said, said)
            equal(command("true", options=("--require", control), by=place).code, 125, controller)
            text = lazaret("doctor", by=place).stdout
            check(f"without: {controller}\n" in text, text)
            check("fix: sudo systemctl edit user@.service, with: [Service] Delegate=" in text, text)
        finally:
            give_controllers(SLICE)
            give_controllers(DELEGATED)


def LeavesNothingAnywhere_L49():
    equal(left_cgroups(), [])
