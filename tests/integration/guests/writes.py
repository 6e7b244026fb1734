# Tries to make a file in every directory there is, and to change some that exist.
import json
import os


def writable(directory):
    path = os.path.join(directory, "lazaret-was-here")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.unlink(path)
        return True
    except OSError:
        return False


def changed(path):
    try:
        os.close(os.open(path, os.O_WRONLY))
        return True
    except OSError:
        return False


directories = []
for folder, names, _ in os.walk("/"):
    if folder == "/proc":
        names[:] = ["self", "sys", "1"]
    if folder.count("/") > 6:
        names[:] = []
    directories.append(folder)

print(json.dumps({
    "seen": len(directories),
    "writable": sorted(folder for folder in directories if writable(folder)),
    "changed": [path for path in ("/usr/bin/python3", "/bin/sh", "/etc/passwd", "/etc/hosts",
                                  "/etc/ld.so.cache", "/proc/sys/kernel/core_pattern",
                                  "/proc/sysrq-trigger", "/proc/sys/kernel/hostname",
                                  "/proc/sys/user/max_user_namespaces", "/proc/1/oom_score_adj")
                if changed(path)],
}))
