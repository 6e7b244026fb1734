# Installs the files in /work/packages with pip and without an index. Its last word on standard
# error, when it cannot, is shown to who wanted them; its value says how much there is.
import glob
import os
import sys

PLACE = "/work/out/packages"
FILES = sorted(glob.glob("/work/packages/*"))
# Debian's pip as a file, where none is installed, and what pip makes wheels with.
WHEELS = glob.glob("/usr/share/python-wheels/*.whl")


def pip():
    try:
        import pip
    except ImportError:
        sys.path += WHEELS
    try:
        from pip._internal.cli.main import main
    except ImportError:
        sys.exit("ERROR: there is no pip: install python3-pip")
    return main


os.environ["HOME"] = "/work"
# Archives are built by programs that pip starts.
os.environ["PYTHONPATH"] = os.pathsep.join(WHEELS)
status = pip()([
    "install", "--isolated", "--no-input", "--no-color", "--disable-pip-version-check",
    "--no-cache-dir", "--no-index", "--find-links", "/work/packages", "--no-build-isolation",
    "--no-compile", "--no-warn-script-location", "--progress-bar", "off", "--target", PLACE, *FILES,
])
if status:
    sys.exit(status)
sizes = [os.path.getsize(os.path.join(folder, name))
         for folder, _, names in os.walk(PLACE) for name in names]
{"files": len(sizes), "bytes": sum(sizes)}
