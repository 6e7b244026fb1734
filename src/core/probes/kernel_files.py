# `#: ID ROW TITLE` begins a probe, see docs/selftest.md; the helpers come from sheet.py.
#: A-19-core-pattern 19 open /proc/sys/kernel/core_pattern for writing
opens("/proc/sys/kernel/core_pattern", os.O_WRONLY)
#: A-19-modprobe 19 open /proc/sys/kernel/modprobe for writing
opens("/proc/sys/kernel/modprobe", os.O_WRONLY)
#: A-19-hotplug 19 open /proc/sys/kernel/hotplug for writing
opens("/proc/sys/kernel/hotplug", os.O_WRONLY)
#: A-19-register 19 open /proc/sys/fs/binfmt_misc/register for writing
opens("/proc/sys/fs/binfmt_misc/register", os.O_WRONLY)
#: A-19-hostname 19 open /proc/sys/kernel/hostname for writing
opens("/proc/sys/kernel/hostname", os.O_WRONLY)
#: A-19-domainname 19 open /proc/sys/kernel/domainname for writing
opens("/proc/sys/kernel/domainname", os.O_WRONLY)
#: A-19-overcommit-memory 19 open /proc/sys/vm/overcommit_memory for writing
opens("/proc/sys/vm/overcommit_memory", os.O_WRONLY)
#: A-19-drop-caches 19 open /proc/sys/vm/drop_caches for writing
opens("/proc/sys/vm/drop_caches", os.O_WRONLY)
#: A-19-mmap-min-addr 19 open /proc/sys/vm/mmap_min_addr for writing
opens("/proc/sys/vm/mmap_min_addr", os.O_WRONLY)
#: A-19-ip-forward 19 open /proc/sys/net/ipv4/ip_forward for writing
opens("/proc/sys/net/ipv4/ip_forward", os.O_WRONLY)
#: A-19-ns-last-pid 19 open /proc/sys/kernel/ns_last_pid for writing
opens("/proc/sys/kernel/ns_last_pid", os.O_WRONLY)
#: A-19-ptrace-scope 19 open /proc/sys/kernel/yama/ptrace_scope for writing
opens("/proc/sys/kernel/yama/ptrace_scope", os.O_WRONLY)
#: A-19-suid-dumpable 19 open /proc/sys/fs/suid_dumpable for writing
opens("/proc/sys/fs/suid_dumpable", os.O_WRONLY)
#: A-19-randomize-va-space 19 open /proc/sys/kernel/randomize_va_space for writing
opens("/proc/sys/kernel/randomize_va_space", os.O_WRONLY)
#: A-19-perf-event-paranoid 19 open /proc/sys/kernel/perf_event_paranoid for writing
opens("/proc/sys/kernel/perf_event_paranoid", os.O_WRONLY)
#: A-19-unprivileged-bpf-disabled 19 open /proc/sys/kernel/unprivileged_bpf_disabled for writing
opens("/proc/sys/kernel/unprivileged_bpf_disabled", os.O_WRONLY)
#: A-19-panic 19 open /proc/sys/kernel/panic for writing
opens("/proc/sys/kernel/panic", os.O_WRONLY)
#: A-19-max-user-namespaces 19 open /proc/sys/user/max_user_namespaces for writing
opens("/proc/sys/user/max_user_namespaces", os.O_WRONLY)
#: A-19-protected-symlinks 19 open /proc/sys/fs/protected_symlinks for writing
opens("/proc/sys/fs/protected_symlinks", os.O_WRONLY)
#: A-20-sysrq 20 open /proc/sysrq-trigger for writing
opens("/proc/sysrq-trigger", os.O_WRONLY)
#: A-21-kcore 21 read /proc/kcore
reads("/proc/kcore")
#: A-21-kallsyms 21 read /proc/kallsyms
reads("/proc/kallsyms")
#: A-21-keys 21 read /proc/keys
reads("/proc/keys")
#: A-21-key-users 21 read /proc/key-users
reads("/proc/key-users")
#: A-21-timer-list 21 read /proc/timer_list
reads("/proc/timer_list")
#: A-21-timer-stats 21 read /proc/timer_stats
reads("/proc/timer_stats")
#: A-21-interrupts 21 read /proc/interrupts
reads("/proc/interrupts")
#: A-21-sched-debug 21 read /proc/sched_debug
reads("/proc/sched_debug")
#: A-21-latency-stats 21 read /proc/latency_stats
reads("/proc/latency_stats")
#: A-21-scsi 21 read /proc/scsi
reads("/proc/scsi")
#: A-21-slabinfo 21 read /proc/slabinfo
reads("/proc/slabinfo")
#: A-21-vmallocinfo 21 read /proc/vmallocinfo
reads("/proc/vmallocinfo")
#: A-21-modules 21 read /proc/modules
reads("/proc/modules")
#: A-21-iomem 21 read /proc/iomem
reads("/proc/iomem")
#: A-21-ioports 21 read /proc/ioports
reads("/proc/ioports")
#: A-21-cmdline 21 read /proc/cmdline
reads("/proc/cmdline")
#: A-21-swaps 21 read /proc/swaps
reads("/proc/swaps")
#: A-21-config-gz 21 read /proc/config.gz
reads("/proc/config.gz")
#: A-21-kpagecount 21 read /proc/kpagecount
reads("/proc/kpagecount")
#: A-21-kpageflags 21 read /proc/kpageflags
reads("/proc/kpageflags")
#: A-21-kpagecgroup 21 read /proc/kpagecgroup
reads("/proc/kpagecgroup")
#: A-21-kmsg 21 read /proc/kmsg
reads("/proc/kmsg")
#: A-21-acpi 21 read /proc/acpi
reads("/proc/acpi")
#: A-21-asound 21 read /proc/asound
reads("/proc/asound")
#: A-21-bus 21 list /proc/bus
#: by-design-of-engines engines leave it readable, the files are read-only; no data of users in it
reads("/proc/bus")
#: A-21-fs 21 list /proc/fs
#: by-design-of-engines engines leave it readable, the files are read-only; no data of users in it
reads("/proc/fs")
#: A-21-irq 21 list /proc/irq
#: by-design-of-engines engines leave it readable, the files are read-only; no data of users in it
reads("/proc/irq")
#: A-21-sys-firmware 21 look into /sys/firmware
reads("/sys/firmware")
#: A-21-sys-powercap 21 look into /sys/devices/virtual/powercap
reads("/sys/devices/virtual/powercap")
#: A-21-sys-debug 21 look into /sys/kernel/debug
reads("/sys/kernel/debug")
#: A-21-sys-tracing 21 look into /sys/kernel/tracing
reads("/sys/kernel/tracing")
#: A-21-sys-security 21 look into /sys/kernel/security
reads("/sys/kernel/security")
#: A-21-sys-efivars 21 look into /sys/firmware/efi/efivars
reads("/sys/firmware/efi/efivars")
#: A-21-sys-pstore 21 look into /sys/fs/pstore
reads("/sys/fs/pstore")
#: A-21-sys-bpf 21 look into /sys/fs/bpf
reads("/sys/fs/bpf")
#: A-21-vmcoreinfo 21 read where the kernel's data lies
#: by-design-of-engines an address of the kernel's notes, which /sys shows in containers
reads("/sys/kernel/vmcoreinfo")
#: A-22-uevent 22 open /sys/kernel/uevent_helper for writing
opens("/sys/kernel/uevent_helper", os.O_WRONLY)
#: A-22-power 22 open /sys/power/state for writing
opens("/sys/power/state", os.O_WRONLY)
#: A-22-huge-pages 22 open /sys/kernel/mm/transparent_hugepage/enabled for writing
opens("/sys/kernel/mm/transparent_hugepage/enabled", os.O_WRONLY)
#: A-22-ksm 22 open /sys/kernel/mm/ksm/run for writing
opens("/sys/kernel/mm/ksm/run", os.O_WRONLY)
#: A-22-kexec-size 22 open /sys/kernel/kexec_crash_size for writing
opens("/sys/kernel/kexec_crash_size", os.O_WRONLY)
#: A-22-profiling 22 open /sys/kernel/profiling for writing
opens("/sys/kernel/profiling", os.O_WRONLY)
#: A-22-module 22 open /sys/module/kernel/parameters/panic for writing
opens("/sys/module/kernel/parameters/panic", os.O_WRONLY)
#: A-22-lo 22 open /sys/class/net/lo/mtu for writing
opens("/sys/class/net/lo/mtu", os.O_WRONLY)
#: A-22-cpu-online 22 open /sys/devices/system/cpu/cpu1/online for writing
opens("/sys/devices/system/cpu/cpu1/online", os.O_WRONLY)
#: A-22-any 22 find any file below /sys/kernel and /sys/module that can be written
found = [os.path.join(folder, name) for top in ("/sys/kernel", "/sys/module")
         for folder, _, names in os.walk(top) for name in names
         if os.access(os.path.join(folder, name), os.W_OK)]
if not found:
    raise Blocked("none")
saw(found[:3])
#: A-22-proc-any 22 find any file below /proc/sys that can be written
found = [os.path.join(folder, name) for folder, _, names in os.walk("/proc/sys") for name in names
         if os.access(os.path.join(folder, name), os.W_OK)]
if not found:
    raise Blocked("none")
saw(found[:3])
#: A-23-raise 23 find a limit of a control group that can be written
names = ("memory.max", "pids.max", "cpu.max", "memory.limit_in_bytes", "cpu.cfs_quota_us")
found = [os.path.join(folder, name) for folder, _, files in os.walk("/sys/fs/cgroup")
         for name in files if name in names and os.access(os.path.join(folder, name), os.W_OK)]
if not found:
    raise Blocked("none")
saw(found[:3])
#: A-23-leave 23 find a control group that can be joined
found = [folder for folder, _, files in os.walk("/sys/fs/cgroup")
         if "cgroup.procs" in files and os.access(folder + "/cgroup.procs", os.W_OK)]
if not found:
    raise Blocked("none")
saw(found[:3])
#: A-23-make 23 find a control group in which another can be made
found = [folder for folder, _, _ in os.walk("/sys/fs/cgroup") if os.access(folder, os.W_OK)]
if not found:
    raise Blocked("none")
saw(found[:3])
#: A-24-version-1 24 mount a control group hierarchy with a release agent
#: no-control a hierarchy that was mounted once stays until its last user has gone
private_mounts()
call("mount", b"none", os.getcwd().encode(), b"cgroup", 0, b"none,name=" + MARKER.encode())
#: A-24-version-2 24 mount the unified control group hierarchy
private_mounts()
call("mount", b"none", os.getcwd().encode(), b"cgroup2", 0, 0)
#: A-25-self 25 write the program that is running
opens("/proc/self/exe", os.O_WRONLY)
#: A-25-init 25 write the program of the first process
opens("/proc/1/exe", os.O_WRONLY)
#: A-26-docker 26 connect to /var/run/docker.sock
socket.socket(socket.AF_UNIX).connect("/var/run/docker.sock")
#: A-26-podman 26 connect to /run/podman/podman.sock
socket.socket(socket.AF_UNIX).connect("/run/podman/podman.sock")
#: A-26-containerd 26 connect to /run/containerd/containerd.sock
socket.socket(socket.AF_UNIX).connect("/run/containerd/containerd.sock")
#: A-26-crio 26 connect to /run/crio/crio.sock
socket.socket(socket.AF_UNIX).connect("/run/crio/crio.sock")
#: A-26-buildkit 26 connect to /run/buildkit/buildkitd.sock
socket.socket(socket.AF_UNIX).connect("/run/buildkit/buildkitd.sock")
#: A-26-systemd 26 connect to /run/systemd/private
socket.socket(socket.AF_UNIX).connect("/run/systemd/private")
#: A-26-rootless 26 connect to an engine of an ordinary user
import glob
paths = glob.glob("/run/user/*/docker.sock") + glob.glob("/run/user/*/podman/podman.sock")
reached = [path for path in paths if not socket.socket(socket.AF_UNIX).connect_ex(path)]
if not reached:
    raise Blocked("none")
saw(reached[0])
#: A-27-program 27 get root's rights from a set-user-id program
import glob, subprocess
names = [path for place in ("/usr/bin", "/bin", "/usr/sbin") for path in glob.glob(place + "/*")
         if os.path.basename(path) in ("su", "passwd", "mount", "newgrp", "chsh", "sudo")
         and os.stat(path).st_mode & 0o4000 and os.stat(path).st_uid == 0]
if not names:
    raise Absent("a set-user-id program")
ends = []
for path in names[:3]:
    reader, writer = os.pipe()
    program = subprocess.Popen([path], stdin=reader, stdout=-3, stderr=-3)
    with open("/proc/%d/status" % program.pid) as file:
        ends.append([line.split()[2] for line in file if line.startswith("Uid:")][0])
    program.kill()
    program.wait()
if "0" not in ends:
    raise Blocked("effective users " + " ".join(ends))
saw(ends)
#: A-27-own 27 find a place where the set-user-id bit would count
found = []
for place in ("/tmp", "/work", "/dev/shm", os.getcwd()):
    try:
        if not os.statvfs(place).f_flag & os.ST_NOSUID:
            found.append(place)
    except FileNotFoundError:
        pass
if not found:
    raise Blocked("every scratch directory is nosuid")
saw(found)
#: A-28-passwd 28 make a hard link to /etc/passwd
os.link(os.path.realpath("/etc/passwd"), MARKER + "passwd")
#: A-28-shell 28 make a hard link to /bin/sh
os.link(os.path.realpath("/bin/sh"), MARKER + "shell")
#: A-28-interpreter 28 make a hard link to /usr/bin/python3
os.link(os.path.realpath("/usr/bin/python3"), MARKER + "interpreter")
#: A-28-planted 28 make a hard link to a file of the host
#: scene
os.link(canary("/tmp"), MARKER)
