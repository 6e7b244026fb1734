import subprocess
import sys

ARGUMENTS = ["", "None", "7", "256", "-1", "True", "3.0", "'text'", "(1, 2)"]


def status(argument):
    code = f"import sys; sys.exit({argument})"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return result.returncode, result.stderr


for argument in ARGUMENTS:
    print(f"{argument:<8}", *map(repr, status(argument)))

try:
    sys.exit("caught")
except SystemExit as stop:
    print("caught:", stop.code, stop.args)
try:
    raise SystemExit
except BaseException as stop:
    print("no code:", stop.code)
try:
    sys.exit(1)
finally:
    print("done", file=sys.stderr)
    sys.exit(-3)
