"""A kernel that was booted without Landlock."""

import pathlib
import subprocess

from bed import ROOT, USER, check, command, equal, lazaret, prediction_is_true, python


def modules():
    path = pathlib.Path("/sys/kernel/security/lsm")
    if not path.exists():
        subprocess.run(["mount", "-t", "securityfs", "securityfs", str(path.parent)], check=True)
    return path.read_text().split(",")


def HasNoLandlock():
    check("landlock" not in modules(), modules())


def RunsProgramsAllTheSame_P57():
    for caller in (ROOT, USER):
        equal(python("6 * 7", by=caller).result["value"], 42)


def IsNotSaidToHaveLandlock_P57():
    for control, row in command("true").evidence.items():
        said = control == "landlock" or "landlock" in row["applied"].lower()
        check(not said or row["status"] != "enforced" or "no landlock" in row["applied"].lower(),
              row)


def LetsDoctorNameTheWayToIt_L42():
    for caller in (ROOT, USER):
        doctor = lazaret("doctor", "--json", by=caller)
        rows = [row for row in doctor.native["host"] if row["name"] == "Landlock"]
        check(rows and not rows[0]["present"] and "lsm=" in rows[0]["fix"], doctor)


def LetsDoctorSayWhatARunWillShow_P48():
    for caller in (ROOT, USER):
        prediction_is_true(by=caller)
