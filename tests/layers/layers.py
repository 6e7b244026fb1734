#!/usr/bin/env python3
"""layers.py ROOT: which room may include which, and the few rules of style that a line can break.

Prints one line for each violation and ends with 1 when there is any.
"""

import pathlib
import re
import sys

# Room -> rooms and single headers it may include beside itself and the public headers. A header
# is a regular expression over its path below src/.
MAY_INCLUDE = {
    "base": (),
    "os": ("base",),
    "runner": ("base", "os"),
    "policy": ("base",),
    "journal": ("base", "os"),
    "http": ("base", "os"),
    "engine": ("base", "os", "http"),
    "backend": ("base", "os", "http", "policy", "journal", "engine", "runner"),
    "egress": ("base", "os", "http", "policy"),
    "pool": ("base", "os"),
    "core": ("base", "os", "policy", "runner", "pool", "egress", r"backend/\w+\.hpp",
             r"backend/images/\w+\.hpp"),
    "api": ("base", "os", "http", "policy", "core"),
}
MAY_ASK_FOR_THE_PLATFORM = ("src/os/", "src/backend/")
MOST_LINES = 400
MOST_COLUMNS = 100

# Programs that are run as foreign code look as foreign code looks.
GUESTS = pathlib.Path("tests/corpus")

CPP = {".cpp", ".hpp", ".c", ".h"}
SCRIPTS = {".py", ".sh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
STANDARD = re.compile(r"^[a-z_0-9]+$|^nlohmann/json_fwd\.hpp$")
PLATFORM = re.compile(
    r"^\s*#\s*(?:el)?if\w*\b.*\b(_WIN32|_WIN64|WIN32|_MSC_VER|__MINGW32__|__MINGW64__|__CYGWIN__"
    r"|__linux__|__linux|__unix__|__APPLE__|__FreeBSD__|__ANDROID__|BOOST_OS_\w+)\b")
USING = re.compile(r"^using (?:\w*::)+(\w+);")
LEFT_UNDONE = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")


def room_of(path):
    """The room a file lies in; None for the public headers and for what may include all."""
    parts = path.parts
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    return None


def allowed(room, header):
    """Whether a file of the room may include this header of ours."""
    if header.startswith("lazaret/"):
        return True
    owner = header.split("/")[0]
    return owner == room or any(
        owner == entry or re.fullmatch(entry, header) for entry in MAY_INCLUDE[room])


def include_trouble(path, mark, header):
    """Why this include is not allowed in this file, or None."""
    public = path.parts[0] == "include"
    if mark == "<":
        if public and not STANDARD.match(header):
            return f"a public header includes <{header}>: only the standard library may be there"
        return None
    if not header.endswith(".hpp"):
        return f'"{header}" is no header'
    if "/" not in header or ".." in header:
        return f'"{header}" is not named by its room'
    if public:
        return None if header.startswith("lazaret/") else f'a public header includes "{header}"'
    room = room_of(path)
    if room is None:
        return None
    if room not in MAY_INCLUDE:
        return f"room {room} is not in the table of rooms"
    return None if allowed(room, header) else f'{room} may not include "{header}"'


def source_troubles(path, line):
    """What is wrong with one line of src or include."""
    found = INCLUDE.match(line)
    if found:
        trouble = include_trouble(path, *found.groups())
        if trouble:
            yield trouble
    platform = PLATFORM.match(line)
    if platform and not path.as_posix().startswith(MAY_ASK_FOR_THE_PLATFORM):
        yield f"asks for the platform ({platform.group(1)}) outside os and backend"


def line_troubles(path, line):
    """What is wrong with one line of any file."""
    if len(line) > MOST_COLUMNS:
        yield f"{len(line)} columns, at most {MOST_COLUMNS}"
    undone = LEFT_UNDONE.search(line)
    if undone:
        yield f"{undone.group(1)}: do it or take it out"
    if path.parts[0] in ("src", "include") and path.suffix in CPP:
        yield from source_troubles(path, line)


def unused_names(text):
    """Line and name of each using declaration of a source that nothing else in it speaks of."""
    for number, line in enumerate(text.splitlines(), 1):
        found = USING.match(line)
        if found and len(re.findall(rf"\b{found.group(1)}\b", text)) == 1:
            yield number, found.group(1)


def troubles(root):
    """Every violation in the tree, as text."""
    for path in files(root):
        text = (root / path).read_text(encoding="utf-8")
        lines = text.splitlines()
        if len(lines) > MOST_LINES:
            yield f"{path}: {len(lines)} lines, at most {MOST_LINES}"
        if path.suffix == ".cpp":
            for number, name in unused_names(text):
                yield f"{path}:{number}: uses nothing named {name}"
        for number, line in enumerate(lines, 1):
            for trouble in line_troubles(path, line):
                yield f"{path}:{number}: {trouble}"


def files(root):
    """The files under the rules, relative to the root, in order."""
    for folder in ("include", "src", "tests", "images"):
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root)
            if path.suffix in CPP | SCRIPTS and GUESTS not in name.parents and path.is_file():
                yield name
    for name in ("quickstart", ".ci/run"):
        if (root / name).is_file():
            yield pathlib.Path(name)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: layers.py ROOT")
    root = pathlib.Path(sys.argv[1])
    if not any(files(root)):
        sys.exit(f"layers: no sources below {root}")
    found = list(troubles(root))
    print("\n".join(found) or "layers: every arrow points down")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
