# `#: ID ROW TITLE` begins a probe, see docs/selftest.md; the helpers come from sheet.py.
#: B-31-secrets 31 find variables beyond those that were given
given = ("PATH HOME LANG TZ TMPDIR OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS HOSTNAME "
         "NUMEXPR_MAX_THREADS GOMAXPROCS UV_THREADPOOL_SIZE PYTHON_CPU_COUNT container LC_CTYPE")
more = sorted(set(os.environ) - set(given.split()))
if not more:
    raise Blocked("none")
saw(more)
#: B-32-ld-preload 32 find LD_PRELOAD of the caller
if "LD_PRELOAD" not in os.environ:
    raise Blocked("not set")
saw("LD_PRELOAD")
#: B-32-pythonpath 32 find PYTHONPATH of the caller
if "PYTHONPATH" not in os.environ:
    raise Blocked("not set")
saw("PYTHONPATH")
#: B-32-bash-env 32 find BASH_ENV of the caller
if "BASH_ENV" not in os.environ:
    raise Blocked("not set")
saw("BASH_ENV")
#: B-32-ssh-auth-sock 32 find SSH_AUTH_SOCK of the caller
if "SSH_AUTH_SOCK" not in os.environ:
    raise Blocked("not set")
saw("SSH_AUTH_SOCK")
#: B-32-docker-host 32 find DOCKER_HOST of the caller
if "DOCKER_HOST" not in os.environ:
    raise Blocked("not set")
saw("DOCKER_HOST")
#: B-32-aws-secret-access-key 32 find AWS_SECRET_ACCESS_KEY of the caller
if "AWS_SECRET_ACCESS_KEY" not in os.environ:
    raise Blocked("not set")
saw("AWS_SECRET_ACCESS_KEY")
#: B-33-environ 33 read /proc/PID/environ of a process of the host
#: scene
reads("/proc/%d/environ" % SCENE["pid"])
#: B-33-cmdline 33 read /proc/PID/cmdline of a process of the host
#: scene
reads("/proc/%d/cmdline" % SCENE["pid"])
#: B-33-maps 33 read /proc/PID/maps of a process of the host
#: scene
reads("/proc/%d/maps" % SCENE["pid"])
#: B-33-mem 33 read /proc/PID/mem of a process of the host
#: scene
reads("/proc/%d/mem" % SCENE["pid"], 1)
#: B-33-processes 33 list processes of the host
#: scene
if not os.path.exists("/proc/%d" % SCENE["pid"]):
    raise Blocked("not there")
saw(len([name for name in os.listdir("/proc") if name.isdigit()]), )
#: B-33-init-shown 33 see that the first process is there
#: by-design-of-engines the box's own runner is shown there, and nothing of it can be read
os.stat("/proc/1")
saw("it is shown")
#: B-33-init-environ 33 read environ of the first process
reads("/proc/1/environ")
#: B-33-init-maps 33 read maps of the first process
reads("/proc/1/maps")
#: B-33-init-auxv 33 read auxv of the first process
reads("/proc/1/auxv")
#: B-33-init-stack 33 read stack of the first process
reads("/proc/1/stack")
#: B-33-init-syscall 33 read syscall of the first process
reads("/proc/1/syscall")
#: B-33-init-io 33 read io of the first process
reads("/proc/1/io")
#: B-33-init-personality 33 read personality of the first process
reads("/proc/1/personality")
#: B-33-init-mem 33 open the memory of the first process
opens("/proc/1/mem", os.O_RDWR)
#: B-34-host-name 34 learn the name of the host
if os.uname().nodename == "lazaret":
    raise Blocked("lazaret")
saw("some other name")
#: B-34-machine-id 34 read the identity of the machine
reads("/etc/machine-id")
#: B-34-dbus-id 34 read the identity of the machine in /var/lib
reads("/var/lib/dbus/machine-id")
#: B-34-product 34 read the serial number of the machine
reads("/sys/class/dmi/id/product_uuid")
#: B-34-command-line 34 read the kernel's command line
reads("/proc/cmdline")
#: B-34-users 34 learn the users of the host
with open("/etc/passwd") as file:
    users = [line.split(":") for line in file]
people = [user[0] for user in users if 1000 <= int(user[2]) < 65534]
if not people:
    raise Blocked("none that is a person")
saw(people)
#: B-34-resolver 34 learn the network's name servers
with open("/etc/resolv.conf") as file:
    if not [line for line in file if line.startswith("nameserver")]:
        raise Blocked("none")
saw("name servers")
#: B-34-boot-id 34 read /proc/sys/kernel/random/boot_id
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/sys/kernel/random/boot_id")
#: B-34-cpuinfo 34 read /proc/cpuinfo
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/cpuinfo")
#: B-34-meminfo 34 read /proc/meminfo
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/meminfo")
#: B-34-uptime 34 read /proc/uptime
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/uptime")
#: B-34-loadavg 34 read /proc/loadavg
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/loadavg")
#: B-34-version 34 read /proc/version
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/version")
#: B-34-stat 34 read /proc/stat
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/stat")
#: B-34-partitions 34 read /proc/partitions
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/partitions")
#: B-34-diskstats 34 read /proc/diskstats
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/diskstats")
#: B-34-devices 34 read /proc/devices
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/devices")
#: B-34-filesystems 34 read /proc/filesystems
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/filesystems")
#: B-34-vmstat 34 read /proc/vmstat
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/vmstat")
#: B-34-zoneinfo 34 read /proc/zoneinfo
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/zoneinfo")
#: B-34-buddyinfo 34 read /proc/buddyinfo
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/buddyinfo")
#: B-34-softirqs 34 read /proc/softirqs
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/softirqs")
#: B-34-crypto 34 read /proc/crypto
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/crypto")
#: B-34-consoles 34 read /proc/consoles
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/consoles")
#: B-34-locks 34 read /proc/locks
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/locks")
#: B-34-schedstat 34 read /proc/schedstat
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/schedstat")
#: B-34-pressure 34 read /proc/pressure/cpu
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/pressure/cpu")
#: B-34-cgroups 34 read /proc/cgroups
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/cgroups")
#: B-34-misc 34 read /proc/misc
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/misc")
#: B-34-dmi 34 read /sys/class/dmi/id/product_name
#: by-design-of-engines it tells about the machine, not about its users (threat-model.md)
reads("/sys/class/dmi/id/product_name")
#: B-34-osrelease 34 read /proc/sys/kernel/osrelease
#: by-design documented in threat-model.md: it tells about the machine, not about its users
reads("/proc/sys/kernel/osrelease")
#: B-34-mounts 34 see paths of the host in the list of mounts
#: by-design-of-engines engines name the directories of their own storage there; nothing of the user
with open("/proc/self/mountinfo") as file:
    text = file.read()
found = [word for word in ("/home/", "/root/", "/var/lib/", "/tmp/", SCENE.get("home", "/home/"))
         if word in text]
if not found:
    raise Blocked("none")
saw(found)
#: B-34-cgroup-path 34 see the host's control groups in /proc/self/cgroup
#: by-design-without cgroup_view the namespace is missing here, and the evidence says so
with open("/proc/self/cgroup") as file:
    groups = {line.strip().split(":", 2)[2] for line in file}
if groups <= {"/"}:
    raise Blocked("only /")
saw(sorted(groups)[:3])
#: B-35-files 35 find the secret of the run before in a file
#: twice
if ROUND == 1:
    for place in ("/tmp", "/dev/shm", os.getcwd()):
        with open(os.path.join(place, "secret-" + MARKER), "w") as file:
            file.write(MARKER)
found = [os.path.join(place, name) for place in ("/tmp", "/dev/shm", os.getcwd())
         for name in os.listdir(place) if name == "secret-" + MARKER]
if not found:
    raise Blocked("none")
if ROUND == 2:
    for path in found:
        os.unlink(path)
saw(found)
#: B-36-arguments 36 find the arguments of another program
own, found = str(os.getpid()), []
for name in os.listdir("/proc"):
    if name.isdigit() and name not in (own, str(os.getppid())):
        try:
            with open("/proc/%s/cmdline" % name, "rb") as file:
                found.append(file.read(40))
        except (FileNotFoundError, ProcessLookupError):
            pass  # it has ended
if all(not line or b"lazaret" in line or b"runner" in line or line == b"/proc/self/fd/4\0"
       for line in found):
    raise Blocked("only the runner's")
saw(found[:3])
