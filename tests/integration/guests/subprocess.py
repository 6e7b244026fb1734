# Tries every way to another process or program, and says what each was answered: errno or "made".
import ctypes, json, mmap, os, signal, subprocess, threading

libc = ctypes.CDLL(None, use_errno=True)
X86 = os.uname().machine == "x86_64"
CLONE, EXECVE, EXECVEAT, CLONE3 = (56, 59, 322, 435) if X86 else (220, 221, 281, 435)
EMPTY_PATH = 0x1000


def in_child(pid):
    if pid == 0:
        os._exit(0)
    if pid > 0:
        os.waitpid(pid, 0)


def call(number, *arguments):
    result = libc.syscall(number, *[ctypes.c_long(word) for word in arguments])
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result


def words(*texts):
    return (ctypes.c_char_p * (len(texts) + 1))(*texts, None)


# vfork(2): the child is on our own stack, and may do nothing but leave. What calls it is code of
# the processor's, so that nothing of python's runs twice.
def vfork():
    if not X86:
        return os.fork()
    # mov eax, 58; pop rdx; syscall; push rdx; test eax, eax; jnz out;
    # mov edi, 0; mov eax, 60; syscall; out: ret
    code = (b"\xb8\x3a\x00\x00\x00\x5a\x0f\x05\x52\x85\xc0\x75\x0c"
            b"\xbf\x00\x00\x00\x00\xb8\x3c\x00\x00\x00\x0f\x05\xc3")
    area = mmap.mmap(-1, len(code), prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    area.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(area))
    pid = ctypes.CFUNCTYPE(ctypes.c_int)(address)()
    if pid < 0:
        raise OSError(-pid, "")
    return pid


def clone3():
    arguments = (ctypes.c_uint64 * 8)(0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0)
    in_child(call(CLONE3, ctypes.addressof(arguments), ctypes.sizeof(arguments)))


# In a child where one can be made, so that this program lives on to tell.
def executed(execute):
    def attempt():
        try:
            pid = os.fork()
        except OSError:
            return execute()
        if pid == 0:
            try:
                execute()
            finally:
                os._exit(1)
        if os.waitpid(pid, 0)[1] != 0:
            raise OSError(0, "")
    return attempt


def execve(*key):
    argv = words(b"true")
    path = ctypes.create_string_buffer(b"/bin/true")
    call(EXECVE, ctypes.addressof(path), ctypes.addressof(argv), 0, *key)


def execveat():
    argv, empty = words(b"true"), ctypes.create_string_buffer(b"")
    program = os.open("/bin/true", os.O_RDONLY)
    call(EXECVEAT, program, ctypes.addressof(empty), ctypes.addressof(argv), 0, EMPTY_PATH)


def from_thread():
    found = []

    def attempt():
        try:
            in_child(os.fork())
        except OSError as error:
            found.append(error)
    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    if found:
        raise found[0]


ATTEMPTS = {
    "fork": lambda: in_child(os.fork()),
    "raw_fork": lambda: in_child(call(57)) if X86 else in_child(os.fork()),
    "raw_vfork": lambda: in_child(vfork()),
    "clone": lambda: in_child(call(CLONE, signal.SIGCHLD, 0, 0, 0, 0)),
    "clone3": clone3,
    "spawn": lambda: os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0),
    "subprocess": lambda: subprocess.run(["true"], check=True),
    "system": lambda: subprocess.run("true", shell=True, check=True),
    "execve": executed(execve),
    "execve_with_a_guess": executed(lambda: execve(0, (1 << 63) - 1, -1)),
    "execveat": executed(execveat),
    "fork_in_a_thread": from_thread,
}

seen = {}
for name, attempt in ATTEMPTS.items():
    try:
        attempt()
        seen[name] = "made"
    except OSError as error:
        seen[name] = error.errno
with open("/proc/self/status") as status:
    fields = dict(line.split(":", 1) for line in status)
seen["filters"] = int(fields.get("Seccomp_filters", "0"))
seen["threads"] = sum(1 for _ in map(lambda t: (t.start(), t.join()),
                                    [threading.Thread(target=int) for _ in range(8)]))
print(json.dumps(seen))
