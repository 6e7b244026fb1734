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


def names_the_fix(doctor, fact, name):
    """Among what the host offers, this is missing, and this setting brings it."""
    rows = [row for row in doctor.native["host"] if row["name"] == fact]
    check(rows and not rows[0]["present"] and name in rows[0]["fix"], doctor)


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
    names_the_fix(doctor, "User namespaces", name)


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


def refused_for_want_of_networks(caller, *options):
    answer = command("echo", "has run", options=options, by=caller)
    equal((answer.code, answer.result["stdout"]), (125, ""), answer)
    error = answer.result["error"]
    check("sysctl user.max_net_namespaces=" in error["hint"], answer)


def RefuseABoxThatHasNoNetworkOfItsOwn_L48():
    with setting("user.max_net_namespaces", "0"):
        for caller in (ROOT, USER):
            refused_for_want_of_networks(caller)
            refused_for_want_of_networks(caller, "--require", "network")
            refused_for_want_of_networks(caller, "--best-effort", "--allow-host", "a.example")


def share_the_network(caller, *options):
    """What was asked for at best effort runs, and everybody hears what it lacks."""
    answer = command("cat", "/proc/net/dev", options=("--best-effort", *options), by=caller)
    equal((answer.code, answer.cause), (0, "exited"), answer)
    network = answer.evidence["network"]
    equal(network["status"], "not_enforced", answer)
    check("no own net namespace" in network["applied"], answer)
    told = lazaret("exec", "--best-effort", *options, "--", "true", by=caller)
    equal(told.code, 0, told)
    check("not enforced here: network" in told.stderr, told)
    doctor = lazaret("doctor", "--json", by=caller)
    check(not doctor.native["usable"], doctor)
    names_the_fix(doctor, "Network namespaces", "user.max_net_namespaces")
    predicted = {row["control"]: row["status"] for row in doctor.native["evidence"]}
    equal(predicted["network"], "not_enforced", doctor)


def ShareItAtBestEffortAndSaySo_L48_C02():
    with setting("user.max_net_namespaces", "0"):
        for caller in (ROOT, USER):
            share_the_network(caller)
            share_the_network(caller, "--profile", "dev")
    equal(command("true", options=ALL_HELD).code, 0)
