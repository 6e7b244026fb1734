import os
import subprocess
import sys

CHILD = """
import sys
for line in sys.stdin:
    line = line.strip()
    if line == "bye":
        print("closing", file=sys.stderr)
        sys.exit(3)
    print(line.upper(), flush=True)
"""


def python(code):
    return [sys.executable, "-c", code]


with subprocess.Popen(python(CHILD), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                      stderr=subprocess.PIPE, text=True, bufsize=1) as child:
    for word in ("hello", "straße"):
        child.stdin.write(word + "\n")
        print(child.stdout.readline().rstrip(), child.poll())
    rest, complaint = child.communicate("bye\n", timeout=20)
    print(child.returncode, repr(rest), repr(complaint))

make = subprocess.Popen(python("for n in range(40, 0, -1): print(n)"), stdout=subprocess.PIPE)
odd = subprocess.Popen(python("import sys\nfor l in sys.stdin: int(l) % 2 and print(l, end='')"),
                       stdin=make.stdout, stdout=subprocess.PIPE)
make.stdout.close()
last = subprocess.run(["tail", "-n", "2"], stdin=odd.stdout, capture_output=True, text=True)
odd.stdout.close()
print(last.stdout.split(), make.wait(), odd.wait())

os.mkdir("below")
code = "import os, sys; print(os.environ['COLOUR'], os.path.basename(os.getcwd()), *sys.argv[1:])"
print(subprocess.check_output([*python(code), "a b", "*"], cwd="below", text=True,
                              env={**os.environ, "COLOUR": "grün"}), end="")
try:
    subprocess.run(python("print('half'); raise SystemExit(9)"), check=True, capture_output=True)
except subprocess.CalledProcessError as error:
    print(error.returncode, error.stdout)
status = subprocess.run("exit 5; echo never", shell=True).returncode
killed = subprocess.run(python("import os; os.kill(os.getpid(), 9)")).returncode
print(status, killed, os.waitstatus_to_exitcode(os.system("exit 6")))
