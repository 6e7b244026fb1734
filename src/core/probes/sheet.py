# Makes attempts, each in a child of its own, and says what came of them: {id: {...}}, where an
# answer is one of did, errno, blocked, absent (with what), signal, fault.
#   argv: box|bare, {"scene": {...}, "marker": word, "round": 1|2, "probes": [[id, code], ...]}
# In a box the answers are the value of the last expression. Bare, they are printed, and a parent
# that is as careless as one can be is imitated.
import ctypes
import errno
import json
import mmap
import os
import platform
import select
import shutil
import signal
import socket
import struct
import sys
import tempfile
import time

BARE = sys.argv[1] == "bare"
GIVEN = json.loads(sys.argv[2])
SCENE, MARKER, ROUND = GIVEN["scene"], GIVEN["marker"], GIVEN.get("round", 0)
WAY_OUT = GIVEN.get("way_out", False)
SECONDS = 8
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long
X86 = platform.machine() == "x86_64"



def descriptors():
    """Those that are open, and what they are; not the one by which they are listed."""
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            found[int(name)] = os.readlink("/proc/self/fd/" + name)
        except FileNotFoundError:
            pass
    return found


INHERITED = descriptors()
NUMBERS = {
    "ptrace": (101, 117), "syslog": (103, 116), "modify_ldt": (154, None),
    "pivot_root": (155, 41), "_sysctl": (156, None), "adjtimex": (159, 171), "chroot": (161, 51),
    "acct": (163, 89), "settimeofday": (164, 170), "mount": (165, 40), "umount2": (166, 39),
    "swapon": (167, 224), "swapoff": (168, 225), "reboot": (169, 142), "sethostname": (170, 161),
    "setdomainname": (171, 162), "iopl": (172, None), "ioperm": (173, None),
    "create_module": (174, None), "init_module": (175, 105), "delete_module": (176, 106),
    "get_kernel_syms": (177, None), "query_module": (178, None), "quotactl": (179, 60),
    "nfsservctl": (180, 42), "afs_syscall": (183, None), "vserver": (236, None),
    "lookup_dcookie": (212, 18), "mbind": (237, 235), "set_mempolicy": (238, 237),
    "get_mempolicy": (239, 236), "kexec_load": (246, 104), "add_key": (248, 217),
    "request_key": (249, 218), "keyctl": (250, 219), "migrate_pages": (256, 238),
    "unshare": (272, 97), "move_pages": (279, 239), "clock_settime": (227, 112),
    "perf_event_open": (298, 241), "fanotify_init": (300, 262), "fanotify_mark": (301, 263),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "clock_adjtime": (305, 266),
    "setns": (308, 268), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "kcmp": (312, 272), "finit_module": (313, 273), "bpf": (321, 280),
    "kexec_file_load": (320, 294), "userfaultfd": (323, 282), "uselib": (134, None),
    "personality": (135, 92), "ustat": (136, None), "sysfs": (139, None), "vhangup": (153, 58),
    "socket": (41, 198), "clone": (56, 220), "setfsuid": (122, 151), "capset": (126, 91),
    "ioctl": (16, 29), "seccomp": (317, 277), "getpid": (39, 172), "sched_setattr": (314, 274),
    "ioprio_set": (251, 30), "kill": (62, 129), "sendto": (44, 206), "prctl": (157, 167),
    "arch_prctl": (158, None), "uretprobe": (335, None), "memfd_create": (319, 279),
}
for name, number in (
        ("io_uring_setup", 425), ("io_uring_enter", 426), ("io_uring_register", 427),
        ("open_tree", 428), ("move_mount", 429), ("fsopen", 430), ("fsconfig", 431),
        ("fsmount", 432), ("fspick", 433), ("pidfd_open", 434), ("clone3", 435),
        ("pidfd_getfd", 438), ("pidfd_send_signal", 424), ("process_madvise", 440),
        ("mount_setattr", 442), ("quotactl_fd", 443), ("memfd_secret", 447),
        ("set_mempolicy_home_node", 450), ("statmount", 457), ("listmount", 458),
        ("lsm_get_self_attr", 459),
        ("lsm_set_self_attr", 460), ("lsm_list_modules", 461), ("mseal", 462),
        ("setxattrat", 463), ("open_tree_attr", 467), ("file_getattr", 468)):
    NUMBERS[name] = (number, number)

NOWHERE = 1  # an address that is never mapped


class Blocked(Exception):
    """Held, and the argument says how."""


class Absent(Exception):
    """There is no such thing on this machine."""


seen = []


def saw(text):
    """What the attempt brought to light, should it succeed."""
    seen.append(str(text)[:200])


def number(name):
    value = NUMBERS[name][0 if X86 else 1]
    if value is None:
        raise Absent("no such system call on " + platform.machine())
    return value


def raw(value, *arguments):
    words = [word if isinstance(word, bytes) else ctypes.c_ulong(word & (1 << 64) - 1)
             for word in arguments]
    ctypes.set_errno(0)
    result = LIBC.syscall(ctypes.c_long(value), *words)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def call(name, *arguments):
    """A system call by its number. A complaint about the arguments means it was reached."""
    result = raw(number(name), *arguments)
    saw(name + " returned " + str(result))
    return result


def buffer(size=256):
    kept = ctypes.create_string_buffer(size)
    seen_buffers.append(kept)
    return ctypes.addressof(kept)


seen_buffers = []


def private_mounts():
    """Bare, what is mounted must stay with this child; in a box it is not even tried."""
    if BARE:
        raw(number("unshare"), 0x20000)
        raw(number("mount"), b"none", b"/", 0, 0x44000, 0)


def reads(path, size=64):
    """The first bytes of a file, or names in a directory: nothing in it is as good as refused."""
    if os.path.isdir(path):
        content = " ".join(sorted(os.listdir(path))[:8])
    else:
        with open(path, "rb", buffering=0) as file:
            content = file.read(size)
    if not content:
        raise Blocked("empty")
    saw(repr(content)[:100])


def canary(place):
    """The file that was planted there, or a path where nothing is: not everybody may plant."""
    return SCENE["canaries"].get(place, "/lazaret-selftest-none")


def opens(path, flags):
    """Opened and closed: nothing is read or written."""
    os.close(os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC))
    saw("opened " + path)


def may_write(path):
    if os.path.isdir(path):
        os.close(os.open(path, os.O_TMPFILE | os.O_RDWR))  # a file that never has a name
        saw("a file could be made in " + path)
    else:
        opens(path, os.O_WRONLY | os.O_APPEND)


def exists(path):
    os.stat(path)
    saw(path + " is there")


def leave(folder):
    """In the first round something is left behind, in the second one it is looked for."""
    path = os.path.join(folder, MARKER + "-left")
    if ROUND == 1:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o644))
    if not os.path.exists(path):
        raise Blocked("nothing is left")
    if ROUND == 2:
        os.unlink(path)
    saw(path + " was still there")


def machine(code):
    """Runs instructions that no library would use; the result of the last one is returned."""
    if not X86:
        raise Absent("instructions of x86-64")
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(code + b"\xc3")
    seen_buffers.append(memory)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    return ctypes.CFUNCTYPE(ctypes.c_long)(address)()


def int80(value, first=0, second=0, third=0):
    """A system call through the entry of 32-bit programs."""
    moves = ((b"\xb8", value), (b"\xbb", first), (b"\xb9", second), (b"\xba", third))
    code = b"\x53" + b"".join(move + struct.pack("<I", word & 0xFFFFFFFF) for move, word in moves)
    result = machine(code + b"\xcd\x80\x48\x98\x5b")
    if result < 0:
        raise OSError(-result, os.strerror(-result))
    saw("int 0x80 number %d returned %d" % (value, result))


def rare(family):
    """A socket of a family, whichever type it knows."""
    for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
        try:
            socket.socket(family, kind, 0).close()
            return saw("a socket of type %d" % kind)
        except OSError as error:
            last = error
    raise last


def interfaces():
    """Those beside the loopback, and beside what some kernels put into every network, idle."""
    idle = ("lo", "tunl0", "ip6tnl0", "sit0", "gre0", "gretap0", "erspan0", "ip_vti0", "ip6_vti0")
    with open("/proc/net/dev") as file:
        names = [line.split(":")[0].strip() for line in file.readlines()[2:]]
    others = [name for name in names if name not in idle]
    if not others:
        raise Blocked("only lo")
    saw(others)


def by_proxy(host, port, request=None):
    """A host by way of the proxy, asked by CONNECT unless told; bare there is none in the way."""
    if BARE:
        return saw(socket.create_connection((host, port), 3).recv(4))
    if not WAY_OUT:
        raise Absent("a way out")
    place = "%s:%d" % ("[" + host + "]" if ":" in host else host, port)
    try:
        way = socket.create_connection(("127.0.0.1", 3128), 3)
    except OSError as error:  # who is not there has refused nothing
        raise RuntimeError("the proxy cannot be asked: " + str(error))
    lines = (request or "CONNECT " + place) + " HTTP/1.1", "Host: " + place, "", ""
    way.sendall("\r\n".join(lines).encode())
    answer = way.makefile("rb").readline(200).decode("latin-1").strip().partition(" ")[2]
    if answer[:4] in ("400 ", "403 "):
        raise Blocked("the proxy answers " + answer)
    saw("the proxy answers " + (answer or "nothing"))


def forks(flags):
    """clone(2) with these flags; the child ends at once."""
    child = call("clone", flags | signal.SIGCHLD, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def status(field):
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith(field + ":"):
                return line.split(":", 1)[1].strip()
    raise Absent(field)


def answer_of(code):
    try:
        exec(compile(code, "probe", "exec"), dict(globals()))
    except Blocked as held:
        return {"blocked": str(held)}
    except Absent as missing:
        return {"absent": str(missing)}
    except socket.gaierror as unresolved:
        return {"blocked": unresolved.strerror}
    except OSError as error:
        if error.errno is None:
            return {"blocked": str(error)}
        return {"errno": errno.errorcode.get(error.errno, str(error.errno))}
    except BaseException as error:
        return {"fault": type(error).__name__ + ": " + str(error)}
    return {"did": "; ".join(seen) or "it succeeded"}


def in_child(code, reader, writer):
    os.close(reader)
    os.setpgid(0, 0)
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.write(writer, json.dumps(answer_of(code)).encode())
    os._exit(0)


def text_from(reader):
    until, text = time.monotonic() + SECONDS, b""
    while select.select([reader], [], [], max(0, until - time.monotonic()))[0]:
        part = os.read(reader, 65536)
        text += part
        if not part or text.endswith(b"}"):
            return text
    return None


def attempt(code):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            in_child(code, reader, writer)
        finally:
            os._exit(1)
    os.close(writer)
    text = text_from(reader)
    os.close(reader)
    if text is None or text:
        for group in (-child, child):
            try:
                os.kill(group, signal.SIGKILL)
            except OSError:
                pass
    ended = os.waitpid(child, 0)[1]
    if text is None:
        return {"fault": "no answer within %d seconds" % SECONDS}
    if text:
        return json.loads(text)
    if os.WIFSIGNALED(ended):
        return {"signal": os.WTERMSIG(ended)}
    return {"fault": "no answer, status %d" % ended}


def be_careless():
    """What a parent does that does not care: a descriptor, a variable, the user's home."""
    os.set_inheritable(os.open("/", os.O_RDONLY), True)
    os.environ.update(HOME=SCENE.get("home", "/"), AWS_SECRET_ACCESS_KEY="planted",
                      LD_PRELOAD="", PYTHONPATH="", BASH_ENV="", SSH_AUTH_SOCK="", DOCKER_HOST="")
    INHERITED.update(descriptors())


def answers():
    return {name: attempt(code) for name, code in GIVEN["probes"]}


def bare():
    folder = tempfile.mkdtemp(prefix="lazaret-selftest-")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        os.chdir(folder)
        be_careless()
        print(json.dumps(answers()))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if BARE:
    bare()
answers() if not BARE else None
