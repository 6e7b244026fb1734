# A family that does not want to end: deaf to TERM, in sessions of its own, orphaned, stopped.
import os
import signal
import sys
import time

for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"):
    signal.signal(getattr(signal, name), signal.SIG_IGN)
marker = sys.argv[1]


def sleeper(*, session=False, stopped=False):
    if os.fork() == 0:
        if session:
            os.setsid()
            if os.fork() != 0:
                os._exit(0)
        if stopped:
            os.kill(os.getpid(), signal.SIGSTOP)
        os.execvp("python3", ["python3", "-c", "import signal, time\n"
                              "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                              "time.sleep(300)", marker])


sleeper()
sleeper(session=True)
sleeper(stopped=True)
sleeper(session=True, stopped=True)
if os.fork() == 0:
    os._exit(0)  # never waited for: a zombie
print("the family is there", flush=True)
time.sleep(300)
