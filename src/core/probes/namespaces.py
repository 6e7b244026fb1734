# `#: ID ROW TITLE` begins a probe, see docs/selftest.md; the helpers come from sheet.py.
#: D-42-unshare-user 42 unshare the user namespace
call("unshare", 0x10000000)
#: D-42-unshare-mount 42 unshare the mount namespace
call("unshare", 0x20000)
#: D-42-unshare-network 42 unshare the network namespace
call("unshare", 0x40000000)
#: D-42-unshare-process 42 unshare the process namespace
call("unshare", 0x20000000)
#: D-42-unshare-ipc 42 unshare the ipc namespace
call("unshare", 0x8000000)
#: D-42-unshare-uts 42 unshare the uts namespace
call("unshare", 0x4000000)
#: D-42-unshare-cgroup 42 unshare the cgroup namespace
call("unshare", 0x2000000)
#: D-42-unshare-time 42 unshare the time namespace
call("unshare", 0x80)
#: D-42-clone-user 42 clone into a new user namespace
forks(0x10000000)
#: D-42-clone-mount 42 clone into a new mount namespace
forks(0x20000)
#: D-42-clone-network 42 clone into a new network namespace
forks(0x40000000)
#: D-42-clone-process 42 clone into a new process namespace
forks(0x20000000)
#: D-42-clone-ipc 42 clone into a new ipc namespace
forks(0x8000000)
#: D-42-clone-uts 42 clone into a new uts namespace
forks(0x4000000)
#: D-42-clone-cgroup 42 clone into a new cgroup namespace
forks(0x2000000)
#: D-42-clone-high-bits 42 clone into a new user namespace, with bits above 32
forks(0x110000000)
#: D-42-clone3-user 42 clone3 into a new user namespace
words = ctypes.create_string_buffer(struct.pack("<11Q", 0x10000000, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0))
if call("clone3", ctypes.addressof(words), 88) == 0:
    os._exit(0)
#: D-42-clone3-mount 42 clone3 into a new mount namespace
words = ctypes.create_string_buffer(struct.pack("<11Q", 0x20000, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0))
if call("clone3", ctypes.addressof(words), 88) == 0:
    os._exit(0)
#: D-42-clone3-network 42 clone3 into a new network namespace
words = ctypes.create_string_buffer(struct.pack("<11Q", 0x40000000, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0))
if call("clone3", ctypes.addressof(words), 88) == 0:
    os._exit(0)
#: D-42-unshare-all 42 unshare user and mount namespace at once
call("unshare", 0x10020000)
#: D-43-tmpfs 43 mount tmpfs
private_mounts()
call("mount", b"none", os.getcwd().encode(), b"tmpfs", 0, 0)
#: D-43-proc 43 mount proc
private_mounts()
call("mount", b"none", os.getcwd().encode(), b"proc", 0, 0)
#: D-43-sysfs 43 mount sysfs
private_mounts()
call("mount", b"none", os.getcwd().encode(), b"sysfs", 0, 0)
#: D-43-devpts 43 mount devpts
private_mounts()
call("mount", b"none", os.getcwd().encode(), b"devpts", 0, 0)
#: D-43-mqueue 43 mount mqueue
private_mounts()
call("mount", b"none", os.getcwd().encode(), b"mqueue", 0, 0)
#: D-43-ramfs 43 mount ramfs
private_mounts()
call("mount", b"none", os.getcwd().encode(), b"ramfs", 0, 0)
#: D-43-debugfs 43 mount debugfs
private_mounts()
call("mount", b"none", os.getcwd().encode(), b"debugfs", 0, 0)
#: D-43-tracefs 43 mount tracefs
private_mounts()
call("mount", b"none", os.getcwd().encode(), b"tracefs", 0, 0)
#: D-43-securityfs 43 mount securityfs
private_mounts()
call("mount", b"none", os.getcwd().encode(), b"securityfs", 0, 0)
#: D-43-bpf 43 mount bpf
private_mounts()
call("mount", b"none", os.getcwd().encode(), b"bpf", 0, 0)
#: D-43-efivarfs 43 mount efivarfs
private_mounts()
call("mount", b"none", os.getcwd().encode(), b"efivarfs", 0, 0)
#: D-43-configfs 43 mount configfs
private_mounts()
call("mount", b"none", os.getcwd().encode(), b"configfs", 0, 0)
#: D-43-devtmpfs 43 mount devtmpfs
private_mounts()
call("mount", b"none", os.getcwd().encode(), b"devtmpfs", 0, 0)
#: D-43-binfmt-misc 43 mount binfmt_misc
private_mounts()
call("mount", b"none", os.getcwd().encode(), b"binfmt_misc", 0, 0)
#: D-43-hugetlbfs 43 mount hugetlbfs
private_mounts()
call("mount", b"none", os.getcwd().encode(), b"hugetlbfs", 0, 0)
#: D-43-pstore 43 mount pstore
private_mounts()
call("mount", b"none", os.getcwd().encode(), b"pstore", 0, 0)
#: D-43-overlay 43 mount overlay over a read-only directory
private_mounts()
for name in ("upper", "inner", "merged"):
    os.mkdir(name)
call("mount", b"none", b"merged", b"overlay", 0, b"lowerdir=/etc,upperdir=upper,workdir=inner")
#: D-43-nftables 43 reach the packet filter
socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12)
#: D-44-setns 44 enter a namespace
call("setns", -1, 0)
#: D-44-setns-pidfd 44 enter all namespaces of the first process by a descriptor of it
#: no-control it would enter those of the machine's
opened = os.pidfd_open(1)
call("setns", opened, 0x7E020080)
#: D-44-host-mnt 44 open the mnt namespace of a process of the host
#: scene
opens("/proc/%d/ns/mnt" % SCENE["pid"], os.O_RDONLY)
#: D-44-init-mnt 44 open the mnt namespace of the first process
opens("/proc/1/ns/mnt", os.O_RDONLY)
#: D-44-host-net 44 open the net namespace of a process of the host
#: scene
opens("/proc/%d/ns/net" % SCENE["pid"], os.O_RDONLY)
#: D-44-init-net 44 open the net namespace of the first process
opens("/proc/1/ns/net", os.O_RDONLY)
#: D-44-host-user 44 open the user namespace of a process of the host
#: scene
opens("/proc/%d/ns/user" % SCENE["pid"], os.O_RDONLY)
#: D-44-init-user 44 open the user namespace of the first process
opens("/proc/1/ns/user", os.O_RDONLY)
#: D-44-host-pid 44 open the pid namespace of a process of the host
#: scene
opens("/proc/%d/ns/pid" % SCENE["pid"], os.O_RDONLY)
#: D-44-init-pid 44 open the pid namespace of the first process
opens("/proc/1/ns/pid", os.O_RDONLY)
#: D-44-host-ipc 44 open the ipc namespace of a process of the host
#: scene
opens("/proc/%d/ns/ipc" % SCENE["pid"], os.O_RDONLY)
#: D-44-init-ipc 44 open the ipc namespace of the first process
opens("/proc/1/ns/ipc", os.O_RDONLY)
#: D-44-host-uts 44 open the uts namespace of a process of the host
#: scene
opens("/proc/%d/ns/uts" % SCENE["pid"], os.O_RDONLY)
#: D-44-init-uts 44 open the uts namespace of the first process
opens("/proc/1/ns/uts", os.O_RDONLY)
#: D-44-host-cgroup 44 open the cgroup namespace of a process of the host
#: scene
opens("/proc/%d/ns/cgroup" % SCENE["pid"], os.O_RDONLY)
#: D-44-init-cgroup 44 open the cgroup namespace of the first process
opens("/proc/1/ns/cgroup", os.O_RDONLY)
#: D-44-host-time 44 open the time namespace of a process of the host
#: scene
opens("/proc/%d/ns/time" % SCENE["pid"], os.O_RDONLY)
#: D-44-init-time 44 open the time namespace of the first process
opens("/proc/1/ns/time", os.O_RDONLY)
#: D-44-parent 44 get the user namespace above one's own
#: no-control there is none above the machine's own
opened = os.open("/proc/self/ns/user", os.O_RDONLY)
call("ioctl", opened, 0xB701)
#: D-45-umount-proc 45 take /proc away
private_mounts()
call("umount2", b"/proc", 2)
#: D-45-umount-mask 45 take the cover of /proc/kcore away
private_mounts()
call("umount2", b"/proc/kcore", 2)
#: D-45-fsopen 45 call fsopen
call("fsopen", NOWHERE, 0)
#: D-45-fsconfig 45 call fsconfig
call("fsconfig", -1, 0, 0, 0, 0)
#: D-45-fsmount 45 call fsmount
call("fsmount", -1, 0, 0)
#: D-45-fspick 45 call fspick
call("fspick", -1, NOWHERE, 0)
#: D-45-open-tree 45 call open_tree
call("open_tree", -1, NOWHERE, 0)
#: D-45-open-tree-attr 45 call open_tree_attr
call("open_tree_attr", -1, NOWHERE, 0, 0, 0)
#: D-45-move-mount 45 call move_mount
call("move_mount", -1, NOWHERE, -1, NOWHERE, 0)
#: D-45-mount-setattr 45 call mount_setattr
call("mount_setattr", -1, NOWHERE, 0, 0, 0)
#: D-45-pivot-root 45 call pivot_root
call("pivot_root", NOWHERE, NOWHERE)
#: D-45-mount 45 call mount
call("mount", NOWHERE, NOWHERE, NOWHERE, 0, 0)
