import subprocess

words = "pear\napple\nfig\napple\npear\napple\n"
ranked = subprocess.run(
    "sort | uniq -c | sort -rn", shell=True, input=words, capture_output=True, text=True, check=True
)
for line in ranked.stdout.splitlines():
    count, word = line.split()
    print(word, count)

echo = subprocess.run(["echo", "*", "$HOME"], capture_output=True, text=True)
print(repr(echo.stdout))

failed = subprocess.run(["sh", "-c", "echo to stderr >&2; exit 9"], capture_output=True, text=True)
print(failed.returncode, repr(failed.stderr))

killed = subprocess.run(["sh", "-c", "kill -TERM $$"])
print("killed by", -killed.returncode)

pipe = subprocess.run("yes | head -n 2", shell=True, capture_output=True, text=True)
print(pipe.stdout.split(), repr(pipe.stderr))

try:
    subprocess.run(["sleep", "30"], timeout=0.2)
except subprocess.TimeoutExpired as error:
    print("timed out:", error.cmd)
try:
    subprocess.run(["no-such-program-here"])
except FileNotFoundError as error:
    print("not found:", error.filename)
