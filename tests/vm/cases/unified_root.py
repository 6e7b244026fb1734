"""Root with a usable cgroup v2: everything is held, and said to be."""

import json
import os
import pathlib
import signal
import subprocess

from bed import (ALL_HELD, CGROUPS, ROOT, Caller, begin, check, command, directories, equal, finish,
                 lazaret, left_cgroups, prediction_is_true, processes, python, sleeper, start,
                 until)

HOG = """
blocks = []
while len(blocks) < 100:
    blocks.append(bytearray(b"x" * (1 << 20)))
print("survived")
"""
BOMB = """
import os, sys, time
made = 0
for _ in range(200):
    try:
        pid = os.fork()
    except OSError:
        sys.exit(3)
    if pid == 0:
        time.sleep(20)
        os._exit(0)
"""


def EnforcesMemorySwapProcessorsAndTasks_L07_L08_L36_L46_L51():
    answer = command("true", options=("--memory", "100MiB", "--cpus", "0.5", "--pids", "20"))
    equal(answer.code, 0, answer)
    equal(set(answer.statuses("memory", "swap", "cpu", "pids").values()), {"enforced"}, answer)
    equal(answer.evidence["memory"]["applied"], "memory.max 104857600")
    equal(answer.evidence["swap"]["applied"], "memory.swap.max 0")
    equal(answer.evidence["cpu"]["applied"], "cpu.max 50000 100000")


def EnforcesEveryControlButAnOldLandlock():
    answer = command("true", options=ALL_HELD)
    equal(answer.code, 0, answer)
    equal([name for name, piece in answer.evidence.items() if piece["status"] != "enforced"],
          ["landlock"], answer)
    equal(answer.evidence["landlock"]["status"], "partial", answer)


def RefusesStrictForTheOldLandlockAlone():
    answer = command("echo", "has run", options=("--strict",))
    equal(answer.code, 125, answer)
    check("has run" not in answer.result["stdout"], answer)
    said = answer.result["error"]["message"]
    check("landlock" in said, answer)
    others = [name for name in answer.evidence if name != "landlock"]
    equal([name for name in others if name in said], [], answer)


def LetsDoctorSayWhatARunWillShow_P48():
    prediction_is_true()


def EndsAMemoryHogWithMemoryLimit_P15():
    answer = python(HOG, "--memory", "64MiB")
    equal((answer.cause, answer.code), ("memory_limit", 137), answer)
    check(answer.result["meta"]["usage"]["memory_kills"] > 0, answer)
    equal(answer.result["error"]["type"], "MemoryError")
    equal(answer.result["meta"]["usage"]["source"], "cgroup")


def DoesNotLetMemoryLeakIntoSwap():
    """100 MiB fit into 64 MiB of memory and 128 MiB of swap, if only the swap could be used."""
    swaps = open("/proc/swaps", encoding="utf-8").read().splitlines()
    equal(len(swaps), 2, "the machine has no swap that could be leaked into")
    equal(python(HOG, "--memory", "64MiB").cause, "memory_limit")


def LetsTheSameProgramLiveWithinItsMemory():
    answer = python(HOG, "--memory", "200MiB")
    equal((answer.cause, answer.result["stdout"]), ("exited", "survived\n"), answer)


def BlamesMemoryWhenAGrandchildIsTheHog_P16():
    code = "import os\npid = os.fork()\nif pid == 0:\n    if os.fork() == 0:\n"
    code += "".join(f"        {line}\n" for line in HOG.splitlines())
    code += "    os.wait()\n    os._exit(0)\nos.waitpid(pid, 0)\nprint('the parent lives on')\n"
    answer = python(code, "--memory", "64MiB")
    equal((answer.cause, answer.code), ("memory_limit", 137), answer)
    check(answer.result["meta"]["usage"]["memory_kills"] > 0, answer)
    check("lives on" not in answer.result["stdout"], "memory.oom.group ends all of the box")


def CountsFilesInScratchAsMemory():
    answer = command("sh", "-c", "head -c 100m /dev/zero > /tmp/file; echo survived",
                     options=("--memory", "64MiB", "--disk", "256MiB", "--file-size", "256MiB"))
    equal(answer.cause, "memory_limit", answer)


def DoesNotTakeExitStatus137ForMemory_P15_P17():
    answer = command("sh", "-c", "exit 137")
    equal((answer.cause, answer.result["exit_code"]), ("nonzero_exit", 137), answer)


def DoesNotTakeAKillForMemory_P15():
    answer = command("sh", "-c", "kill -9 $$")
    equal((answer.cause, answer.result["meta"]["signal"]), ("signalled", 9), answer)


def EndsAForkBombWithPidsLimit_P15_P51():
    answer = python(BOMB, "--pids", "16")
    equal(answer.cause, "pids_limit", answer)
    check(answer.result["meta"]["usage"]["pids_refusals"] > 0, answer)
    check(answer.result["meta"]["usage"]["peak_pids"] <= 16, answer)
    equal(command("true").code, 0)


def BoundsTheProcessorTimeOfAllProcessesTogether_L09():
    """Each of them lives for a fifth of the limit."""
    answer = command("sh", "-c", "while :; do timeout 0.2 sh -c 'while :; do :; done'; done",
                     options=("--cpu-time", "1s", "--timeout", "25s"))
    equal((answer.cause, answer.code), ("cpu_limit", 124), answer)
    check(answer.result["meta"]["usage"]["cpu_ms"] >= 1000, answer)


def blocks_what_needs_a_cgroup(by):
    """One at a time: an emulated machine is slow, and the memory is the machine's."""
    for probe in ("H-76-anonymous", "H-76-touched", "H-76-processes", "H-76-memfd", "H-76-shared",
                  "H-76-scratch", "H-76-pipes", "H-76-page-tables", "H-77-swap", "H-81-spin",
                  "H-81-cpu-time", "E-49-fork-bomb"):
        answer = lazaret("selftest", "--json", "--no-control", "--only", probe, by=by)
        equal([row["verdict"] for row in answer.result["probes"]], ["blocked"], answer)


def BlocksWhatTheBatteryMustAllowWithoutACgroup():
    blocks_what_needs_a_cgroup(ROOT)


READER = """
import os, time
began = time.monotonic()
data = open("/lib32/data", "rb").read()
print(len(data) >> 20, round(time.monotonic() - began, 2))
"""


def reading(rate):
    """Seconds for 8 MiB of the disk that nobody has in memory."""
    data = pathlib.Path("/lib32/data")
    data.write_bytes(os.urandom(8 << 20))
    os.sync()
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")
    answer = python(READER, "--disk-rate", rate)
    size, seconds = answer.result["stdout"].split()
    equal(size, "8", answer)
    return float(seconds), answer


def SlowsReadingFromADiskToItsRate():
    seconds, answer = reading("4MiB")
    check(1.5 < seconds < 4, f"{seconds} s for 8 MiB at 4 MiB a second\n{answer}")
    disk = answer.evidence["disk"]
    equal(disk["status"], "enforced", answer)
    check("io.max 254:16 rbps=4194304 wbps=4194304" in disk["applied"], answer)
    check("cgroup files" in disk["verified_by"], answer)


def DoesNotSlowReadingFromADiskWhenAllowed():
    seconds, answer = reading("1GiB")
    check(seconds < 1, f"{seconds} s: the rate of the twin would prove nothing\n{answer}")


def ThrottlesABusyProgramToItsShare():
    """Half a processor for two processes: what they use is half of the wall time."""
    code = "import os, time\nos.fork()\nend = time.time() + 4\nwhile time.time() < end: pass\n"
    answer = python(code, "--cpus", "0.5")
    equal(answer.cause, "exited", answer)
    share = answer.result["meta"]["usage"]["cpu_ms"] / (answer.result["duration"] * 1000)
    check(0.3 < share < 0.55, f"{share} of a processor\n{answer}")


def LetsTwoProcessesUseTwoProcessorsWhenAllowed():
    code = "import os, time\nos.fork()\nend = time.time() + 1\nwhile time.time() < end: pass\n"
    answer = python(code, "--cpus", "2")
    share = answer.result["meta"]["usage"]["cpu_ms"] / (answer.result["duration"] * 1000)
    check(share > 0.75, f"{share} of a processor: the limit of the twin would prove nothing")


def HidesTheCgroupFilesFromTheProgram():
    answer = command("sh", "-c", "cat /proc/self/cgroup; ls /sys/fs/cgroup")
    check(answer.result["exit_code"] != 0, answer)
    equal(answer.result["stdout"], "0::/\n", answer)


def EndsGrandchildrenThatHaveLeftTheSession_P03():
    answer = command("sh", "-c", "setsid sh -c 'setsid sleep 4201 & sleep 4201' & exit 0")
    equal(answer.cause, "exited", answer)
    equal(processes("4201"), [])


def HoldsTwoBoxesAtOnce_L11():
    both = [start("exec", "--json", *ALL_HELD, "--", "sleep", "0.5") for _ in range(2)]
    for answer in [finish(process) for process in both]:
        equal(answer.cause, "exited", answer)


def LeavesNoProcessWhenLazaretIsKilled_P04():
    process = start("exec", "--", "sleep", "4202")
    until(lambda: len(processes("4202")) > 1, "the program has not started")
    process.send_signal(signal.SIGKILL)
    finish(process)
    until(lambda: not processes("4202"), "the program outlives Lazaret")


def LeavesNoCgroupWhenLazaretIsToldToStop_L49():
    for number in (signal.SIGTERM, signal.SIGINT):
        process = start("exec", "--", "sleep", "4205")
        until(lambda: len(processes("4205")) > 1, "the program has not started")
        process.send_signal(number)
        finish(process)
        equal((processes("4205"), left_cgroups()), ([], []), number)


def ClearsTheCgroupsOfKilledRunsWithTheNextRun_L49():
    process = begin("4203")
    process.send_signal(signal.SIGKILL)
    finish(process)
    check(left_cgroups(), "nothing was left: this case proves nothing")
    equal(command("true").code, 0)
    equal(left_cgroups(), [])


def MakesCgroupsThatNobodyElseChanges_L10():
    process = begin("4206")
    for path in map(pathlib.Path, left_cgroups()):
        equal((path.stat().st_mode & 0o7777, path.stat().st_uid), (0o755, 0), path)
        for file in path.iterdir():
            if file.is_file():
                equal((file.stat().st_mode & 0o022, file.stat().st_uid), (0, 0), file)
    process.send_signal(signal.SIGTERM)
    finish(process)


def SparesTheCgroupOfARunThatGoesOn():
    process = start("exec", "--json", "--", "sh", "-c", "echo begun; sleep 4; echo ended")
    until(left_cgroups, "the program has not started")
    equal(command("true").code, 0)
    check(left_cgroups(), "the next run has cleared what is in use")
    equal(finish(process).result["stdout"], "begun\nended\n")


def namespaces():
    """Where a process's number and start mean something, as names of cgroups have it."""
    return ".".join(str(os.stat(f"/proc/self/ns/{each}").st_ino) for each in ("pid", "time"))


def RemovesOneWhoseNumberWasGivenAgain_P05():
    with subprocess.Popen(["sleep", "4309"]) as other:
        left = CGROUPS / f"lazaret-{other.pid}-0-{namespaces()}-1"
        left.mkdir()
        equal(command("true").code, 0)
        other.kill()
    equal(left_cgroups(), [])


def GcRemovesWhatAKilledLazaretHasLeft_L49():
    """And nothing else, from wherever it is started."""
    neighbour = begin("4.308")
    before = left_cgroups()
    process = begin("4308", before)
    process.send_signal(signal.SIGKILL)
    finish(process)
    until(lambda: not processes("4308"), "the program outlives Lazaret")
    left = [each for each in left_cgroups() if each not in before]
    check(left, "nothing was left: this case proves nothing")
    answer = lazaret("gc", "--json")
    equal(answer.code, 0, answer)
    removed = [each["name"] for each in json.loads(answer.stdout)["findings"]
               if each["fate"] == "removed"]
    equal(sorted(removed), left, answer)
    equal(finish(neighbour).code, 0)
    equal(left_cgroups(), [])


def RemovesOneThatIsLeftWithAProcessInIt_P52():
    """As a box that nobody ends any more, of a Lazaret whose number is free again."""
    dead = start("--version")
    finish(dead)
    left = CGROUPS / f"lazaret-{dead.pid}-0-{namespaces()}-1"
    left.mkdir()
    with sleeper(left) as process:
        equal(command("true").code, 0)
        equal((process.wait(1), left_cgroups()), (-signal.SIGKILL, []))


def SparesTheBoxOfAnotherCopyOfTheLibraryInItsProcess_L49():
    """Which counts its boxes for itself: the number 0 of this process is taken already."""
    name = f"-0-{namespaces()}-"
    script = (f'started=$(cut -d" " -f22 /proc/$$/stat); name=lazaret-$$"{name}"$started; '
              f'mkdir {CGROUPS}/$name && echo $name && read go && exec lazaret exec -- true')
    with subprocess.Popen(["sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True, env={"PATH": "/usr/bin", "HOME": "/tmp"}) as shell:
        other = CGROUPS / shell.stdout.readline().strip()
        with sleeper(other) as process:
            shell.communicate("go\n", timeout=20)
            equal((shell.returncode, process.poll(), other.is_dir()), (0, None, True))
        process.wait(1)
    other.rmdir()


def SparesWhatIsNotItsOwn_L49():
    with directories(CGROUPS / "lazaret-1.scope", CGROUPS / "lazaret-999999-0-1",
                     CGROUPS / "lazaret-999999-0-1.1-1"):
        equal(command("true").code, 0)


def HoldsMemoryThatIsNoMultipleOfAPage():
    answer = command("true", options=(*ALL_HELD, "--memory", "100000001"))
    equal((answer.code, answer.evidence["memory"]["applied"]), (0, "memory.max 99999744"), answer)


def KeepsBoxesWithinTheLimitsOfItsOwnPlace_P52():
    """A service's limits must hold what the service runs, too."""
    place = CGROUPS / "service"
    with directories(place):
        (CGROUPS / "cgroup.subtree_control").write_text("+memory +cpu +pids")
        (place / "memory.max").write_text(str(48 << 20))
        (place / "memory.swap.max").write_text("0")
        answer = python(HOG, "--memory", "256MiB", by=Caller(cgroup=place))
        equal(answer.cause, "memory_limit", answer)


def LeavesNoCgroupBehind_L49():
    equal(left_cgroups(), [])
