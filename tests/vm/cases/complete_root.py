"""A kernel that has everything: every control is enforced, and --strict has nothing to refuse."""

import json

from bed import ROOT, check, command, equal, left_cgroups, prediction_is_true, start
from unified_user import in_scope


def EverythingIsEnforced(by=ROOT):
    answer = command("echo", "has run", options=("--strict",), by=by)
    equal((answer.code, answer.result["stdout"]), (0, "has run\n"), answer)
    equal(len(answer.evidence), 21, answer)
    equal([row for row in answer.evidence.values() if row["status"] != "enforced"], [], answer)


def EverythingIsEnforcedForAnOrdinaryUserWithADelegatedCgroup():
    EverythingIsEnforced(in_scope())


def LetsDoctorSayWhatARunWillShow_P48():
    prediction_is_true()
    prediction_is_true(in_scope())


def IsStrictInTheStrictProfileToo():
    answer = command("true", options=("--strict", "--profile", "strict"))
    equal((answer.code, left_cgroups()), (0, []), answer)


def BlocksEveryProbeOfTheBattery():
    """But for those that say why they are allowed; node is not in this machine."""
    selftest = start("selftest", "--json", "--no-control")
    try:
        probes = json.loads(selftest.communicate(timeout=300)[0])["probes"]
    finally:
        selftest.kill()
    verdicts = {probe["verdict"] for probe in probes}
    wrong = [probe for probe in probes if probe["verdict"] in ("FAILED", "not run")]
    equal([probe for probe in wrong if not probe["id"].startswith("W-node")], [])
    check(len(probes) > 700 and {"blocked", "works"} <= verdicts, verdicts)
