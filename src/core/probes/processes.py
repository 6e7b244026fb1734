# `#: ID ROW TITLE` begins a probe, see docs/selftest.md; the helpers come from sheet.py.
#: E-46-signal 46 signal a process of the host
#: scene
os.kill(SCENE["pid"], 0)
saw("it can be signalled")
#: E-46-pidfd 46 get a descriptor of a process of the host
#: scene
os.close(os.pidfd_open(SCENE["pid"]))
#: E-46-open-memory 46 open the memory of a process of the host
#: scene
opens("/proc/%d/mem" % SCENE["pid"], os.O_RDWR)
#: E-46-parent 46 signal the process group of whoever started the box
#: scene
if os.getppid() and os.path.realpath("/proc/1/exe"):
    os.kill(-SCENE["pid"], 0)
#: E-47-traceme 47 be traced
call("ptrace", 0, 0, 0, 0)
#: E-47-attach 47 trace one's own child
child = os.fork()
if child == 0:
    time.sleep(20)
    os._exit(0)
try:
    call("ptrace", 16, child, 0, 0)
finally:
    os.kill(child, signal.SIGKILL)
#: E-47-seize 47 seize one's own child
child = os.fork()
if child == 0:
    time.sleep(20)
    os._exit(0)
try:
    call("ptrace", 0x4206, child, 0, 0)
finally:
    os.kill(child, signal.SIGKILL)
#: E-47-attach-init 47 trace the first process
#: no-control it would stop the first process of this machine
call("ptrace", 16, 1, 0, 0)
#: E-47-read 47 read the memory of one's own child
child = os.fork()
if child == 0:
    time.sleep(20)
    os._exit(0)
try:
    call("process_vm_readv", child, 0, 0, 0, 0, 0)
finally:
    os.kill(child, signal.SIGKILL)
#: E-47-write 47 write the memory of one's own child
child = os.fork()
if child == 0:
    time.sleep(20)
    os._exit(0)
try:
    call("process_vm_writev", child, 0, 0, 0, 0, 0)
finally:
    os.kill(child, signal.SIGKILL)
#: E-47-pidfd-getfd 47 take a descriptor out of another process
call("pidfd_getfd", -1, 0, 0)
#: E-47-kcmp 47 compare kernel objects
call("kcmp", os.getpid(), os.getpid(), 0, 0, 1)
#: E-47-madvise 47 advise on the memory of another process
call("process_madvise", -1, 0, 0, 0, 0)
#: E-47-dumpable-init 47 reach the descriptors of the first process by number
opens("/proc/1/fd/3", os.O_WRONLY)
#: E-48-terminal 48 open the controlling terminal
opens("/dev/tty", os.O_RDWR)
#: E-48-console 48 open the console
opens("/dev/console", os.O_RDWR)
#: E-48-tiocsti 48 ask a terminal for TIOCSTI
call("ioctl", 0, 0x5412, NOWHERE)
#: E-48-tioclinux 48 ask a terminal for TIOCLINUX
call("ioctl", 0, 0x541c, NOWHERE)
#: E-48-tioccons 48 ask a terminal for TIOCCONS
call("ioctl", 0, 0x541d, NOWHERE)
#: E-48-tiocsetd 48 ask a terminal for TIOCSETD
call("ioctl", 0, 0x5423, NOWHERE)
#: E-48-tiocsctty 48 ask a terminal for TIOCSCTTY
#: by-design only a terminal of one's own can be taken, and a box is given none
call("ioctl", 0, 0x540e, NOWHERE)
#: E-48-tiocsti-high-bits 48 ask for TIOCSTI with bits above 32
call("ioctl", 0, 0x100005412, NOWHERE)
#: E-48-tioclinux-high-bits 48 ask for TIOCLINUX with bits above 32
call("ioctl", 0, 0xFFFFFFFF0000541C, NOWHERE)
#: E-48-tiocsetd-high-bits 48 ask for TIOCSETD with bits above 32
call("ioctl", 0, 0xDEADBEEF00005423, NOWHERE)
#: E-58-init 58 be the first process of a process namespace
if os.getppid() != 0 and os.getpid() != 1:
    raise Blocked("there is an init above")
saw("it is the first")
#: E-57-limit-init 57 take the first process its descriptors
#: no-control it would cripple the first process of this machine
import resource
resource.prlimit(1, resource.RLIMIT_NOFILE, (0, 0))
#: E-57-pidfd-init 57 send the first process a signal by descriptor
#: no-control it would try to end the first process of this machine
opened = os.pidfd_open(1)
call("pidfd_send_signal", opened, 9, 0, 0)
os.kill(1, 0)
raise Blocked("it goes on")
