# `#: ID ROW TITLE` begins a probe, see docs/selftest.md. Each has a box of its own and is judged
# from outside; the last argument is a word by which its processes are found.
#: H-76-anonymous 76 take memory without end
#: limits memory=96m timeout=20s
#: expect cause=memory_limit|nonzero_exit cause_of=memory seconds=15
#: stdout ""
#: no-control it would take this machine's memory
blocks = []
while True:
    blocks.append(b"x" * (4 << 20))
#: H-76-touched 76 map more than the limit and touch it
#: limits memory=96m timeout=20s
#: expect cause=memory_limit|nonzero_exit cause_of=memory
#: stdout ""
#: no-control it would take this machine's memory
import mmap
area = mmap.mmap(-1, 256 << 20)
for at in range(0, 256 << 20, 4096):
    area[at] = 1
print("all of it")
#: H-76-processes 76 take memory in several processes
#: limits memory=96m timeout=20s
#: expect cause=memory_limit|nonzero_exit cause_of=memory
#: stdout ""
#: by-design-without memory without cgroup v2 the limit is each process's; the evidence says so
#: no-control it would take this machine's memory
import mmap, os, time
for _ in range(4):
    reader, writer = os.pipe()
    if os.fork() == 0:
        area = mmap.mmap(-1, 40 << 20)
        for at in range(0, 40 << 20, 4096):
            area[at] = 1
        os.write(writer, b"x")
        time.sleep(60)
    os.close(writer)
    if os.read(reader, 1) != b"x":
        os._exit(9)
if os.waitpid(-1, os.WNOHANG)[0] != 0:
    os._exit(9)  # an earlier one has paid for a later one
print("all of it", flush=True)
os.kill(0, 9)
#: H-76-memfd 76 take memory in files without a name
#: limits memory=96m timeout=20s
#: expect cause=memory_limit|nonzero_exit|signalled cause_of=memory
#: stdout ""
#: by-design-without memory without cgroup v2 the limit is each process's; the evidence says so
#: no-control it would take this machine's memory
import os
for index in range(16):
    file = os.memfd_create("x")
    for _ in range(16):
        os.write(file, bytes(1 << 20))
print("all of it")
#: H-76-shared 76 take System V shared memory
#: limits memory=96m timeout=20s
#: expect cause=memory_limit|nonzero_exit|signalled cause_of=memory
#: stdout ""
#: by-design-without memory without cgroup v2 the limit is each process's; the evidence says so
#: no-control it would take this machine's memory
import ctypes
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
for index in range(16):
    found = libc.shmget(0, 16 << 20, 0o1600)
    if found < 0:
        raise MemoryError("refused")
    address = libc.shmat(found, None, 0)
    if address in (None, ctypes.c_void_p(-1).value):
        raise MemoryError("refused")
    ctypes.memset(address, 1, 16 << 20)
    libc.shmdt(ctypes.c_void_p(address))
print("all of it")
#: H-76-scratch 76 take memory in files of the scratch directories
#: limits memory=96m timeout=20s disk=64m file_size=64m
#: expect cause=memory_limit|nonzero_exit|signalled cause_of=memory
#: stdout ""
#: by-design-without memory without cgroup v2 the limit is each process's; the evidence says so
#: no-control it would take this machine's memory
for place in ("/work", "/tmp", "/dev/shm"):
    with open(place + "/big", "wb", buffering=0) as file:
        for _ in range(48):
            file.write(bytes(1 << 20))
print("all of it")
#: H-76-pipes 76 take memory in pipes
#: limits memory=96m timeout=20s open_files=1024
#: expect cause=memory_limit|nonzero_exit
#: stdout ""
#: by-design-without memory without cgroup v2 the limit is each process's; the evidence says so
#: no-control it would take this machine's memory
import fcntl, os
kept = []
for _ in range(200):
    ends = os.pipe()
    kept.append(ends)
    fcntl.fcntl(ends[1], 1031, 1 << 20)
    os.set_blocking(ends[1], False)
    os.write(ends[1], bytes(1 << 20))
print("all of it")
#: H-76-page-tables 76 take memory for page tables
#: limits memory=96m timeout=20s
#: expect cause=memory_limit|nonzero_exit cause_of=memory seconds=20
#: by-design-without memory page tables count only where the box has a limit of its own
#: no-control it would take this machine's memory
import mmap
area = mmap.mmap(-1, 1 << 37, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)
area.madvise(mmap.MADV_NOHUGEPAGE)
for at in range(0, len(area), 1 << 21):
    area[at]
print("all of it")
#: H-76-error 76 take memory and carry on
#: limits memory=96m timeout=20s
#: stdout "refused\n"
#: expect cause=exited
#: no-control nobody has that much anywhere
try:
    bytearray(1 << 40)
except MemoryError:
    print("refused")
#: H-77-swap 77 keep more than the memory in swap
#: limits memory=96m timeout=20s
#: expect cause=memory_limit enforced=swap
#: stdout ""
#: by-design-without swap without cgroup v2 nothing limits it; the evidence says so
#: no-control swapping is what the machine is set to
import mmap
area = mmap.mmap(-1, 256 << 20)
for at in range(0, 256 << 20, 4096):
    area[at] = 1
print("all of it")
#: H-78-work 78 fill /work
#: limits disk=8m
#: stdout "ENOSPC True\n"
#: expect cause=exited
#: no-control it would fill a disk of this machine
import errno
written = 0
try:
    for index in range(10):
        with open("/work/%d" % index, "wb", buffering=0) as file:
            for _ in range(32):
                written += file.write(bytes(65536))
except OSError as error:
    print(errno.errorcode[error.errno], written <= 8 << 20)
#: H-79-work 79 make files in /work without end
#: limits disk_files=300
#: stdout "ENOSPC True\n"
#: expect cause=exited
#: no-control it would fill a disk of this machine
import errno, os
made = 0
try:
    while made < 20000:
        os.close(os.open("/work/%d" % made, os.O_CREAT | os.O_WRONLY))
        made += 1
except OSError as error:
    print(errno.errorcode[error.errno], made <= 300)
#: H-78-tmp 78 fill /tmp
#: limits disk=8m
#: stdout "ENOSPC True\n"
#: expect cause=exited
#: no-control it would fill a disk of this machine
import errno
written = 0
try:
    for index in range(10):
        with open("/tmp/%d" % index, "wb", buffering=0) as file:
            for _ in range(32):
                written += file.write(bytes(65536))
except OSError as error:
    print(errno.errorcode[error.errno], written <= 8 << 20)
#: H-79-tmp 79 make files in /tmp without end
#: limits disk_files=300
#: stdout "ENOSPC True\n"
#: expect cause=exited
#: no-control it would fill a disk of this machine
import errno, os
made = 0
try:
    while made < 20000:
        os.close(os.open("/tmp/%d" % made, os.O_CREAT | os.O_WRONLY))
        made += 1
except OSError as error:
    print(errno.errorcode[error.errno], made <= 300)
#: H-78-shm 78 fill /dev/shm
#: limits disk=8m
#: stdout "ENOSPC True\n"
#: expect cause=exited
#: no-control it would fill a disk of this machine
import errno
written = 0
try:
    for index in range(10):
        with open("/dev/shm/%d" % index, "wb", buffering=0) as file:
            for _ in range(32):
                written += file.write(bytes(65536))
except OSError as error:
    print(errno.errorcode[error.errno], written <= 8 << 20)
#: H-79-shm 79 make files in /dev/shm without end
#: limits disk_files=300
#: stdout "ENOSPC True\n"
#: expect cause=exited
#: no-control it would fill a disk of this machine
import errno, os
made = 0
try:
    while made < 20000:
        os.close(os.open("/dev/shm/%d" % made, os.O_CREAT | os.O_WRONLY))
        made += 1
except OSError as error:
    print(errno.errorcode[error.errno], made <= 300)
#: H-78-run 78 fill /run, /var/tmp and /var/lock
#: stdout "[]\n"
#: expect cause=exited
#: no-control it would fill a disk of this machine
import os
filled = []
for place in ("/run", "/var/lock", "/run/lock", "/dev", "/var", "/"):
    try:
        with open(place + "/big", "wb") as file:
            file.write(bytes(1 << 20))
        filled.append(place)
    except OSError:
        pass
print(filled)
#: H-80-descriptors 80 open files without end
#: stdout "EMFILE True\n"
#: expect cause=exited
#: no-control the limit of whoever starts this is all that could be seen
import errno, os
opened = []
try:
    while len(opened) < 100000:
        opened.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    for each in opened:
        os.close(each)
    print(errno.errorcode[error.errno], max(opened) < 8192)
#: H-81-spin 81 spin in eight processes
#: limits cpus=0.5 timeout=10s
#: expect cause=exited|timeout enforced=cpu cpu_share=0.55
#: by-design-without cpu without cgroup v2 processor bandwidth is not limited; the evidence says so
#: no-control it would only make this machine slow
import os, time
try:
    os.sched_setaffinity(0, range(os.sysconf("SC_NPROCESSORS_CONF")))
except OSError:
    pass
until = time.monotonic() + 4
for _ in range(7):
    if os.fork() == 0:
        break
while time.monotonic() < until:
    pass
#: H-81-cpu-time 81 use up the processor time
#: limits cpu_time=1s timeout=10s grace=300ms
#: expect cause=cpu_limit survivors=0 seconds=13
while True:
    pass
#: H-82-flood 82 write without end on both streams
#: limits timeout=30s
#: expect cause=exited stdout_bytes=67108864 truncated=both seconds=30
#: no-control how much is kept is for the reader to decide
import os
piece = b"x" * 65536
for _ in range(1024):
    os.write(1, piece)
    os.write(2, piece)
#: H-83-line 83 write one line of 128 MiB
#: limits timeout=30s
#: expect cause=nonzero_exit exit=3 stdout_bytes=134217728 truncated=stdout
#: no-control how much is kept is for the reader to decide
import os, sys
piece = b"x" * (1 << 20)
for _ in range(128):
    at = 0
    while at < len(piece):
        at += os.write(1, piece[at:])
sys.exit(3)
#: H-84-trickle 84 write a byte now and then, for ever
#: limits timeout=1500ms grace=300ms
#: expect cause=timeout survivors=0 seconds=8
import os, time
while True:
    os.write(1, b".")
    time.sleep(0.1)
#: H-85-unread-input 85 never read 100 MiB of input
#: input 100
#: expect cause=nonzero_exit exit=5 seconds=5
#: no-control nobody offers input there
import sys, time
time.sleep(0.3)
sys.exit(5)
#: H-86-core 86 leave a core dump
#: stdout "False []\n"
#: expect cause=exited
import os, resource
try:
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
except (ValueError, OSError):
    pass
if os.fork() == 0:
    os.abort()
_, status = os.wait()
print(os.WCOREDUMP(status), [name for name in os.listdir(".") if "core" in name])
#: H-86-sparse 86 make a sparse file of a terabyte
#: stdout "refused\n"
#: expect cause=exited
import os, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    os.truncate(os.open("sparse", os.O_CREAT | os.O_RDWR), 1 << 40)
    print("made")
except OSError:
    print("refused")
#: H-86-large 86 write a file beyond its limit
#: limits file_size=4m
#: stdout ""
#: expect cause=file_size_limit|disk_limit
with open("large", "wb", buffering=0) as file:
    for _ in range(8):
        file.write(bytes(1 << 20))
print("written")
#: H-86-deep 86 make a deep tree of long names
#: stdout "60\n"
#: expect cause=exited survivors=0
#: no-control it would be no different
import os
made = 0
for _ in range(60):
    name = "n" * 250
    os.mkdir(name)
    os.chdir(name)
    made += 1
print(made)
#: H-86-attributes 86 fill the attributes of a file
#: limits disk=8m
#: stdout "True\n"
#: expect cause=exited
#: no-control it would fill a disk of this machine
import os
open("file", "w").close()
kept = 0
try:
    for index in range(4096):
        os.setxattr("file", "user.%d" % index, bytes(32768))
        kept += 32768
except OSError:
    pass
print(kept <= 8 << 20)
