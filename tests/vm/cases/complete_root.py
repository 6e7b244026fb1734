"""A kernel that has everything: every control is enforced, and --strict has nothing to refuse."""

from bed import ROOT, check, command, equal, left_cgroups, prediction_is_true
from unified_user import in_scope


def EverythingIsEnforced(by=ROOT):
    answer = command("echo", "has run", options=("--strict",), by=by)
    equal((answer.code, answer.result["stdout"]), (0, "has run\n"), answer)
    check(len(answer.evidence) > 15, answer)
    equal([row for row in answer.evidence.values() if row["status"] != "enforced"], [], answer)


def EverythingIsEnforcedForAnOrdinaryUserWithADelegatedCgroup():
    EverythingIsEnforced(in_scope())


def LetsDoctorSayWhatARunWillShow_P48():
    prediction_is_true()
    prediction_is_true(in_scope())


def IsStrictInTheStrictProfileToo():
    answer = command("true", options=("--strict", "--profile", "strict"))
    equal((answer.code, left_cgroups()), (0, []), answer)
