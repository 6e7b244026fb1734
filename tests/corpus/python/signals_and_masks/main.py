import os
import signal
import threading

seen = []


def handler(number, frame):
    seen.append((signal.Signals(number).name, frame.f_code.co_name))


def work():
    signal.raise_signal(signal.SIGUSR1)
    return "worked"


before = signal.signal(signal.SIGUSR1, handler)
print(before is signal.SIG_DFL, work(), seen)

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGUSR2})
os.kill(os.getpid(), signal.SIGUSR1)
os.kill(os.getpid(), signal.SIGUSR1)
print("pending:", sorted(s.name for s in signal.sigpending()), len(seen))
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1})
print("delivered:", len(seen))

threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGUSR2)).start()
print("waited for", signal.sigwait({signal.SIGUSR2}).name)

signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.kill(os.getpid(), signal.SIGTERM)
print("still here", signal.getsignal(signal.SIGTERM) is signal.SIG_IGN)


def stop(number, frame):
    raise TimeoutError("stopped by a signal")


signal.signal(signal.SIGHUP, stop)
try:
    signal.raise_signal(signal.SIGHUP)
    print("never printed")
except TimeoutError as error:
    print(error)
try:
    signal.raise_signal(signal.SIGINT)
    print("never printed")
except KeyboardInterrupt:
    print("interrupted")
try:
    signal.signal(signal.SIGKILL, handler)
except OSError:
    print("SIGKILL cannot be handled")
