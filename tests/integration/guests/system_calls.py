# Calls what a box must refuse and prints what came of each: "ok" or the name of the error.
import ctypes
import errno
import json
import os
import signal
import socket
import struct

libc = ctypes.CDLL(None, use_errno=True)
X86_64 = os.uname().machine == "x86_64"
NUMBERS = dict(  # unistd.h, of x86-64
    ptrace=101, mount=165, umount2=166, pivot_root=155, chroot=161, unshare=272, setns=308,
    bpf=321, keyctl=250, add_key=248, io_uring_setup=425, userfaultfd=323, perf_event_open=298,
    process_vm_readv=310, open_by_handle_at=304, kexec_load=246, init_module=175, clone3=435,
    memfd_secret=447, open_tree=428, fsopen=430, mount_setattr=442, pidfd_getfd=438,
    fanotify_init=300, sethostname=170, swapon=167, reboot=169, acct=163, syslog=103,
    settimeofday=164, iopl=172, modify_ldt=154, quotactl=179, personality=135)


def outcome(result):
    return "ok" if result >= 0 else errno.errorcode.get(ctypes.get_errno(), "unknown")


def call(name, *arguments):
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    libc.syscall.restype = ctypes.c_long
    return outcome(libc.syscall(ctypes.c_long(NUMBERS[name]), *words))


def ends(name, *arguments):
    """Of a call that may be deadly: made by a child, and the signal that has ended that."""
    child = os.fork()
    if child == 0:
        os._exit(errno.EPERM if call(name, *arguments) != "ok" else 0)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return "ok" if os.WEXITSTATUS(status) == 0 else "refused"


def sockets():
    kinds = {
        "raw": (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
        "packet": (17, socket.SOCK_RAW, 0), "vsock": (40, socket.SOCK_STREAM, 0),
        "alg": (38, socket.SOCK_SEQPACKET, 0), "netlink_audit": (16, socket.SOCK_RAW, 9),
        "netlink_netfilter": (16, socket.SOCK_RAW, 12), "bluetooth": (31, socket.SOCK_RAW, 1),
        "xdp": (44, socket.SOCK_RAW, 0), "tipc": (30, socket.SOCK_RDM, 0),
        "unix": (socket.AF_UNIX, socket.SOCK_STREAM, 0),
    }
    found = {}
    for name, kind in kinds.items():
        try:
            socket.socket(*kind).close()
            found[name] = "ok"
        except OSError as error:
            found[name] = errno.errorcode.get(error.errno, "unknown")
    return found


def terminal_input():
    # A request whose upper half is not zero is the same request to the kernel.
    byte = ctypes.c_char(b"x")
    libc.ioctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p]
    return {
        "TIOCSTI": outcome(libc.ioctl(0, 0x5412, ctypes.addressof(byte))),
        "TIOCSTI_high": outcome(libc.ioctl(0, 0xFFFFFFFF00005412, ctypes.addressof(byte))),
        "TIOCLINUX": outcome(libc.ioctl(0, 0x541C, ctypes.addressof(byte))),
    }


NEW_USER, NEW_NET, NEW_NS, NEW_PID = 0x10000000, 0x40000000, 0x00020000, 0x20000000
attr = ctypes.create_string_buffer(struct.pack("IIII", 1, 4, 4, 1) + bytes(112))
ring = ctypes.create_string_buffer(256)
text = ctypes.create_string_buffer(b"lazaret")
clone = ctypes.create_string_buffer(88)
clone_user = ctypes.create_string_buffer(struct.pack("Q", NEW_USER) + bytes(80))
namespace = os.open("/proc/self/ns/mnt", os.O_RDONLY)
report = {  # who is traced is stopped by the end of a child: those come first
    "deadly": {
        "kexec": ends("kexec_load", 0, 0, 0, 0), "init_module": ends("init_module", 0, 0, 0),
        "swapon": ends("swapon", text, 0), "reboot": ends("reboot", 0, 0, 0, 0),
    },
    "unshare_user": call("unshare", NEW_USER), "unshare_mount": call("unshare", NEW_NS),
    "unshare_net": call("unshare", NEW_NET), "unshare_pid": call("unshare", NEW_PID),
    "setns": call("setns", namespace, 0), "ptrace_traceme": call("ptrace", 0, 0, 0, 0),
    "ptrace_attach": call("ptrace", 16, 1, 0, 0),
    "mount": call("mount", text, text, text, 0, 0), "umount": call("umount2", text, 2),
    "bind": call("mount", b"/usr", b"/tmp", 0, 4096, 0),
    "pivot_root": call("pivot_root", text, text),
    "chroot": call("chroot", b"/tmp"), "bpf": call("bpf", 0, attr, 120),
    "keyctl": call("keyctl", 0, -3, 0), "add_key": call("add_key", b"user", b"x", b"y", 1, -3),
    "io_uring": call("io_uring_setup", 8, ring), "userfaultfd": call("userfaultfd", 1),
    "perf": call("perf_event_open", attr, 0, -1, -1, 0),
    "process_vm_readv": call("process_vm_readv", 1, 0, 0, 0, 0, 0),
    "open_by_handle": call("open_by_handle_at", -100, attr, 0),
    "clone3_user": call("clone3", clone_user, 88), "memfd_secret": call("memfd_secret", 0),
    "open_tree": call("open_tree", -100, b"/", 1), "fsopen": call("fsopen", b"tmpfs", 0),
    "mount_setattr": call("mount_setattr", -100, b"/", 0, attr, 32),
    "pidfd_getfd": call("pidfd_getfd", -1, 0, 0), "fanotify": call("fanotify_init", 0, 0),
    "sethostname": call("sethostname", text, 7), "acct": call("acct", text),
    "syslog": call("syslog", 3, ring, 256), "iopl": call("iopl", 3),
    "settimeofday": call("settimeofday", 0, 0), "modify_ldt": call("modify_ldt", 0, ring, 16),
    "personality_no_random": call("personality", 0x0040000),
    "sockets": sockets(),
    "terminal": terminal_input(),
}
print(json.dumps(report if X86_64 else {}))
