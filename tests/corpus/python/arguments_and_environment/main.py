import os
import sys

print(os.path.basename(sys.argv[0]), len(sys.argv) - 1)
for number, argument in enumerate(sys.argv[1:], 1):
    print(number, repr(argument))
print(repr(os.environ["GREETING"]), repr(os.environ["EMPTY"]), os.environ.get("ABSENT"))
print(os.environ["LANG"], os.environ["TZ"], sys.stdout.encoding, sys.getfilesystemencoding())
print("home is the working directory:", os.environ["HOME"] == os.getcwd())

{"count": len(sys.argv) - 1, "region": os.environ["REGION"]}
