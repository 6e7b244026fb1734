# `#: ID ROW TITLE` begins a program, see docs/selftest.md. Ordinary ones: they must work.
#: W-csv 0 read and write CSV
#: stdout "[['a', '1'], ['b, c', '2']]\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import csv, io
text = io.StringIO()
csv.writer(text).writerows([["a", 1], ["b, c", 2]])
print(list(csv.reader(io.StringIO(text.getvalue()))))
#: W-json 0 read and write JSON
#: stdout "{'a': [1, 2.5, None, '\u00e9']}\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import json
print(json.loads(json.dumps({"a": [1, 2.5, None, "\u00e9"]})))
#: W-sqlite 0 keep a database in a file
#: stdout "(4950,)\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import sqlite3
with sqlite3.connect("data.db") as base:
    base.execute("create table t (a int)")
    base.executemany("insert into t values (?)", [(n,) for n in range(100)])
print(sqlite3.connect("data.db").execute("select sum(a) from t").fetchone())
#: W-threads 0 compute in threads
#: stdout "328350\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool:
    print(sum(pool.map(lambda n: n * n, range(100))))
#: W-subprocess 0 start other programs
#: stdout "b\na\n\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import subprocess
print(subprocess.run(["sort", "-r"], input="a\nb\n", text=True, capture_output=True).stdout)
#: W-multiprocessing 0 compute in processes
#: stdout "[1, 2, 3]\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import multiprocessing
with multiprocessing.get_context("fork").Pool(3) as pool:
    print(pool.map(abs, [-1, -2, -3]))
#: W-shared-memory 0 share memory between processes
#: stdout "42\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
from multiprocessing import shared_memory
area = shared_memory.SharedMemory(create=True, size=100)
other = shared_memory.SharedMemory(area.name)
area.buf[0] = 42
print(other.buf[0])
other.close()
area.close()
area.unlink()
#: W-asyncio 0 wait for several things at once
#: stdout "['slept', b'hi\\n']\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import asyncio
async def main():
    process = await asyncio.create_subprocess_exec("echo", "hi", stdout=asyncio.subprocess.PIPE)
    print(await asyncio.gather(asyncio.sleep(0.01, "slept"), process.stdout.read()))
    await process.wait()
asyncio.run(main())
#: W-socketpair 0 talk over a pair of sockets
#: stdout "b'hello'\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import socket
one, two = socket.socketpair()
one.sendall(b"hello")
print(two.recv(5))
#: W-unix-socket 0 serve a Unix socket
#: stdout "b'hello'\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import os, socket
server = socket.socket(socket.AF_UNIX)
server.bind("service")
server.listen()
client = socket.socket(socket.AF_UNIX)
client.connect("service")
client.sendall(b"hello")
print(server.accept()[0].recv(5))
#: W-tempfile 0 use temporary files
#: stdout "True\n3\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import os, tempfile
with tempfile.TemporaryDirectory() as folder:
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        file.write(b"x")
    print(folder.startswith("/tmp/"))
with tempfile.TemporaryFile() as file:
    print(file.write(b"abc"))
#: W-mmap 0 map a file
#: stdout "b'hello'\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import mmap
with open("file", "w+b") as file:
    file.truncate(8192)
    with mmap.mmap(file.fileno(), 0) as area:
        area[4096:4101] = b"hello"
    file.seek(4096)
    print(file.read(5))
#: W-signal 0 handle signals and timers
#: stdout "usr1\nalarm\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import os, signal, time
signal.signal(signal.SIGUSR1, lambda *_: print("usr1"))
os.kill(os.getpid(), signal.SIGUSR1)
rung = []
signal.signal(signal.SIGALRM, lambda *_: rung.append(print("alarm")))
signal.setitimer(signal.ITIMER_REAL, 0.01)
while not rung:
    time.sleep(0.01)
#: W-zlib 0 compress
#: stdout "10000\n10000\n10000\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import bz2, lzma, zlib
for kind in (zlib, bz2, lzma):
    print(len(kind.decompress(kind.compress(bytes(10000)))))
#: W-hashlib 0 hash and sign
#: stdout "ca978112 b60090e3\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import hashlib, hmac
print(hashlib.sha256(b"a").hexdigest()[:8], hmac.new(b"k", b"m", "sha256").hexdigest()[:8])
#: W-locale 0 follow a locale
#: stdout "C.UTF-8 UTF-8\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import locale
print(locale.setlocale(locale.LC_ALL, "C.UTF-8"), locale.getpreferredencoding())
#: W-time 0 tell the time
#: stdout "UTC True True\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import time
print(time.strftime("%Z"), time.time() > 1600000000, time.perf_counter() > 0)
#: W-random 0 get random bytes
#: stdout "16 64 4\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import os, random, secrets, uuid
print(len(os.urandom(16)), len(secrets.token_hex()), uuid.uuid4().version)
#: W-decimal 0 count exactly
#: stdout "0.3 4/3\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
from decimal import Decimal
from fractions import Fraction
print(Decimal("0.1") * 3, Fraction(1, 3) + 1)
#: W-regular-expressions 0 search text
#: stdout "[('a', 'b'), ('c', 'd')]\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import re
print(re.findall(r"(\w+)@(\w+)", "a@b c@d"))
#: W-files 0 walk, rename and remove files
#: stdout "['c', 'file', 'link'] True\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import os, shutil
os.makedirs("a/b/c")
open("a/b/file", "w").close()
os.rename("a/b", "a/d")
os.symlink("file", "a/d/link")
print(sorted(os.listdir("a/d")), shutil.disk_usage(".").total > 0)
shutil.rmtree("a")
#: W-archive 0 pack and unpack archives
#: stdout "['file'] ['file']\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import tarfile, zipfile
open("file", "w").write("x")
with zipfile.ZipFile("a.zip", "w") as archive:
    archive.write("file")
with tarfile.open("a.tar.gz", "w:gz") as archive:
    archive.add("file")
print(zipfile.ZipFile("a.zip").namelist(), tarfile.open("a.tar.gz").getnames())
#: W-ctypes 0 call the C library
#: stdout "7\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import ctypes
print(ctypes.CDLL(None).abs(-7))
#: W-memory 0 use a hundred megabytes
#: stdout "100\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
print(len(bytearray(100 << 20)) >> 20)
#: W-select 0 wait with epoll and pipes
#: stdout "True\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
import os, select
reader, writer = os.pipe()
waiting = select.epoll()
waiting.register(reader, select.EPOLLIN)
os.write(writer, b"x")
print(waiting.poll(1)[0][1] == select.EPOLLIN)
#: W-input 0 read standard input
#: stdout "1048576\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
#: input 1
import sys
print(len(sys.stdin.buffer.read()))
#: W-value 0 return a value
#: stdout ""
#: expect cause=exited exit=0
#: no-control it works anywhere
#: value [1, {"a": null}]
[1, {"a": None}]
#: W-shell-pipes 0 run a pipeline
#: stdout " 1 a\n 2 b\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
#: language "bash"
printf "b\na\nb\n" | sort | uniq -c | tr -s " "
#: W-shell-traps 0 trap signals and the end
#: stdout "got\non\nend\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
#: language "bash"
trap 'echo got' USR1
trap 'echo end' EXIT
kill -USR1 $$
echo on
#: W-shell-arithmetic 0 calculate in the shell
#: stdout "14 3 3\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
#: language "bash"
a=(1 2 3)
for n in ${a[@]}; do ((s += n ** 2)); done
echo $s $((s / 4)) ${#a[@]}
#: W-shell-tools 0 find, sed, awk and grep
#: stdout "D/f\n3\n1\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
#: language "bash"
mkdir -p d && printf 'x 1\ny 2\n' > d/f
find d -type f | sed 's/d/D/'
awk '{s += $2} END {print s}' d/f
grep -c y d/f
#: W-shell-jobs 0 wait for background jobs
#: stdout "one\ntwo\nthree\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
#: language "bash"
(sleep 0.05; echo one) & wait
read -r x < <(echo two); echo $x
cat <<< three
#: W-node 0 run JavaScript
#: stdout "x\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
#: language "javascript"
#: optional there is no node
const fs = require('fs');
fs.writeFileSync('f', 'x');
Promise.resolve(fs.readFileSync('f', 'utf8')).then(console.log);
#: W-node-children 0 start programs from JavaScript
#: stdout "hi 1,2,3\n"
#: expect cause=exited exit=0
#: no-control it works anywhere
#: language "javascript"
#: optional there is no node
const { execSync } = require('child_process');
console.log(execSync('echo hi').toString().trim(), [3, 1, 2].sort().join());
