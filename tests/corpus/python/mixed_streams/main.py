import os
import subprocess
import sys

for number in range(7):
    stream = sys.stderr if number % 2 else sys.stdout
    stream.write(f"{number} to {'stderr' if number % 2 else 'stdout'}\n")
sys.stdout.flush()
subprocess.run(["sh", "-c", "echo from a child; echo child complains >&2"])
os.write(1, b"last without newline")
