"""Root with a usable cgroup v2 of which one file fails: what is claimed holds."""

from bed import check, command, equal, fault, left_cgroups, processes, python
from unified_root import HOG

LIMIT_FILES = {"memory.max": "memory", "memory.oom.group": "memory", "memory.swap.max": "swap",
               "cpu.max": "cpu", "pids.max": "pids", "io.max": "disk"}
WAYS = ("absent", "unreadable", "unwritable", "lie")


def ClaimsNoLimitWhoseFileHasFailed():
    for file, control in LIMIT_FILES.items():
        for how in WAYS:
            with fault(file, how):
                answer = command("echo", "ran")
            if "ran" in answer.result["stdout"]:
                check(answer.evidence[control]["status"] != "enforced", f"{file} {how}: {answer}")
            else:
                equal(answer.result["error"]["type"], "BackendError", f"{file} {how}: {answer}")
    equal(left_cgroups(), [])


def SaysWhatToDoWhereSwapIsNotCounted_L36():
    with fault("memory.swap.max", "absent"):
        answer = command("true")
    swap = answer.evidence["swap"]
    equal((swap["status"], swap["applied"]),
          ("not_enforced", "memory.swap.max is missing: this kernel does not count swap "
                           "(boot with swapaccount=1)"), answer)


def RunsNothingWhereARequiredLimitsFileHasFailed():
    for file, control in LIMIT_FILES.items():
        for how in WAYS:
            with fault(file, how):
                answer = command("echo", "ran", options=("--require", control))
            equal((answer.code, answer.result["stdout"]), (125, ""), f"{file} {how}: {answer}")
    equal(left_cgroups(), [])


def ClaimsNothingOfABoxThatItsCgroupDoesNotName():
    """Whose it is that is limited, is read too."""
    for how in ("absent", "unreadable"):
        with fault("cgroup.procs", how):
            answer = command("true")
        if answer.code == 0:
            claimed = answer.statuses("memory", "swap", "pids", "cpu", "disk").values()
            equal(set(claimed) & {"enforced"}, set(), f"{how}: {answer}")


OF_MAKING = {"mkdir": ("refused", "lie"), "cgroup.subtree_control": WAYS, "cgroup.procs": WAYS,
             "cgroup.controllers": ("absent", "unreadable")}


def KeepsItsWordWhereACgroupCannotBeMadeOrEntered():
    """A limit that is claimed is met, and who requires one is not run without."""
    for file, ways in OF_MAKING.items():
        for how in ways:
            with fault(file, how):
                hog = python(HOG, "--memory", "64MiB")
                wanting = command("echo", "ran", options=("--require", "memory"))
            claimed = "memory" in hog.evidence and hog.evidence["memory"]["status"] == "enforced"
            check(not claimed or hog.cause == "memory_limit", f"{file} {how}: {hog}")
            seen = file != "cgroup.procs" or how == "unwritable"
            check(claimed or not seen or hog.cause != "memory_limit", f"{file} {how}: {hog}")
            if wanting.result["stdout"]:
                equal(wanting.evidence["memory"]["status"], "enforced", f"{file} {how}: {wanting}")
            else:
                equal(wanting.code, 125, f"{file} {how}: {wanting}")
    equal(left_cgroups(), [])


def EndsAllOfABoxWithoutCgroupKill():
    tree = "setsid sh -c 'setsid sleep 4321 & sleep 4321' & exec sleep 4321"
    for how in ("absent", "unwritable", "lie"):
        with fault("cgroup.kill", how):
            answer = command("sh", "-c", tree, options=("--timeout", "500ms", "--grace", "200ms"))
        equal(answer.cause, "timeout", answer)
        equal(answer.result["meta"]["kill"]["survivors"], 0, answer)
        equal((processes("4321"), left_cgroups()), ([], []), how)
