"""Only cgroup v1: it is not used, and the answer says so (L-45)."""

import os

from bed import CGROUPS, ROOT, USER, check, command, equal, prediction_is_true, python

REPLACED = ("memory", "swap", "cpu")


def degrades(caller):
    answer = command("true", by=caller)
    equal((answer.code, answer.result["meta"]["isolation"]), (0, "partial"), answer)
    equal(answer.statuses(*REPLACED),
          {"memory": "partial", "swap": "not_enforced", "cpu": "partial"}, answer)
    for control in REPLACED:
        check("version 1" in answer.evidence[control]["applied"], answer)


def IsRefusedWithAnExplanationToRoot_L45():
    check((CGROUPS / "memory/memory.limit_in_bytes").exists(), "no cgroup v1 in this machine")
    degrades(ROOT)


def IsRefusedWithAnExplanationToAnOrdinaryUser_L45():
    degrades(USER)


def TellsTheWayOut_L45():
    check("cgroup_no_v1=all" in command("true").evidence["cpu"]["applied"], command("true"))


def IsNotEnoughForStrict():
    answer = command("echo", "has run", options=("--strict",))
    equal((answer.code, answer.cause), (125, "enforcement_mismatch"), answer)
    equal(answer.result["stdout"], "")


def RunsWithBestEffortWhateverIsRequired_C02():
    os.environ["LAZARET_REQUIRED_CONTROLS"] = "memory,swap"
    try:
        refused = command("echo", "has run")
        equal((refused.code, refused.cause), (125, "enforcement_mismatch"), refused)
        answer = command("echo", "has run", options=("--best-effort",))
    finally:
        del os.environ["LAZARET_REQUIRED_CONTROLS"]
    equal((answer.code, answer.result["stdout"]), (0, "has run\n"), answer)
    equal(answer.result["meta"]["isolation"], "partial", answer)
    equal(answer.statuses("memory", "swap"), {"memory": "partial", "swap": "not_enforced"}, answer)


def IsSeenByDoctor_L52():
    prediction_is_true()


def LeavesResourceLimitsInForce_L47():
    code = "try:\n    bytearray(300 << 20)\nexcept MemoryError:\n    print('refused')\n"
    equal(python(code, "--memory", "128MiB").result["stdout"], "refused\n")


def StaysUntouched():
    equal([str(path) for path in CGROUPS.glob("**/lazaret*")], [])
