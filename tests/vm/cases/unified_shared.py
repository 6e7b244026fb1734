"""Directories that the caller shares, on a disk of the host's."""

import contextlib
import fcntl
import os
import pathlib
import subprocess
import time

from bed import check, command, equal, finish, lazaret, left_cgroups, processes, start, until

FIFREEZE, FITHAW = 0xC0045877, 0xC0045878
PLACE = pathlib.Path("/srv/disk")


@contextlib.contextmanager
def disk():
    PLACE.mkdir(parents=True)
    subprocess.run(["mount", "/dev/vdb1", str(PLACE)], check=True)
    (PLACE / "shared").mkdir(exist_ok=True)
    (PLACE / "shared").chmod(0o777)
    try:
        yield PLACE / "shared"
    finally:
        subprocess.run(["umount", str(PLACE)], check=True)
        PLACE.rmdir()


@contextlib.contextmanager
def frozen():
    handle = os.open(PLACE, os.O_RDONLY)
    fcntl.ioctl(handle, FIFREEZE, 0)
    try:
        yield
    finally:
        fcntl.ioctl(handle, FITHAW, 0)
        os.close(handle)


# Nothing can end who waits for a file system that is frozen (ioctl_fsfreeze), as for a network's
# that is gone.
def ReportsInTimeThatItCouldNotEndAProgram_Threat61():
    with disk() as shared:
        with frozen():
            began = time.monotonic()
            answer = finish(start(
                "exec", "--json", "--timeout", "1s", "--grace", "200ms", "--mount",
                f"{shared}:/mnt/shared:rw", "--", "sh", "-c",
                "echo begun; echo 1 >/mnt/shared/file; echo never", "frozen-4711"))
            seconds = time.monotonic() - began
        equal((answer.cause, answer.result["stdout"]), ("timeout", "begun\n"), answer)
        check(answer.result["meta"]["kill"]["survivors"] >= 1, answer)
        check(seconds < 20, f"{seconds} s\n{answer}")
        check("could not be ended" in " ".join(answer.result["meta"]["warnings"]), answer)
        until(lambda: not processes("frozen-4711"), "it has not ended since")
        equal(command("true").code, 0)  # which clears what is left
        equal(left_cgroups(), [])


WRITER = """
import os, time
data = os.urandom(8 << 20)
began = time.monotonic()
with open("/mnt/shared/data", "wb") as file:
    file.write(data)
    os.fsync(file.fileno())
print(round(time.monotonic() - began, 2))
"""


def writing(rate):
    """Seconds for 8 MiB."""
    with disk() as shared:
        answer = lazaret("run", "--json", "--disk-rate", rate, "--mount",
                         f"{shared}:/mnt/shared:rw", "-c", WRITER)
        equal(answer.code, 0, answer)
        (shared / "data").unlink()
        return float(answer.result["stdout"]), answer


def SlowsWritingToASharedDiskToItsRate():
    seconds, answer = writing("4MiB")
    check(1.5 < seconds < 8, f"{seconds} s for 8 MiB at 4 MiB a second\n{answer}")
    disk_row = answer.evidence["disk"]
    check("wbps=4194304" in disk_row["applied"], answer)
    equal(disk_row["status"], "partial", answer)  # its size has no bound
    faster, answer = writing("1GiB")
    check(faster < seconds / 2, f"{faster} s: the rate of the other would prove nothing\n{answer}")
