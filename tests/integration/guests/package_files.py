# Leaves wheels and source archives in /work/out, good ones and bad ones.
import base64
import hashlib
import io
import json
import os
import stat
import tarfile
import zipfile

OUT = "/work/out/"


def wheel(name, version, files, needs=(), links=()):
    info = f"{name}-{version}.dist-info"
    files = dict(files)
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        + "".join(f"Requires-Dist: {other}\n" for other in needs))
    files[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = ""
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest())
        record += f"{path},sha256={digest.rstrip(b'=').decode()},{len(text)}\n"
    files[f"{info}/RECORD"] = record + f"{info}/RECORD,,\n"
    with zipfile.ZipFile(f"{OUT}{name}-{version}-py3-none-any.whl", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
        for path, target in links:
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(entry, target)


def archive_of(file, files, links=()):
    with tarfile.open(OUT + file, "w:gz") as archive:
        for path, text in files.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
        for path, target in links:
            entry = tarfile.TarInfo(path)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)


def source(name, version, setup):
    made = f"{name}-{version}"
    archive_of(f"{made}.tar.gz",
               {f"{made}/setup.py": setup, f"{made}/{name}.py": "from its_making import seen\n"})


def npm(name, version, code, needs={}, more={}, links=(), said={}):
    about = {"name": name, "version": version, "main": "index.js", "dependencies": needs,
             "scripts": {"install": "touch ran", "postinstall": "touch ran"}} | said
    archive_of(f"{name.strip('@').replace('/', '+')}-{version}.tgz",
               {"package/package.json": json.dumps(about), "package/index.js": code} | more, links)


SETUP = """
import os, socket
from setuptools import setup
def error_of(action):
    try:
        action()
        return 0
    except OSError as error:
        return error.errno
seen = {
    "socket": error_of(lambda: socket.socket(socket.AF_INET)),
    "interfaces": [line.split(":")[0].strip() for line in list(open("/proc/net/dev"))[2:]],
    "root": error_of(lambda: open("/made", "w")),
    "uid": os.getuid(),
    "home": os.path.exists("/root") or os.path.exists("/home"),
}
open("its_making.py", "w").write(f"seen = {seen!r}")
setup(name="made", version="0.3", py_modules=["made", "its_making"])
"""

GREET = "from tell import word\nhello = word + ' there'\n"
wheel("greet", "1.0", {"greet/__init__.py": GREET}, ["tell"])
wheel("tell", "2.1", {"tell.py": "word = 'hello'\n"})
FALSE = "raise SystemExit('not the library')\n"
wheel("shadow", "1.0", {"json.py": FALSE, "shadow.py": "value = 1\n"})
wheel("paths", "1.0", {"aa.pth": "import sys; sys.path.insert(0, '/mnt/packages/over')\n",
                      "bb.pth": "import sys; sys.exit(3)\n", "over/json.py": FALSE, "paths.py": ""})
wheel("climbs", "1.0", {"../../../climbed.py": "", "climbs.py": ""})
wheel("absolute", "1.0", {"/tmp/lazaret-climbed.py": "", "absolute.py": ""})
wheel("linked", "1.0", {"linked.py": ""}, links=[("passwd.py", "/etc/passwd")])
source("made", "0.3", SETUP)
source("leaves", "1.0", """
import os
from setuptools import setup
os.makedirs("/work/out/packages", exist_ok=True)
open("/work/out/whole", "w")
open("/work/out/more", "w")
if not os.path.lexists("/work/out/packages/passwd"):
    os.symlink("/etc/passwd", "/work/out/packages/passwd")
setup(name="leaves", version="1.0", py_modules=[])
""")
archive_of("pulled-1.0.tar.gz", {
    "pulled-1.0/PKG-INFO": "Metadata-Version: 2.1\nName: pulled\nVersion: 1.0\n",
    "pulled-1.0/pyproject.toml":
        '[build-system]\nrequires = []\nbuild-backend = "own"\nbackend-path = ["."]\n',
    "pulled-1.0/own.py": "raise SystemExit('it was run')\n"})
with open(f"{OUT}broken-1.0-py3-none-any.whl", "wb") as file:
    file.write(os.urandom(1000))

ALSO = "module.exports = require('word') + ' there'\n"
npm("greeting", "1.0.0", ALSO, {"word": "^2.0.0"})
npm("word", "2.1.0", "module.exports = 'hello'\n")
npm("word", "3.0.0", "module.exports = 'bye'\n")
npm("scope-word", "1.0.0", "module.exports = 'dashed'\n")
npm("here", "1.0.0", "module.exports = 'here'\n", said={"os": ["!win32"]})
npm("there", "1.0.0", "", said={"os": ["win32"]})
npm("chooser", "1.0.0", "", said={"optionalDependencies": {"here": "1.0.0", "there": "1.0.0"}})
npm("repository", "1.0.0", "", {"other": "git+http://127.0.0.1:1/other.git"})
npm("@scope/word", "1.0.0", "module.exports = 'scoped'\n")
OUTSIDE = {"package/../../../../climbed.js": "", "/tmp/lazaret-climbed.js": ""}
npm("climber", "1.0.0", "", more=OUTSIDE,
    links=[("package/passwd.js", "/etc/passwd")])
