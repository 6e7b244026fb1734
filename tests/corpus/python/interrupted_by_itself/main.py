import atexit
import signal


def search(limit):
    for number in range(limit):
        if number == 3:
            signal.raise_signal(signal.SIGINT)
        print("looked at", number)


atexit.register(print, "atexit still runs")
try:
    try:
        search(10)
    except Exception:
        print("never printed: an interrupt is no Exception")
finally:
    print("cleaned up")
