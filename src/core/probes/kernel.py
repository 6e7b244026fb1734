# `#: ID ROW TITLE` begins a probe, see docs/selftest.md; the helpers come from sheet.py.
#: G-71-bpf 71 call bpf
call("bpf", 99, NOWHERE, 8)
#: G-71-perf-event-open 71 call perf_event_open
call("perf_event_open", NOWHERE, 0, -1, -1, 0)
#: G-71-userfaultfd 71 call userfaultfd
call("userfaultfd", 0xFFFF0000)
#: G-71-io-uring-setup 71 call io_uring_setup
call("io_uring_setup", 1, NOWHERE)
#: G-71-io-uring-enter 71 call io_uring_enter
call("io_uring_enter", -1, 0, 0, 0, 0, 0)
#: G-71-io-uring-register 71 call io_uring_register
call("io_uring_register", -1, 0, 0, 0)
#: G-71-keyctl 71 call keyctl
call("keyctl", 0, -1, 0)
#: G-71-add-key 71 call add_key
call("add_key", NOWHERE, NOWHERE, 0, 0, 0)
#: G-71-request-key 71 call request_key
call("request_key", NOWHERE, NOWHERE, 0, 0)
#: G-71-fanotify-init 71 call fanotify_init
call("fanotify_init", 0xFFFFFFFF, 0)
#: G-71-fanotify-mark 71 call fanotify_mark
call("fanotify_mark", -1, 0, 0, -1, 0)
#: G-71-memfd-secret 71 call memfd_secret
call("memfd_secret", 0xFF00)
#: G-71-uretprobe 71 call uretprobe, which Linux 6.14 and later let pass every filter
#: no-control the kernel ends whoever calls it, with or without a box
#: signals 4
call("uretprobe")
#: G-71-statmount 71 call statmount
call("statmount", NOWHERE, NOWHERE, 0, 0)
#: G-71-listmount 71 call listmount
call("listmount", NOWHERE, NOWHERE, 0, 0)
#: G-71-lsm-get-self-attr 71 call lsm_get_self_attr
call("lsm_get_self_attr", 0, NOWHERE, NOWHERE, 0)
#: G-71-lsm-set-self-attr 71 call lsm_set_self_attr
call("lsm_set_self_attr", 0, NOWHERE, 0, 0)
#: G-71-lsm-list-modules 71 call lsm_list_modules
call("lsm_list_modules", NOWHERE, NOWHERE, 0)
#: G-71-setxattrat 71 call setxattrat
call("setxattrat", -1, NOWHERE, 0, NOWHERE, 0, 0)
#: G-71-file-getattr 71 call file_getattr
call("file_getattr", -1, NOWHERE, NOWHERE, 0, 0)
#: G-71-keyctl-join 71 join a session keyring by name
call("keyctl", 1, MARKER.encode())
#: G-71-proc-keys 71 list the keys of the host
reads("/proc/keys")
#: G-71-mseal 71 call mseal
call("mseal", 0, 0, 1)
#: G-72-modify-ldt 72 call modify_ldt
call("modify_ldt", 0, NOWHERE, 0)
#: G-72-iopl 72 call iopl
call("iopl", 99)
#: G-72-ioperm 72 call ioperm
call("ioperm", 0, 1 << 30, 1)
#: G-72-mbind 72 call mbind
call("mbind", 0, 0, 99, 0, 0, 0xFF00)
#: G-72-set-mempolicy 72 call set_mempolicy
call("set_mempolicy", 99, 0, 0)
#: G-72-get-mempolicy 72 call get_mempolicy
call("get_mempolicy", 0, 0, 0, 0, 0xFF00)
#: G-72-migrate-pages 72 call migrate_pages
call("migrate_pages", 0, 0, 0, 0)
#: G-72-move-pages 72 call move_pages
call("move_pages", 0, 0, 0, 0, 0, 0)
#: G-72-set-mempolicy-home-node 72 call set_mempolicy_home_node
call("set_mempolicy_home_node", 0, 0, 0, 1)
#: G-72-uselib 72 call uselib
call("uselib", NOWHERE)
#: G-72-ustat 72 call ustat
call("ustat", -1, NOWHERE)
#: G-72-sysfs 72 call sysfs
call("sysfs", 3)
#: G-72-sysctl 72 call _sysctl
call("_sysctl", NOWHERE)
#: G-72-create-module 72 call create_module
call("create_module", NOWHERE, 0)
#: G-72-get-kernel-syms 72 call get_kernel_syms
call("get_kernel_syms", 0)
#: G-72-query-module 72 call query_module
call("query_module", NOWHERE, 0, 0, 0, 0)
#: G-72-nfsservctl 72 call nfsservctl
call("nfsservctl", 0, 0, 0)
#: G-72-afs-syscall 72 call afs_syscall
call("afs_syscall", 0, 0, 0, 0, 0)
#: G-72-vserver 72 call vserver
call("vserver", 0, 0, 0)
#: G-72-lookup-dcookie 72 call lookup_dcookie
call("lookup_dcookie", 0, NOWHERE, 0)
#: G-72-vhangup 72 call vhangup
#: no-control it would hang up the terminal of whoever started this
call("vhangup")
#: G-72-personality-no-random 72 take on the personality no-random
call("personality", 0x0040000)
#: G-72-personality-read-implies-exec 72 take on the personality read-implies-exec
call("personality", 0x0400000)
#: G-72-personality-mmap-page-zero 72 take on the personality mmap-page-zero
call("personality", 0x0100000)
#: G-72-personality-short-inode 72 take on the personality short-inode
call("personality", 0x1000000)
#: G-72-personality-svr4 72 take on the personality svr4
call("personality", 0x4100001)
#: G-72-null-page 72 map the page at address zero
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
if LIBC.mmap(None, 4096, 3, 0x32, -1, 0) == ctypes.c_void_p(-1).value:
    raise OSError(ctypes.get_errno(), "mmap")
saw("mapped")
#: G-73-int80-getpid 73 call getpid through the 32-bit entry
#: signals 11
int80(20)
#: G-73-int80-unshare 73 call unshare through the 32-bit entry
#: signals 11
int80(310, 0x10000000)
#: G-73-int80-ptrace 73 call ptrace through the 32-bit entry
#: signals 11
int80(26, 0)
#: G-73-int80-mount 73 call mount through the 32-bit entry
#: signals 11
int80(21, NOWHERE, NOWHERE, NOWHERE)
#: G-73-int80-bpf 73 call bpf through the 32-bit entry
#: signals 11
int80(357, 99, NOWHERE, 8)
#: G-73-int80-keyctl 73 call keyctl through the 32-bit entry
#: signals 11
int80(288, 0, -1, 0)
#: G-73-int80-modify-ldt 73 call modify_ldt through the 32-bit entry
#: signals 11
int80(123, 0, NOWHERE, 0)
#: G-73-int80-add-key 73 call add_key through the 32-bit entry
#: signals 11
int80(286, NOWHERE, NOWHERE, 0)
#: G-73-int80-clone3 73 call clone3 through the 32-bit entry
#: signals 11
int80(435, NOWHERE, 0)
#: G-73-int80-io-uring 73 call io_uring through the 32-bit entry
#: signals 11
int80(425, 1, NOWHERE)
#: G-73-sysenter 73 enter the kernel with sysenter
#: signals 4 11
#: no-control there is no way back from it, whoever lets it through
machine(b"\xb8\x14\x00\x00\x00\x0f\x34")
#: G-73-x32-getpid 73 call getpid by its x32 number
if not X86:
    raise Absent("x32 numbers")
saw(raw(0x40000000 | 39, NOWHERE, NOWHERE, NOWHERE, 0))
#: G-73-x32-unshare 73 call unshare by its x32 number
if not X86:
    raise Absent("x32 numbers")
saw(raw(0x40000000 | 272, NOWHERE, NOWHERE, NOWHERE, 0))
#: G-73-x32-ptrace 73 call ptrace by its x32 number
if not X86:
    raise Absent("x32 numbers")
saw(raw(0x40000000 | 521, NOWHERE, NOWHERE, NOWHERE, 0))
#: G-73-x32-keyctl 73 call keyctl by its x32 number
if not X86:
    raise Absent("x32 numbers")
saw(raw(0x40000000 | 250, NOWHERE, NOWHERE, NOWHERE, 0))
#: G-73-x32-mount 73 call mount by its x32 number
if not X86:
    raise Absent("x32 numbers")
saw(raw(0x40000000 | 165, NOWHERE, NOWHERE, NOWHERE, 0))
#: G-73-x32-bpf 73 call bpf by its x32 number
if not X86:
    raise Absent("x32 numbers")
saw(raw(0x40000000 | 321, NOWHERE, NOWHERE, NOWHERE, 0))
#: G-73-x32-execve 73 call execve by its x32 number
if not X86:
    raise Absent("x32 numbers")
saw(raw(0x40000000 | 520, NOWHERE, NOWHERE, NOWHERE, 0))
#: G-73-x32-vmsplice 73 call vmsplice by its x32 number
if not X86:
    raise Absent("x32 numbers")
saw(raw(0x40000000 | 532, NOWHERE, NOWHERE, NOWHERE, 0))
#: G-73-x32-setns 73 call setns by its x32 number
if not X86:
    raise Absent("x32 numbers")
saw(raw(0x40000000 | 308, NOWHERE, NOWHERE, NOWHERE, 0))
#: G-73-high-bits 73 hide a call's number in bits above 32
saw(raw((1 << 32) | number("unshare"), 0x10000000))
#: G-74-kexec-load 74 call kexec_load
call("kexec_load", 0, 0, 0, 0xFFFF)
#: G-74-kexec-file-load 74 call kexec_file_load
call("kexec_file_load", -1, -1, 0, 0, 0xFFFF)
#: G-74-init-module 74 call init_module
call("init_module", NOWHERE, 0, NOWHERE)
#: G-74-finit-module 74 call finit_module
call("finit_module", -1, NOWHERE, 0)
#: G-74-delete-module 74 call delete_module
call("delete_module", NOWHERE, 0)
#: G-74-reboot 74 call reboot
call("reboot", 1, 2, 3, 0)
#: G-74-swapon 74 call swapon
call("swapon", NOWHERE, 0)
#: G-74-swapoff 74 call swapoff
call("swapoff", NOWHERE)
#: G-74-acct 74 call acct
call("acct", NOWHERE)
#: G-74-settimeofday 74 call settimeofday
call("settimeofday", NOWHERE, 0)
#: G-74-clock-settime 74 call clock_settime
call("clock_settime", 0, NOWHERE)
#: G-74-clock-adjtime 74 call clock_adjtime
call("clock_adjtime", 0, NOWHERE)
#: G-74-adjtimex 74 call adjtimex
call("adjtimex", NOWHERE)
#: G-74-sethostname 74 call sethostname
call("sethostname", NOWHERE, -1)
#: G-74-setdomainname 74 call setdomainname
call("setdomainname", NOWHERE, -1)
#: G-74-syslog 74 call syslog
call("syslog", 10, 0, 0)
#: G-74-quotactl 74 call quotactl
call("quotactl", 0, NOWHERE, 0, 0)
#: G-74-quotactl-fd 74 call quotactl_fd
call("quotactl_fd", -1, 0, 0, 0)
#: G-74-read-log 74 read the kernel's log
call("syslog", 3, buffer(), 200)
#: G-74-restart 74 ask for a restart at Ctrl-Alt-Del
#: no-control it would change what the keyboard does to this machine
call("reboot", 0xFEE1DEAD, 672274793, 0x89ABCDEF, 0)
#: G-75-numbers-337 75 find an unknown call between 337 and 423
#: no-control a number that is new to us may do anything
found = []
for value in range(337, 424):
    try:
        raw(value, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE)
        found.append(value)
    except OSError as error:
        if error.errno not in (errno.ENOSYS, errno.EPERM):
            found.append(value)
if not found:
    raise Blocked("none")
saw(found[:8])
#: G-75-numbers-470 75 find an unknown call between 470 and 519
#: no-control a number that is new to us may do anything
found = []
for value in range(470, 520):
    try:
        raw(value, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE)
        found.append(value)
    except OSError as error:
        if error.errno not in (errno.ENOSYS, errno.EPERM):
            found.append(value)
if not found:
    raise Blocked("none")
saw(found[:8])
#: G-75-numbers-520 75 find an unknown call between 520 and 559
#: no-control a number that is new to us may do anything
found = []
for value in range(520, 560):
    try:
        raw(value, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE)
        found.append(value)
    except OSError as error:
        if error.errno not in (errno.ENOSYS, errno.EPERM):
            found.append(value)
if not found:
    raise Blocked("none")
saw(found[:8])
#: G-75-numbers-560 75 find an unknown call between 560 and 599
#: no-control a number that is new to us may do anything
found = []
for value in range(560, 600):
    try:
        raw(value, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE)
        found.append(value)
    except OSError as error:
        if error.errno not in (errno.ENOSYS, errno.EPERM):
            found.append(value)
if not found:
    raise Blocked("none")
saw(found[:8])
#: G-75-numbers-600 75 find an unknown call between 600 and 999
#: no-control a number that is new to us may do anything
found = []
for value in range(600, 1000):
    try:
        raw(value, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE)
        found.append(value)
    except OSError as error:
        if error.errno not in (errno.ENOSYS, errno.EPERM):
            found.append(value)
if not found:
    raise Blocked("none")
saw(found[:8])
#: G-75-number-1000 75 call number 0x1000
saw(raw(0x1000))
#: G-75-number-3fffffff 75 call number 0x3fffffff
saw(raw(0x3fffffff))
#: G-75-number-7fffffff 75 call number 0x7fffffff
saw(raw(0x7fffffff))
