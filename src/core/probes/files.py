# `#: ID ROW TITLE` begins a probe, see docs/selftest.md; the helpers come from sheet.py.
#: A-01-shadow 1 read /etc/shadow
reads("/etc/shadow")
#: A-01-gshadow 1 read /etc/gshadow
reads("/etc/gshadow")
#: A-01-sudoers 1 read /etc/sudoers
reads("/etc/sudoers")
#: A-01-opasswd 1 read /etc/security/opasswd
reads("/etc/security/opasswd")
#: A-01-host-key 1 read /etc/ssh/ssh_host_ed25519_key
reads("/etc/ssh/ssh_host_ed25519_key")
#: A-02-planted-tmp 2 read a file planted in the host's temporary directory
#: scene
reads(canary("/tmp"))
#: A-02-planted-var-tmp 2 read a file planted in the host's /var/tmp
#: scene
reads(canary("/var/tmp"))
#: A-02-planted-shm 2 read a file planted in the host's /dev/shm
#: scene
reads(canary("/dev/shm"))
#: A-02-planted-run 2 read a file planted in the host's /run
#: scene
reads(canary("/run"))
#: A-02-planted-opt 2 read a file planted in the host's /opt
#: scene
reads(canary("/opt"))
#: A-02-planted-srv 2 read a file planted in the host's /srv
#: scene
reads(canary("/srv"))
#: A-02-planted-etc 2 read a file planted in the host's /etc
#: scene
reads(canary("/etc"))
#: A-02-planted-root 2 read a file planted in the home of the host's root
#: scene
reads(canary("/root"))
#: A-02-planted-usr-local-etc 2 read a file planted among the host's own settings
#: scene
reads(canary("/usr/local/etc"))
#: A-02-planted-usr-src 2 read a file planted among the host's sources
#: scene
reads(canary("/usr/src"))
#: A-02-root 2 list /root
reads("/root")
#: A-02-home 2 list /home
reads("/home")
#: A-02-srv 2 list /srv
reads("/srv")
#: A-02-opt 2 list /opt
reads("/opt")
#: A-02-mnt 2 list /mnt
reads("/mnt")
#: A-02-media 2 list /media
reads("/media")
#: A-02-boot 2 list /boot
reads("/boot")
#: A-02-run-user 2 list /run/user
reads("/run/user")
#: A-02-var-spool 2 list /var/spool
#: by-design-of-engines spool directories of the image, never of the host
reads("/var/spool")
#: A-02-var-backups 2 list /var/backups
reads("/var/backups")
#: A-02-var-mail 2 list /var/mail
reads("/var/mail")
#: A-03-append 3 append to a file of the host that everybody may write
#: scene
opens(SCENE["writable"], os.O_WRONLY | os.O_APPEND)
#: A-04-homes 4 find credentials in any home directory
#: scene
names = (".ssh", ".aws", ".kube", ".docker", ".gnupg", ".config/gcloud", ".azure", ".netrc")
users = os.listdir("/home") if os.path.isdir("/home") else ()
homes = [os.path.expanduser("~"), "/root", *("/home/" + name for name in users)]
found = [os.path.join(home, name) for home in homes for name in names
         if os.access(os.path.join(home, name), os.F_OK)]
if not found:
    raise Blocked("none")
saw(found)
#: A-04-ssh 4 read .ssh/id_ed25519 of the user
#: scene
reads(os.path.join(SCENE["home"], ".ssh/id_ed25519"))
#: A-04-aws 4 read .aws/credentials of the user
#: scene
reads(os.path.join(SCENE["home"], ".aws/credentials"))
#: A-04-kube 4 read .kube/config of the user
#: scene
reads(os.path.join(SCENE["home"], ".kube/config"))
#: A-04-docker 4 read .docker/config.json of the user
#: scene
reads(os.path.join(SCENE["home"], ".docker/config.json"))
#: A-04-netrc 4 read .netrc of the user
#: scene
reads(os.path.join(SCENE["home"], ".netrc"))
#: A-04-git-credentials 4 read .git-credentials of the user
#: scene
reads(os.path.join(SCENE["home"], ".git-credentials"))
#: A-04-npmrc 4 read .npmrc of the user
#: scene
reads(os.path.join(SCENE["home"], ".npmrc"))
#: A-04-gcloud 4 read .config/gcloud/credentials.db of the user
#: scene
reads(os.path.join(SCENE["home"], ".config/gcloud/credentials.db"))
#: A-04-service-account 4 read a cluster's service account token
reads("/var/run/secrets/kubernetes.io/serviceaccount/token")
#: A-05-docker 5 look into /var/lib/docker
reads("/var/lib/docker")
#: A-05-containers 5 look into /var/lib/containers
reads("/var/lib/containers")
#: A-05-containerd 5 look into /run/containerd
reads("/run/containerd")
#: A-05-runc 5 look into /run/runc
reads("/run/runc")
#: A-05-systemd 5 look into /run/systemd
reads("/run/systemd")
#: A-05-journal 5 look into /var/log/journal
reads("/var/log/journal")
#: A-05-syslog 5 look into /var/log/syslog
reads("/var/log/syslog")
#: A-05-auth-log 5 look into /var/log/auth.log
reads("/var/log/auth.log")
#: A-05-dmesg 5 look into /var/log/dmesg
reads("/var/log/dmesg")
#: A-06-root 6 enter /proc/PID/root of a process of the host
#: scene
reads("/proc/%d/root/" % SCENE["pid"])
#: A-06-cwd 6 enter /proc/PID/cwd of a process of the host
#: scene
reads("/proc/%d/cwd/" % SCENE["pid"])
#: A-06-init-root 6 enter the root directory of the first process
reads("/proc/1/root/")
#: A-06-init-cwd 6 enter the working directory of the first process
reads("/proc/1/cwd/")
#: A-06-init-exe 6 read the program of the first process
reads("/proc/1/exe")
#: A-07-proc-fd 7 list the descriptors of a process of the host
#: scene
reads("/proc/%d/fd" % SCENE["pid"])
#: A-07-reopen 7 open a descriptor of a process of the host again
#: scene
opens("/proc/%d/fd/0" % SCENE["pid"], os.O_RDONLY)
#: A-07-init-fd 7 list the descriptors of the first process
reads("/proc/1/fd")
#: A-08-inherited 8 use a descriptor that was left open
odd = {fd: kind for fd, kind in INHERITED.items() if fd > 2 and not kind.startswith("pipe:")}
if not odd:
    raise Blocked("only pipes of the runner")
saw(odd)
#: A-09-directory 9 walk out through a directory that was left open
for fd in range(1024):
    try:
        found = os.open("../../../../../../etc", os.O_RDONLY, dir_fd=fd)
    except (NotADirectoryError, OSError):
        continue
    saw("from descriptor %d" % fd)
    break
else:
    raise Blocked("no descriptor is a directory")
#: A-10-working-directory 10 start outside of the box's own directory
if os.path.realpath("/proc/self/cwd") == os.getcwd() == "/work":
    raise Blocked("/work")
saw(os.getcwd())
#: A-11-chroot 11 change the root directory
call("chroot", b".")
#: A-11-chroot-escape 11 leave by a second change of the root directory
os.mkdir("inner")
call("chroot", b"inner")
for _ in range(32):
    os.chdir("..")
call("chroot", b".")
#: A-12-open-by-handle 12 open files by their handles
call("open_by_handle_at", -100, NOWHERE, 0)
#: A-12-name-to-handle 12 make a handle of a file
call("name_to_handle_at", -100, b"/", NOWHERE, NOWHERE, 0)
#: A-13-root 13 write /
may_write("/")
#: A-13-etc 13 write /etc
may_write("/etc")
#: A-13-passwd 13 write /etc/passwd
may_write("/etc/passwd")
#: A-13-hosts 13 write /etc/hosts
may_write("/etc/hosts")
#: A-13-usr-bin 13 write /usr/bin
may_write("/usr/bin")
#: A-13-usr-lib 13 write /usr/lib
may_write("/usr/lib")
#: A-13-usr-local 13 write /usr/local/bin
may_write("/usr/local/bin")
#: A-13-shell 13 write /bin/sh
may_write("/bin/sh")
#: A-13-var 13 write /var
may_write("/var")
#: A-13-dev 13 write /dev
may_write("/dev")
#: A-13-loader-cache 13 write /etc/ld.so.cache
may_write("/etc/ld.so.cache")
#: A-13-stdlib 13 write the interpreter's library
may_write(os.path.dirname(os.__file__))
#: A-13-interpreter 13 write the interpreter
may_write(os.path.realpath("/proc/self/exe"))
#: A-13-preload 13 name a library for every program
#: no-control it would change what every program of this machine loads
os.close(os.open("/etc/ld.so.preload", os.O_WRONLY | os.O_CREAT, 0o600))
#: A-13-loader 13 write the dynamic loader
loaders = ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1")
may_write([path for path in loaders if os.path.exists(path)][0])
#: A-13-mounts 13 find a part of the root mounted so that it could be written
found = [path for path in ("/", "/etc", "/usr", "/usr/bin", "/usr/lib", "/usr/share")
         if not os.statvfs(path).f_flag & os.ST_RDONLY]
if not found:
    raise Blocked("none")
saw(found)
#: A-14-tmp 14 leave a file in /tmp for the next run
#: twice
leave("/tmp")
#: A-14-shm 14 leave a file in /dev/shm for the next run
#: twice
leave("/dev/shm")
#: A-14-var-tmp 14 leave a file in /var/tmp for the next run
#: twice
leave("/var/tmp")
#: A-14-run-lock 14 leave a file in /run/lock for the next run
#: twice
leave("/run/lock")
#: A-14-run 14 leave a file in /run for the next run
#: twice
leave("/run")
#: A-14-home 14 leave a file in the home directory for the next run
#: twice
leave(os.path.expanduser("~"))
#: A-14-bytecode 14 leave byte code in the interpreter's cache for the next run
#: twice
leave(os.path.join(os.path.dirname(os.__file__), "__pycache__"))
#: A-15-remount 15 make the root writable
private_mounts()
call("mount", b"none", b"/", 0, 0x1020, 0)
#: A-15-bind 15 mount the root a second time
private_mounts()
call("mount", b"/", b"/mnt", 0, 0x5000, 0)
#: A-16-disk 16 make a device file: disk
path = "" + MARKER + "-disk"
os.mknod(path, 0o600 | 0o060000, os.makedev(8, 0))
os.unlink(path)
#: A-16-disk-shm 16 make a device file: disk in /dev/shm
path = "/dev/shm/" + MARKER + "-disk"
os.mknod(path, 0o600 | 0o060000, os.makedev(8, 0))
os.unlink(path)
#: A-16-memory 16 make a device file: memory
path = "" + MARKER + "-memory"
os.mknod(path, 0o600 | 0o020000, os.makedev(1, 1))
os.unlink(path)
#: A-16-messages 16 make a device file: messages
path = "" + MARKER + "-messages"
os.mknod(path, 0o600 | 0o020000, os.makedev(1, 11))
os.unlink(path)
#: A-16-kvm 16 make a device file: kvm
path = "" + MARKER + "-kvm"
os.mknod(path, 0o600 | 0o020000, os.makedev(10, 232))
os.unlink(path)
#: A-16-fuse 16 make a device file: fuse
path = "" + MARKER + "-fuse"
os.mknod(path, 0o600 | 0o020000, os.makedev(10, 229))
os.unlink(path)
#: A-17-mem 17 find /dev/mem
exists("/dev/mem")
#: A-17-kmsg 17 find /dev/kmsg
exists("/dev/kmsg")
#: A-17-port 17 find /dev/port
exists("/dev/port")
#: A-17-kvm 17 find /dev/kvm
exists("/dev/kvm")
#: A-17-loop-control 17 find /dev/loop-control
exists("/dev/loop-control")
#: A-17-loop0 17 find /dev/loop0
exists("/dev/loop0")
#: A-17-sda 17 find /dev/sda
exists("/dev/sda")
#: A-17-vda 17 find /dev/vda
exists("/dev/vda")
#: A-17-nvme 17 find /dev/nvme0
exists("/dev/nvme0")
#: A-17-mapper 17 find /dev/mapper/control
exists("/dev/mapper/control")
#: A-17-vsock 17 find /dev/vsock
exists("/dev/vsock")
#: A-17-vhost-vsock 17 find /dev/vhost-vsock
exists("/dev/vhost-vsock")
#: A-17-vhost-net 17 find /dev/vhost-net
exists("/dev/vhost-net")
#: A-17-input 17 find /dev/input
exists("/dev/input")
#: A-17-uinput 17 find /dev/uinput
exists("/dev/uinput")
#: A-17-dri 17 find /dev/dri
exists("/dev/dri")
#: A-17-msr 17 find /dev/cpu/0/msr
exists("/dev/cpu/0/msr")
#: A-17-watchdog 17 find /dev/watchdog
exists("/dev/watchdog")
#: A-17-rtc 17 find /dev/rtc0
exists("/dev/rtc0")
#: A-17-tty0 17 find /dev/tty0
exists("/dev/tty0")
#: A-17-vcs 17 find /dev/vcs
exists("/dev/vcs")
#: A-17-snd 17 find /dev/snd
exists("/dev/snd")
#: A-17-hpet 17 find /dev/hpet
exists("/dev/hpet")
#: A-17-nvram 17 find /dev/nvram
exists("/dev/nvram")
#: A-17-snapshot 17 find /dev/snapshot
exists("/dev/snapshot")
#: A-17-autofs 17 find /dev/autofs
exists("/dev/autofs")
#: A-17-btrfs 17 find /dev/btrfs-control
exists("/dev/btrfs-control")
#: A-17-ttyS0 17 find /dev/ttyS0
exists("/dev/ttyS0")
#: A-18-fuse 18 find /dev/fuse
exists("/dev/fuse")
#: A-18-tun 18 find /dev/net/tun
exists("/dev/net/tun")
#: A-18-userfaultfd 18 find /dev/userfaultfd
exists("/dev/userfaultfd")
#: A-18-ppp 18 find /dev/ppp
exists("/dev/ppp")
