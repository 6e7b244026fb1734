#!/usr/bin/env python3
"""tidy.py BUILD_DIR JOBS: clang-tidy over every source of src, as the build compiles them.

A file whose preprocessed text, flags and rules are those of an earlier clean run, in whatever
checkout, is not read again: the runs that were clean are kept in ~/.cache/lazaret/tidy.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = subprocess.run(["clang-tidy-14", "--version"], capture_output=True, check=True).stdout
CLEAN = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "lazaret/tidy"


def fingerprint(entry):
    """Changes whenever clang-tidy could say something new; None when it does not compile."""
    words = shlex.split(entry["command"])
    if pathlib.Path(words[0]).name == "ccache":
        words = words[1:]
    words = words[:words.index("-o")] + ["-E", "-C", "-P", entry["file"]]
    run = subprocess.run(words, cwd=entry["directory"], capture_output=True, check=False)
    if run.returncode != 0:
        return None
    rules = (ROOT / ".clang-tidy").read_bytes() + VERSION
    flags = " ".join(words).replace(str(ROOT), ".")
    return hashlib.sha256(rules + flags.encode() + run.stdout).hexdigest()


def troubles(entry, build):
    """What clang-tidy says about one file; empty when it is clean."""
    key = fingerprint(entry)
    if key and (CLEAN / key).exists():
        return ""
    run = subprocess.run(["clang-tidy-14", "--quiet", "-p", str(build), entry["file"]],
                         capture_output=True, text=True, check=False)
    if run.returncode == 0 and key:
        (CLEAN / key).touch()
    return "" if run.returncode == 0 else run.stdout or run.stderr


def main():
    build, jobs = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2])
    CLEAN.mkdir(parents=True, exist_ok=True)
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    places = tuple(f"{place}/" for place in (ROOT / "src", build / "src/united"))
    entries = {entry["file"]: entry for entry in commands
               if entry["file"].startswith(places) and entry["file"].endswith(".cpp")}
    if not entries:
        sys.exit("tidy: no sources of src in the compile commands")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        said = pool.map(lambda entry: troubles(entry, build), entries.values())
        found = [text for text in said if text]
    print("\n".join(found) or f"tidy: {len(entries)} files are clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
