#!/usr/bin/env python3
"""follow.py LAZARET [README]: does what the README tells a new user to do, line by line.

Runs its block of `build/release/bin/lazaret …` in an empty directory, as written and in order, and
holds what comes of each line against the table below; what only one of the two has is untrue. So
is a place, or a word of quickstart, that the README names and nobody has. Ends with 1 then.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = "build/release/bin/lazaret"
ENGINE = os.environ.get("LAZARET_TEST_DOCKER")
PLACES = re.compile(r"\b(?:docs|config|include|images|tests)/[\w./-]*|(?<=`)src/\w+")
FOLDERS = ("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")
AN_ID = r"\A[0-9a-f]{32}\n"
IN_A_CONTAINER, BY_FALLBACK = r"(?s)\A\[\]\n(?!.*fell back)", r"(?s)\A\[\]\n.*fell back to native"
# Exit status; an expression for the output and, behind it, the messages; what else has to hold.
TABLE = {
    "run -c 'print(6 * 7)'": (0, r"\A42\n"),
    "run script.py one two": (0, r"\A\['one', 'two'\]\n"),
    "run --dir src --file data.csv --out results src/main.py":
        (0, "1 file taken into results",
         lambda out, work: (work / "results/total.txt").read_text() == "42\n"),
    "exec -- sort --version": (0, r"\Asort .*\d"),
    "run --json --timeout 2 -c 'while True: pass'":
        (124, "", lambda out, work: json.loads(out)["meta"]["cause"] == "timeout"),
    "run --type docker script.py": (0, IN_A_CONTAINER if ENGINE else BY_FALLBACK),
    "doctor": (0, r"(?m)^type local: ready$"),
    "serve &": (0, "listening on "),
    "shell": (0, r"exit\s*\Z|exit\s*\n"),
    "session new": (0, AN_ID),
    "session run --context main SESSION -c 'x = 6 * 7; x'": (0, "value: 42"),
    "files put SESSION data/": (0, "1 file, 4 bytes put"),
    "job run long.py": (0, AN_ID),
    "gc": (0, r"(?m)^(nothing is|removed|left) "),
    "selftest": (0, r"[1-9]\d\d probes, .* 0 FAILED"),
}
NOT_RUN = {"images build": "it takes minutes, and a run of the tests makes its own images by it"}


def commands_of(readme):
    """What follows the program's name, without remarks; other lines of the block as they are."""
    blocks = re.findall(r"```sh\n(.*?)```", readme, re.DOTALL)
    lines = [line for block in blocks if block.startswith(PROGRAM) for line in block.splitlines()]
    return [re.sub(r"\s+# .*", "", line).removeprefix(f"{PROGRAM} ") for line in lines]


def furnish(home, program):
    """The user's directories. The daemon is found beside the program that the link leads to."""
    shutil.copytree(ROOT / "tests/readme/home", home / "work")
    (home / "work" / PROGRAM).parent.mkdir(parents=True)
    (home / "work" / PROGRAM).symlink_to(program)
    for folder in FOLDERS:
        (home / folder).mkdir(mode=0o700)


def start(command, home):
    """Nothing of the caller's environment; root's socket and the engines would be the machine's."""
    environment = {name: str(home / name) for name in FOLDERS} | {
        "PATH": os.environ["PATH"], "LAZARET_SOCKET": str(home / "XDG_RUNTIME_DIR/lazaret.sock"),
        "LAZARET_HOST": ENGINE or "unix:///nonexistent/engine.sock"}
    shell = ["setpriv", "--pdeathsig", "KILL", "sh", "-c", f"exec {PROGRAM} {command}"]
    return subprocess.Popen(shell, cwd=home / "work", env=environment, encoding="utf-8",
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def await_words(process, says):
    """What one in the background says until it has said this, or has ended."""
    said = ""
    while not re.search(says, said) and (line := process.stderr.readline()):
        said += line
    return said


def follow(commands, home, started):
    """Runs them, and yields what is untrue of each; who is started is ended by the caller."""
    session = "SESSION"
    for command in commands:
        print(f"{command:<60}{NOT_RUN.get(command, '')}".rstrip(), flush=True)
        if command not in TABLE:
            continue
        expected, says, *proofs = TABLE[command]
        started[command] = process = start(command.rstrip("&").replace("SESSION", session), home)
        if command.endswith("&"):
            status, out, err = expected, "", await_words(process, says)
        else:
            (out, err), status = process.communicate(), process.returncode
        if command == "session new":
            session = out.strip()
        if not (status == expected and re.search(says, out + err)
                and all(proof(out, home / "work") for proof in proofs)):
            yield f"{command}: not {expected}, {says}, but {status}:\n{(out + err)[-3000:]}"


def end(process):
    """Nothing to one that has ended. One that is overdue is killed when we fail for it."""
    process.terminate()
    process.communicate(timeout=30)  # it may have much to say
    return process.returncode


def try_out(commands, home):
    """What is untrue of the lines, and of the end of what they have started."""
    started = {}
    try:
        yield from follow(commands, home, started)
    finally:
        ends = {command: end(process) for command, process in started.items()}
    yield from (f"{command}: ends with {status}" for command, status in ends.items()
                if command.endswith("&") and status != 0)
    for folder in ("TMPDIR", "XDG_RUNTIME_DIR"):
        yield from (f"{left} is left in {folder}" for left in os.listdir(home / folder))


def missing(readme):
    """Places and words of quickstart that the README names and nobody has."""
    told = subprocess.check_output([ROOT / "quickstart", "--help"], text=True, timeout=60)
    known = "|".join(re.findall(r"\./quickstart ([a-z|]+)", told)).split("|")
    named = re.findall(r"\./quickstart ([a-z]+)", readme)
    yield from (f"there is no quickstart {word}" for word in sorted({*named} - {*known}))
    yield from (f"there is no {place}" for place in sorted({*PLACES.findall(readme)})
                if not (ROOT / place).exists())


def main():
    readme = pathlib.Path(*sys.argv[2:] or [ROOT / "README.md"]).read_text(encoding="utf-8")
    for number in (signal.SIGALRM, signal.SIGTERM):  # what has been started is ended all the same
        signal.signal(number, lambda number, _: sys.exit(f"signal {number} at the line above"))
    signal.alarm(270)  # for all of it, and less than ctest's own
    commands = commands_of(readme)
    untrue = [f"only one of the README and the table has: {command}"
              for command in sorted({*commands} ^ {*TABLE, *NOT_RUN})]
    with tempfile.TemporaryDirectory(prefix="lazaret-readme-") as home:
        furnish(pathlib.Path(home), pathlib.Path(sys.argv[1]).resolve(strict=True))
        untrue += [*missing(readme), *try_out(commands, pathlib.Path(home))]
    print("\n".join(untrue) or f"{len(commands)} lines of the README are true")
    return 1 if untrue else 0


if __name__ == "__main__":
    sys.exit(main())
