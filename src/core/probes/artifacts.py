# `#: ID ROW TITLE` begins a probe, see docs/selftest.md. Each has a box of its own; what it leaves
# in /work/out is taken, and must hold its own word alone.
#: A-30-exchange 30 leave a directory that is exchanged with a link to the host's to the end
#: contents "own"
#: expect cause=exited survivors=0 seconds=20
#: no-control nobody collects anything without a box
import ctypes, os
os.makedirs("/work/out/etc")
for name in ("passwd", "hosts", "hostname"):
    with open("/work/out/etc/" + name, "w") as file:
        file.write("own")
os.symlink("/etc", "/work/out/link")
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (0, 1, 2):
            os.close(number)
        while True:  # renameat2(2), RENAME_EXCHANGE
            ctypes.CDLL(None).renameat2(-100, b"/work/out/etc", -100, b"/work/out/link", 2)
    os._exit(0)
os.wait()
#: I-91-links 91 leave links to files of the host and of the box
#: contents "own"
#: expect cause=exited survivors=0 seconds=20
#: no-control nobody collects anything without a box
import os
os.makedirs("/work/out/below")
with open("/work/out/plain", "w") as file:
    file.write("own")
for name, to in (("absolute", "/etc/passwd"), ("relative", "../../etc/passwd"), ("folder", "/etc"),
                 ("loop", "loop"), ("program", "/proc/self/exe"), ("root", "/proc/1/root"),
                 ("descriptor", "/proc/self/fd/0"), ("dangling", "nowhere"), ("up", "../..")):
    os.symlink(to, "/work/out/" + name)
    os.symlink(to, "/work/out/below/" + name)
os.link("/work/out/plain", "/work/out/below/hard")
#: I-91-kinds 91 leave what is no file
#: contents "own"
#: expect cause=exited survivors=0 seconds=20
#: no-control nobody collects anything without a box
import os, socket
with open("/work/out/plain", "w") as file:
    file.write("own")
os.mkfifo("/work/out/fifo")
socket.socket(socket.AF_UNIX).bind("/work/out/socket")
try:
    os.mknod("/work/out/device", 0o20666, os.makedev(1, 8))
except OSError:
    pass
#: I-91-names 91 leave files with names that are no text, and with modes
#: contents "own"
#: expect cause=exited survivors=0 seconds=20
#: no-control nobody collects anything without a box
import os
for name in (b"line\nbreak", b"\xff\xfe", b"-rf", b"~", b" ", b"\xef\xbc\x8e\xef\xbc\x8e",
             b"C:\\x", b"%2e%2e", b"x" * 255, b"set-user-id", b"nobody's", b"plain"):
    with open(b"/work/out/" + name, "w") as file:
        file.write("own")
os.chmod("/work/out/set-user-id", 0o6777)
os.chmod("/work/out/nobody's", 0)
#: I-91-sparse 91 leave a file of a tebibyte without a block
#: stdout "refused\n"
#: contents "own"
#: expect cause=exited survivors=0 seconds=20
#: no-control it would be one of the machine's
import os, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with open("/work/out/plain", "w") as file:
    file.write("own")
with open("/work/out/sparse", "w") as file:
    try:
        os.ftruncate(file.fileno(), 1 << 40)
    except OSError:
        print("refused")
os.unlink("/work/out/sparse")
#: I-91-many 91 leave twenty thousand files
#: limits disk_files=30000 timeout=60s
#: contents "own"
#: expect cause=exited survivors=0 seconds=60
#: no-control nobody collects anything without a box
import os
with open("/work/out/plain", "w") as file:
    file.write("own")
for index in range(20000):
    os.link("/work/out/plain", "/work/out/%05d" % index)
