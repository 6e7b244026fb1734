"""User namespaces refused: nothing runs, and the answer says what to do."""

import contextlib
import pathlib

from bed import ALL_HELD, ROOT, USER, check, command, equal, lazaret

SYSCTL = pathlib.Path("/proc/sys")


@contextlib.contextmanager
def setting(name, value):
    path = SYSCTL / name.replace(".", "/")
    before = path.read_text()
    path.write_text(value)
    try:
        yield
    finally:
        path.write_text(before)


def refused(caller, name, value):
    """Nothing has run, and the way out names the setting."""
    with setting(name, value):
        answer = command("echo", "has run", by=caller)
        doctor = lazaret("doctor", "--json", by=caller)
    equal((answer.code, answer.cause), (125, "backend_unavailable"), answer)
    equal(answer.result["stdout"], "")
    words = answer.result["error"]["message"] + answer.result["error"].get("hint", "")
    check(name in words, answer)
    equal(doctor.native["usable"], False, doctor)
    check(name in doctor.native["problem"] + doctor.native["hint"], doctor)


def RefuseAnOrdinaryUserWhenTheirNumberIsZero_P48():
    refused(USER, "user.max_user_namespaces", "0")


def RefuseRootWhenTheirNumberIsZero_L48_P48():
    refused(ROOT, "user.max_user_namespaces", "0")


def RefuseAnOrdinaryUserWhereDebianForbidsThem_P48():
    refused(USER, "kernel.unprivileged_userns_clone", "0")


def DoNotTroubleRootWhereDebianForbidsThemToOthers():
    with setting("kernel.unprivileged_userns_clone", "0"):
        equal(command("true", options=ALL_HELD).code, 0)


def RunAgainOnceTheyAreAllowed():
    equal(command("true", by=USER).code, 0)
