# `#: ID ROW TITLE` begins a probe, see docs/selftest.md. Each has a box of its own and is judged
# from outside; the last argument is a word by which its processes are found.
#: E-49-fork-bomb 49 make processes without end
#: limits pids=24 timeout=30s
#: stdout "refused\n"
#: expect survivors=0
#: no-control it would fill this machine's table of processes
import os, time
try:
    for _ in range(400):
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
except BlockingIOError:
    print("refused")
#: E-49-shell-bomb 49 make processes that make processes
#: limits pids=24 timeout=1s grace=300ms
#: expect cause=timeout|pids_limit|nonzero_exit|exited survivors=0 seconds=8
#: no-control it would fill this machine's table of processes
import os, time
until = time.monotonic() + 20
while time.monotonic() < until:
    try:
        os.fork()
    except OSError:
        pass
#: E-49-thread-bomb 49 make threads without end
#: limits pids=24 timeout=30s
#: stdout "refused\n"
#: expect survivors=0
#: no-control it would fill this machine's table of processes
import threading
event = threading.Event()
try:
    for _ in range(400):
        threading.Thread(target=event.wait, daemon=True).start()
except RuntimeError:
    print("refused", flush=True)
import os
os._exit(0)
#: E-50-daemon 50 leave a daemon behind
#: stdout "ended\n"
#: expect cause=exited survivors=0 seconds=8
import os, time
reader, writer = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        null = os.open("/dev/null", os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        os.write(writer, b"up")
        time.sleep(30)
    os._exit(0)
os.read(reader, 2)
os.wait()
print("ended")
#: E-50-many-daemons 50 leave twenty daemons in sessions of their own
#: stdout "ended\n"
#: expect cause=exited survivors=0 seconds=8
import os, time
reader, writer = os.pipe()
for _ in range(20):
    if os.fork() == 0:
        os.setsid()
        os.write(writer, b"x")
        for number in (0, 1, 2):
            os.close(number)
        time.sleep(30)
count = 0
while count < 20:
    count += len(os.read(reader, 20))
print("ended")
#: E-51-held-output 51 leave a grandchild that holds the output open
#: stdout "ended\n"
#: expect cause=exited survivors=0 seconds=8
import os, time
if os.fork() == 0:
    time.sleep(30)
    os._exit(0)
print("ended")
#: E-52-closed 52 close the output and go on
#: limits timeout=1s grace=300ms
#: expect cause=timeout survivors=0 seconds=8
import os
for number in (0, 1, 2):
    os.close(number)
while True:
    pass
#: E-52-all-closed 52 close every descriptor and go on
#: limits timeout=1s grace=300ms
#: expect cause=timeout survivors=0 seconds=8
import os, time
os.closerange(0, 4096)
time.sleep(60)
#: E-53-deaf 53 ignore every signal in several sessions
#: limits timeout=1s grace=300ms
#: expect cause=timeout survivors=0 seconds=8
import os, signal, time
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
for _ in range(4):
    if os.fork() == 0:
        os.setsid()
        break
while True:
    time.sleep(60)
#: E-53-handler 53 answer every signal with more work
#: limits timeout=1s grace=300ms
#: expect cause=timeout survivors=0 seconds=8
import signal, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, lambda *_: time.sleep(60))
while True:
    time.sleep(60)
#: E-54-stopped 54 stop oneself
#: limits timeout=1s grace=300ms
#: expect cause=timeout survivors=0 seconds=8
import os, signal
os.kill(os.getpid(), signal.SIGSTOP)
#: E-54-stopped-tree 54 stop oneself and one's children
#: limits timeout=1s grace=300ms
#: expect cause=timeout survivors=0 seconds=8
import os, signal
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        break
os.kill(os.getpid(), signal.SIGSTOP)
#: E-55-rabbit 55 be a new process all the time
#: expect survivors=0 seconds=8
#: limits timeout=3s grace=300ms
import os, time
until = time.monotonic() + 30
while time.monotonic() < until:
    time.sleep(0.02)
    try:
        if os.fork() != 0:
            os._exit(0)
    except OSError:
        pass
#: E-56-zombies 56 leave children unreaped
#: limits pids=24 timeout=30s
#: stdout "refused\n"
#: expect survivors=0
#: no-control it would fill this machine's table of processes
import os, time
made = 0
try:
    while made < 500:
        if os.fork() == 0:
            os._exit(0)
        made += 1
except BlockingIOError:
    print("refused")
#: E-56-orphans 56 make orphans that end at once
#: limits pids=40 timeout=30s
#: stdout "all\n"
#: expect cause=exited survivors=0
#: no-control its orphans end by themselves anywhere
import os
for _ in range(120):
    child = os.fork()
    if child == 0:
        if os.fork() != 0:
            os._exit(0)
        os._exit(0)
    os.waitpid(child, 0)
print("all")
#: E-57-kill-all 57 kill everything
#: expect cause=exited|signalled survivors=0 seconds=8
#: no-control it would end every process of this machine
import os, signal, time
if os.fork() == 0:
    os.setsid()
    time.sleep(60)
os.kill(-1, signal.SIGKILL)
os.wait()
print("goes on")
#: E-57-term-init 57 send SIGTERM to the first process
#: stdout "goes on\n"
#: expect cause=exited
#: no-control it would end or stop the first process of this machine
import os, signal
try:
    os.kill(1, signal.SIGTERM)
except OSError:
    pass
print("goes on")
#: E-57-kill-init 57 send SIGKILL to the first process
#: stdout "goes on\n"
#: expect cause=exited
#: no-control it would end or stop the first process of this machine
import os, signal
try:
    os.kill(1, signal.SIGKILL)
except OSError:
    pass
print("goes on")
#: E-57-stop-init 57 send SIGSTOP to the first process
#: stdout "goes on\n"
#: expect cause=exited
#: no-control it would end or stop the first process of this machine
import os, signal
try:
    os.kill(1, signal.SIGSTOP)
except OSError:
    pass
print("goes on")
#: E-57-int-init 57 send SIGINT to the first process
#: stdout "goes on\n"
#: expect cause=exited
#: no-control it would end or stop the first process of this machine
import os, signal
try:
    os.kill(1, signal.SIGINT)
except OSError:
    pass
print("goes on")
#: E-57-chld-init 57 send SIGCHLD to the first process
#: stdout "goes on\n"
#: expect cause=exited
#: no-control it would end or stop the first process of this machine
import os, signal
try:
    os.kill(1, signal.SIGCHLD)
except OSError:
    pass
print("goes on")
#: E-57-group 57 kill one's own process group
#: expect cause=signalled signal=9 survivors=0
#: no-control the end is the same anywhere
import os, signal
os.kill(0, signal.SIGKILL)
#: E-59-exit-0 59 end with 0
#: expect cause=exited exit=0
#: no-control an exit status is the same anywhere
import os
os._exit(0)
#: E-59-exit-1 59 end with 1
#: expect cause=nonzero_exit exit=1
#: no-control an exit status is the same anywhere
import os
os._exit(1)
#: E-59-exit-2 59 end with 2
#: expect cause=nonzero_exit exit=2
#: no-control an exit status is the same anywhere
import os
os._exit(2)
#: E-59-exit-7 59 end with 7
#: expect cause=nonzero_exit exit=7
#: no-control an exit status is the same anywhere
import os
os._exit(7)
#: E-59-exit-124 59 end with 124
#: expect cause=nonzero_exit exit=124
#: no-control an exit status is the same anywhere
import os
os._exit(124)
#: E-59-exit-125 59 end with 125
#: expect cause=nonzero_exit exit=125
#: no-control an exit status is the same anywhere
import os
os._exit(125)
#: E-59-exit-126 59 end with 126
#: expect cause=nonzero_exit exit=126
#: no-control an exit status is the same anywhere
import os
os._exit(126)
#: E-59-exit-127 59 end with 127
#: expect cause=nonzero_exit exit=127
#: no-control an exit status is the same anywhere
import os
os._exit(127)
#: E-59-exit-137 59 end with 137
#: expect cause=nonzero_exit exit=137
#: no-control an exit status is the same anywhere
import os
os._exit(137)
#: E-59-exit-143 59 end with 143
#: expect cause=nonzero_exit exit=143
#: no-control an exit status is the same anywhere
import os
os._exit(143)
#: E-59-exit-255 59 end with 255
#: expect cause=nonzero_exit exit=255
#: no-control an exit status is the same anywhere
import os
os._exit(255)
#: E-59-sigkill 59 end by SIGKILL
#: expect cause=signalled signal=9 exit=-1
#: no-control a signal is the same anywhere
import os
os.kill(os.getpid(), 9)
#: E-59-sigterm 59 end by SIGTERM
#: expect cause=signalled signal=15 exit=-1
#: no-control a signal is the same anywhere
import os, signal
signal.signal(15, signal.SIG_DFL)
os.kill(os.getpid(), 15)
#: E-59-sigsegv 59 end by SIGSEGV
#: expect cause=signalled signal=11 exit=-1
#: no-control a signal is the same anywhere
import os, signal
signal.signal(11, signal.SIG_DFL)
os.kill(os.getpid(), 11)
#: E-59-sigabrt 59 end by SIGABRT
#: expect cause=signalled signal=6 exit=-1
#: no-control a signal is the same anywhere
import os, signal
signal.signal(6, signal.SIG_DFL)
os.kill(os.getpid(), 6)
#: E-59-sigusr1 59 end by SIGUSR1
#: expect cause=signalled signal=10 exit=-1
#: no-control a signal is the same anywhere
import os, signal
signal.signal(10, signal.SIG_DFL)
os.kill(os.getpid(), 10)
#: E-59-sigpipe 59 end by SIGPIPE
#: expect cause=signalled signal=13 exit=-1
#: no-control a signal is the same anywhere
import os, signal
signal.signal(13, signal.SIG_DFL)
os.kill(os.getpid(), 13)
#: E-59-sigquit 59 end by SIGQUIT
#: expect cause=signalled signal=3 exit=-1
#: no-control a signal is the same anywhere
import os, signal
signal.signal(3, signal.SIG_DFL)
os.kill(os.getpid(), 3)
#: E-59-sigsys 59 end by SIGSYS
#: expect cause=signalled signal=31 exit=-1
#: no-control a signal is the same anywhere
import os, signal
signal.signal(31, signal.SIG_DFL)
os.kill(os.getpid(), 31)
#: E-59-real-time-signal 59 end by a real-time signal
#: expect cause=signalled signal=40
#: no-control a signal is the same anywhere
import os
os.kill(os.getpid(), 40)
#: E-61-vfork 61 wait for a stopped child that was made by vfork
#: limits timeout=1s grace=300ms
#: expect cause=timeout survivors=0 seconds=8
import ctypes, os, signal
if ctypes.CDLL(None).vfork() == 0:
    os.kill(os.getpid(), signal.SIGSTOP)
