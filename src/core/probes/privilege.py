# `#: ID ROW TITLE` begins a probe, see docs/selftest.md; the helpers come from sheet.py.
#: C-37-user 37 be root by the user
if os.getuid() != 0:
    raise Blocked("%d" % os.getuid())
saw("0")
#: C-37-effective-user 37 be root by the effective user
if os.geteuid() != 0:
    raise Blocked("%d" % os.geteuid())
saw("0")
#: C-37-group 37 be root by the group
if os.getgid() != 0:
    raise Blocked("%d" % os.getgid())
saw("0")
#: C-37-effective-group 37 be root by the effective group
if os.getegid() != 0:
    raise Blocked("%d" % os.getegid())
saw("0")
#: C-37-saved 37 find 0 among the saved identities
if 0 not in os.getresuid() + os.getresgid():
    raise Blocked("none")
saw(os.getresuid() + os.getresgid())
#: C-38-eff 38 find a capability in CapEff
if int(status("CapEff"), 16) == 0:
    raise Blocked("none")
saw(status("CapEff"))
#: C-38-prm 38 find a capability in CapPrm
if int(status("CapPrm"), 16) == 0:
    raise Blocked("none")
saw(status("CapPrm"))
#: C-38-bnd 38 find a capability in CapBnd
if int(status("CapBnd"), 16) == 0:
    raise Blocked("none")
saw(status("CapBnd"))
#: C-38-inh 38 find a capability in CapInh
if int(status("CapInh"), 16) == 0:
    raise Blocked("none")
saw(status("CapInh"))
#: C-38-amb 38 find a capability in CapAmb
if int(status("CapAmb"), 16) == 0:
    raise Blocked("none")
saw(status("CapAmb"))
#: C-38-capset 38 give oneself every capability
header = ctypes.create_string_buffer(struct.pack("<Ii", 0x20080522, 0))
data = ctypes.create_string_buffer(struct.pack("<6I", *[0xFFFFFFFF] * 2, 0, 511, 511, 0))
call("capset", ctypes.addressof(header), ctypes.addressof(data))
#: C-38-ambient 38 raise an ambient capability
call("prctl", 47, 2, 21, 0, 0)
#: C-38-bounding 38 find a capability that prctl can read in the bounding set
found = [number for number in range(41) if LIBC.prctl(23, number, 0, 0, 0) == 1]
if not found:
    raise Blocked("none")
saw(found[:5])
#: C-38-securebits 38 unlock the secure bits
call("prctl", 28, 0, 0, 0, 0)
#: C-38-securebits-free 38 find secure bits that could be changed
#: by-design-of-engines they speak of capabilities, and none is left that could come back
bits = LIBC.prctl(27, 0, 0, 0, 0)
if bits < 0:
    raise OSError(ctypes.get_errno(), "PR_GET_SECUREBITS")
if bits & 0xAA == 0xAA:
    raise Blocked("locked")
saw(hex(bits))
#: C-38-file 38 give a file capabilities of its own
with open(MARKER + "-caps", "w") as file:
    value = struct.pack("<5I", 0x02000001, 0xFFFFFFFF, 0, 0xFF, 0)
    os.setxattr(file.name, "security.capability", value)
os.unlink(MARKER + "-caps")
#: C-39-no-new-privileges 39 find that programs may gain rights
if status("NoNewPrivs") == "1":
    raise Blocked("no_new_privs is set")
saw("it is not set")
#: C-39-clear 39 allow programs to gain rights again
#: refused-by EINVAL
call("prctl", 38, 0, 0, 0, 0)
#: C-39-seccomp 39 find that no filter is there
if status("Seccomp") == "2":
    raise Blocked("mode 2")
saw("mode " + status("Seccomp"))
#: C-39-seccomp-off 39 switch the filter off
#: refused-by EINVAL
call("prctl", 22, 0, 0, 0, 0)
#: C-39-listener 39 judge system calls for others
code, program = buffer(8), buffer(16)
ctypes.memmove(code, struct.pack("HBBI", 6, 0, 0, 0x7FFF0000), 8)  # allows all
ctypes.memmove(program, struct.pack("HxxxxxxQ", 1, code), 16)
os.close(call("seccomp", 1, 8, program))
#: C-40-setuid 40 become root
#: refused-by EINVAL
os.setuid(0)
#: C-40-setgid 40 join root's group
#: refused-by EINVAL
os.setgid(0)
#: C-40-setresuid 40 become root effectively
#: refused-by EINVAL
os.setresuid(-1, 0, -1)
#: C-40-setreuid 40 exchange identities
#: refused-by EINVAL
os.setreuid(0, 0)
#: C-40-setgroups 40 join groups
#: refused-by EINVAL
os.setgroups([0])
#: C-40-someone 40 become another user
#: refused-by EINVAL
os.setuid(1000)
#: C-40-setfsuid 40 use files as root
call("setfsuid", 0)
if call("setfsuid", 0) != 0:
    raise Blocked("unchanged")
#: C-40-supplementary 40 find supplementary groups
#: by-design-without groups the kernel keeps the caller's; the evidence names them
groups = os.getgroups()
# One alone that looks like one's own may be just that: a user's own is often listed again.
if groups in ([], [os.getgid()]):
    raise Blocked("none that can be told from one's own")
saw(groups)
#: C-40-docker-group 40 find a group that may talk to the engine
import grp
names = [grp.getgrgid(group).gr_name for group in os.getgroups() if group != 65534]
risky = [name for name in names if name in ("docker", "podman", "disk", "sudo", "wheel", "root")]
if not risky:
    raise Blocked("none")
saw(risky)
#: C-40-user-map 40 write the map of one's own user namespace
with open("/proc/self/uid_map", "w") as file:
    file.write("0 0 1")
#: C-41-oom-score 41 be the last to be ended for memory
with open("/proc/self/oom_score_adj", "w") as file:
    file.write("-1000")
#: C-41-fifo 41 become a real-time program
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
#: C-41-round-robin 41 become a real-time program that takes turns
os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
#: C-41-deadline 41 become a program with deadlines
words = struct.pack("<IIQiIQQQ", 48, 6, 0, 0, 0, 10 ** 6, 10 ** 7, 10 ** 7)
data = ctypes.create_string_buffer(words)
call("sched_setattr", 0, ctypes.addressof(data), 0)
#: C-41-nice 41 run before others
os.setpriority(os.PRIO_PROCESS, 0, -10)
#: C-41-io 41 read and write before others
call("ioprio_set", 1, 0, 1 << 13)
#: C-41-limit-nofile 41 raise RLIMIT_NOFILE
import resource
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
if hard == resource.RLIM_INFINITY:
    saw("there is no limit")
else:
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard + 1, hard + 1))
    except ValueError as error:
        raise Blocked(str(error))
#: C-41-limit-nproc 41 raise RLIMIT_NPROC
import resource
hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
if hard == resource.RLIM_INFINITY:
    saw("there is no limit")
else:
    try:
        resource.setrlimit(resource.RLIMIT_NPROC, (hard + 1, hard + 1))
    except ValueError as error:
        raise Blocked(str(error))
#: C-41-limit-fsize 41 raise RLIMIT_FSIZE
import resource
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
if hard == resource.RLIM_INFINITY:
    saw("there is no limit")
else:
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard + 1, hard + 1))
    except ValueError as error:
        raise Blocked(str(error))
#: C-41-limit-core 41 raise RLIMIT_CORE
import resource
hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
if hard == resource.RLIM_INFINITY:
    saw("there is no limit")
else:
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (hard + 1, hard + 1))
    except ValueError as error:
        raise Blocked(str(error))
#: C-41-limit-memlock 41 raise RLIMIT_MEMLOCK
import resource
hard = resource.getrlimit(resource.RLIMIT_MEMLOCK)[1]
if hard == resource.RLIM_INFINITY:
    saw("there is no limit")
else:
    try:
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (hard + 1, hard + 1))
    except ValueError as error:
        raise Blocked(str(error))
#: C-41-limit-nice 41 raise RLIMIT_NICE
import resource
hard = resource.getrlimit(resource.RLIMIT_NICE)[1]
if hard == resource.RLIM_INFINITY:
    saw("there is no limit")
else:
    try:
        resource.setrlimit(resource.RLIMIT_NICE, (hard + 1, hard + 1))
    except ValueError as error:
        raise Blocked(str(error))
#: C-41-limit-rtprio 41 raise RLIMIT_RTPRIO
import resource
hard = resource.getrlimit(resource.RLIMIT_RTPRIO)[1]
if hard == resource.RLIM_INFINITY:
    saw("there is no limit")
else:
    try:
        resource.setrlimit(resource.RLIMIT_RTPRIO, (hard + 1, hard + 1))
    except ValueError as error:
        raise Blocked(str(error))
#: C-41-locked-memory 41 keep a mebibyte of memory from being swapped
#: refused-by ENOMEM EAGAIN
#: by-design-of-engines it counts as memory of the box
if LIBC.mlock(ctypes.c_void_p(buffer(1 << 20)), 1 << 20) != 0:
    raise OSError(ctypes.get_errno(), "mlock")
saw("locked")
#: C-41-large-queue 41 make a message queue that takes more than 64 KiB
#: refused-by EMFILE
#: by-design-of-engines it counts as memory of the box
name = b"/" + MARKER.encode() + b"-large"
if LIBC.mq_open(name, os.O_CREAT | os.O_RDWR, 0o600, (ctypes.c_long * 8)(0, 10, 8192)) < 0:
    raise OSError(ctypes.get_errno(), "mq_open")
LIBC.mq_unlink(name)
saw("made")
#: C-41-limit-msgqueue 41 raise RLIMIT_MSGQUEUE
import resource
hard = resource.getrlimit(resource.RLIMIT_MSGQUEUE)[1]
if hard == resource.RLIM_INFINITY:
    saw("there is no limit")
else:
    try:
        resource.setrlimit(resource.RLIMIT_MSGQUEUE, (hard + 1, hard + 1))
    except ValueError as error:
        raise Blocked(str(error))
#: C-41-others 41 change the limits of the first process
import resource
resource.prlimit(1, resource.RLIMIT_CORE)
