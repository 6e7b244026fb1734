# How pip is had: in front of what asks it for something.
import glob
import os
import sys

PLACE = "/work/out/packages"
FILES = sorted(glob.glob("/work/packages/*"))
# Debian's pip as a file, where none is installed, and what pip makes wheels with.
WHEELS = glob.glob("/usr/share/python-wheels/*.whl")


def pip(*words):
    try:
        import pip
    except ImportError:
        sys.path += WHEELS
    try:
        from pip._internal.cli.main import main
    except ImportError:
        sys.exit("ERROR: there is no pip: install python3-pip, in an image of lazaret's "
                 "by: lazaret images build python")
    os.environ["HOME"] = "/work"
    os.environ["PIP_CONFIG_FILE"] = os.devnull
    status = main([
        words[0], "--isolated", "--no-input", "--no-color", "--disable-pip-version-check",
        "--no-cache-dir", "--progress-bar", "off", "--find-links", "/work/packages", *words[1:],
    ])
    if status:
        sys.exit(status)


