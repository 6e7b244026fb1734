import sys
import time

for step in range(1, 4):
    print(f"step {step} of 5", flush=True)
    time.sleep(0.01)
print("waiting for an answer", file=sys.stderr, flush=True)
time.sleep(600)
print("step 4 of 5")
