import signal
import time

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
print("immortal", flush=True)
while True:
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        continue
