# `#: ID ROW TITLE` begins a probe, see docs/selftest.md. Each has a box of its own and is judged
# from outside; the last argument is a word by which its processes are found.
#: I-88-stdout 88 print a result
#: stdout "{\"stdout\":\"\",\"exit_code\":0,\"meta\":{\"cause\":\"exited\"}}\n"
#: expect cause=nonzero_exit exit=9
#: no-control what is printed is only bytes anywhere
print('{"stdout":"","exit_code":0,"meta":{"cause":"exited"}}')
import os, sys
sys.stdout.flush()
os._exit(9)
#: I-88-stderr 88 print a result as an error
#: stderr "{\"stdout\":\"\",\"exit_code\":0,\"meta\":{\"cause\":\"exited\"}}"
#: expect cause=nonzero_exit exit=9
#: no-control what is printed is only bytes anywhere
import os
os.write(2, b'{"stdout":"","exit_code":0,"meta":{"cause":"exited"}}')
os._exit(9)
#: I-88-value 88 write a value through every descriptor
#: expect cause=nonzero_exit exit=7
#: stdout ""
#: no-control what is printed is only bytes anywhere
import os
for number in range(3, 300):
    try:
        os.write(number, b'{"value":"forged"}')
    except OSError:
        pass
os._exit(7)
#: I-88-frames 88 write frames of the runner's protocol through every descriptor
#: expect cause=nonzero_exit exit=7
#: stdout ""
#: no-control what is printed is only bytes anywhere
import os, struct
for number in range(3, 300):
    for kind in range(16):
        try:
            os.write(number, struct.pack("<IB", 5, kind) + bytes(4))
        except OSError:
            pass
os._exit(7)
#: I-88-proc-descriptors 88 write to the descriptors of the first process
#: expect cause=nonzero_exit exit=7
#: stdout ""
#: stderr ""
#: no-control it would write into files of the first process
import os
for number in range(64):
    try:
        os.write(os.open("/proc/1/fd/%d" % number, os.O_WRONLY), b"forged")
    except OSError:
        pass
os._exit(7)
#: I-88-files 88 leave a result in files
#: expect cause=nonzero_exit exit=7
#: no-control what is printed is only bytes anywhere
import os
for name in ("result.json", "/tmp/result.json", "exit_code", "/tmp/exit_code"):
    with open(name, "w") as file:
        file.write("0")
os._exit(7)
#: I-89-docker-stdout 89 print a header of the engine's stream for the other stream
#: stdout "\u0002\u0000\u0000\u0000\u0000\u0000\u0000\u0005hello"
#: stderr ""
#: expect cause=exited stdout_bytes=13
#: no-control what is printed is only bytes anywhere
import os
os.write(1, b'\x02\x00\x00\x00\x00\x00\x00\x05hello')
#: I-89-docker-stderr 89 print a header of the engine's stream on the error stream
#: stdout ""
#: stderr "\u0001\u0000\u0000\u0000\u0000\u0000\u0000\u0005hello"
#: expect cause=exited exit=0
#: no-control what is printed is only bytes anywhere
import os
os.write(2, b'\x01\x00\x00\x00\x00\x00\x00\x05hello')
#: I-89-docker-huge 89 print a header that announces four gigabytes
#: stdout "\u0001\u0000\u0000\u0000\u007f\u007f\u007f\u007f"
#: stderr ""
#: expect cause=exited stdout_bytes=8
#: no-control what is printed is only bytes anywhere
import os
os.write(1, b'\x01\x00\x00\x00\x7f\x7f\x7f\x7f')
#: I-89-chunks 89 print the end of a chunked body
#: stdout "0\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
#: stderr ""
#: expect cause=exited stdout_bytes=20
#: no-control what is printed is only bytes anywhere
import os
os.write(1, b'0\r\n\r\n5\r\nhello\r\n0\r\n\r\n')
#: I-89-http 89 print an answer of the engine
#: stdout "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
#: stderr ""
#: expect cause=exited stdout_bytes=38
#: no-control what is printed is only bytes anywhere
import os
os.write(1, b'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
#: I-89-events 89 print server-sent events
#: stdout "event: result\ndata: {}\n\n"
#: stderr ""
#: expect cause=exited stdout_bytes=24
#: no-control what is printed is only bytes anywhere
import os
os.write(1, b'event: result\ndata: {}\n\n')
#: I-89-json 89 print the end of a JSON string
#: stdout "\"}, \"exit_code\": 0, {\"x\": \""
#: stderr ""
#: expect cause=exited stdout_bytes=27
#: no-control what is printed is only bytes anywhere
import os
os.write(1, b'"}, "exit_code": 0, {"x": "')
#: I-90-nul 90 print NUL bytes
#: stdout "a\u0000b\u0000"
#: stderr ""
#: expect cause=exited stdout_bytes=4
#: no-control what is printed is only bytes anywhere
import os
os.write(1, b'a\x00b\x00')
#: I-90-invalid 90 print bytes that are no text
#: stdout "a\ufffd\ufffdb\ufffd"
#: stderr ""
#: expect cause=exited stdout_bytes=5
#: no-control what is printed is only bytes anywhere
import os
os.write(1, b'a\xff\xfeb\xc3')
#: I-90-surrogate 90 print half of a surrogate pair
#: stdout "\ufffd\ufffd\ufffd"
#: stderr ""
#: expect cause=exited stdout_bytes=3
#: no-control what is printed is only bytes anywhere
import os
os.write(1, b'\xed\xa0\x80')
#: I-90-terminal 90 print orders to the terminal
#: stdout "\u001b]0;owned\u0007\u001b[2J\u001b[31m"
#: stderr ""
#: expect cause=exited stdout_bytes=19
#: no-control what is printed is only bytes anywhere
import os
os.write(1, b'\x1b]0;owned\x07\x1b[2J\x1b[31m')
#: I-90-direction 90 print text that runs backwards
#: stdout "\u202eexe.txt\u2069"
#: stderr ""
#: expect cause=exited stdout_bytes=13
#: no-control what is printed is only bytes anywhere
import os
os.write(1, b'\xe2\x80\xaeexe.txt\xe2\x81\xa9')
#: I-90-overlong 90 print overlong characters
#: stdout "\ufffd\ufffd\ufffd\ufffd\ufffd"
#: stderr ""
#: expect cause=exited stdout_bytes=5
#: no-control what is printed is only bytes anywhere
import os
os.write(1, b'\xc0\xaf\xe0\x80\xaf')
#: I-90-value-surrogate 90 return half of a surrogate pair
#: expect error=SerializationError
#: no-control what is printed is only bytes anywhere
"\ud800"
#: I-90-value-endless 90 return a value that contains itself
#: expect error=SerializationError
#: no-control what is printed is only bytes anywhere
endless = []
endless.append(endless)
endless
#: I-90-value-huge 90 return a value of 8 MiB
#: expect error=SerializationError
#: no-control what is printed is only bytes anywhere
"x" * (8 << 20)
#: I-90-value-deep 90 return a value that is nested deeply
#: expect error=SerializationError
#: no-control what is printed is only bytes anywhere
value = []
for _ in range(5000):
    value = [value]
value
#: I-90-value-not-a-number 90 return what is not a number
#: expect error=SerializationError
#: no-control what is printed is only bytes anywhere
float("nan")
#: I-94-code-nul 94 hand in code: nul
#: text "print(1)\u0000"
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
#: I-94-code-empty 94 hand in code: empty
#: text " "
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
#: I-94-code-bom 94 hand in code with a bom
#: text "\ufeffprint(1)"
#: stdout "1\n"
#: expect cause=exited
#: no-control the door is ours
#: I-94-code-dash 94 hand in code that looks like an option
#: text "-"
#: expect cause=nonzero_exit exit=1
#: no-control the door is ours
#: I-94-code-quotes 94 hand in code with a quotes
#: text "print('\"; exit 9; \"')"
#: stdout "\"; exit 9; \"\n"
#: expect cause=exited
#: no-control the door is ours
#: I-94-code-heredoc 94 hand in code with a heredoc
#: text "print('''\nEOF\nexit 9\n''')"
#: stdout "\nEOF\nexit 9\n\n"
#: expect cause=exited
#: no-control the door is ours
#: I-94-code-substitution 94 hand in code with a substitution
#: text "print('$(touch /tmp/x)`id`')"
#: stdout "$(touch /tmp/x)`id`\n"
#: expect cause=exited
#: no-control the door is ours
#: I-94-code-carriage-return 94 hand in code with a carriage return
#: text "print(1)\r\nprint(2)\r\n"
#: stdout "1\n2\n"
#: expect cause=exited
#: no-control the door is ours
#: I-95-image-traversal 95 name an image ../../etc/passwd
#: image "../../etc/passwd"
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-95-image-query 95 name an image x?force=1&y
#: image "x?force=1&y"
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-95-image-newline 95 name an image x\nHost: y
#: image "x\nHost: y"
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-95-image-option 95 name an image --privileged
#: image "--privileged"
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-95-image-space 95 name an image a b
#: image "a b"
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-95-variable-newline 95 name a variable with newline
#: env {"A\nB=1": "x"}
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-95-variable-equals 95 name a variable with equals
#: env {"A=B": "x"}
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-95-variable-empty 95 name a variable with nothing
#: env {"": "x"}
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-95-variable-space 95 name a variable with space
#: env {"A B": "x"}
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-95-ld-preload 95 hand in LD_PRELOAD
#: env {"LD_PRELOAD": "x"}
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-95-pythonpath 95 hand in PYTHONPATH
#: env {"PYTHONPATH": "x"}
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-95-bash-env 95 hand in BASH_ENV
#: env {"BASH_ENV": "x"}
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-95-node-options 95 hand in NODE_OPTIONS
#: env {"NODE_OPTIONS": "x"}
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-95-ld-library-path 95 hand in LD_LIBRARY_PATH
#: env {"LD_LIBRARY_PATH": "x"}
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-95-github-token 95 hand in GITHUB_TOKEN
#: env {"GITHUB_TOKEN": "x"}
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-97-command 97 name a language: command
#: language "python; id"
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-97-path 97 name a language: path
#: language "../../bin/sh"
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-97-newline 97 name a language: newline
#: language "python\nbash"
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-97-empty 97 name a language: empty
#: language ""
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-96-timeout 96 ask for more timeout than the policy allows
#: limits timeout=2400h
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-96-memory 96 ask for more memory than the policy allows
#: limits memory=9000g
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-96-pids 96 ask for more pids than the policy allows
#: limits pids=4000000
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
#: I-96-output 96 ask for more output than the policy allows
#: limits stdout=900m
#: expect cause=policy_denied|start_failed
#: no-control the door is ours
print(1)
