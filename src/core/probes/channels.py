# `#: ID ROW TITLE` begins a probe, see docs/selftest.md; the helpers come from sheet.py.
#: H-87-shared-memory 87 leave System V shared memory for the next run
#: twice
key = int.from_bytes(MARKER.encode()[-3:], "big")
made = LIBC.shmget(key, 4096, 0o1666) if ROUND == 1 else -1
found = LIBC.shmget(key, 4096, 0)
if found < 0:
    raise Blocked("gone")
if ROUND == 2:
    LIBC.shmctl(found, 0, None)
saw("segment %d" % found)
#: H-87-semaphore 87 leave a System V semaphore for the next run
#: twice
key = int.from_bytes(MARKER.encode()[-3:], "big")
made = LIBC.semget(key, 1, 0o1666) if ROUND == 1 else -1
found = LIBC.semget(key, 1, 0)
if found < 0:
    raise Blocked("gone")
if ROUND == 2:
    LIBC.semctl(found, 0, 0)
saw("set %d" % found)
#: H-87-messages 87 leave a System V message queue for the next run
#: twice
key = int.from_bytes(MARKER.encode()[-3:], "big")
made = LIBC.msgget(key, 0o1666) if ROUND == 1 else -1
found = LIBC.msgget(key, 0)
if found < 0:
    raise Blocked("gone")
if ROUND == 2:
    LIBC.msgctl(found, 0, None)
saw("queue %d" % found)
#: H-87-posix-queue 87 leave a POSIX message queue for the next run
#: twice
name = b"/" + MARKER.encode()
if ROUND == 1:
    # One short message: a queue as large as is usual is refused by a limit alone.
    LIBC.mq_open(name, os.O_CREAT | os.O_RDWR, 0o666, (ctypes.c_long * 8)(0, 1, 64))
found = LIBC.mq_open(name, os.O_RDWR)
if found < 0:
    raise Blocked("gone")
if ROUND == 2:
    LIBC.mq_unlink(name)
saw("queue")
#: H-87-posix-memory 87 leave POSIX shared memory for the next run
#: twice
leave("/dev/shm")
#: H-87-lock 87 see the file locks of the host
#: by-design the kernel lists only locks of processes that the box can see
with open("/proc/locks") as file:
    if not file.read():
        raise Blocked("none")
saw("locks")
#: H-87-keyring 87 leave a key for the next run
#: twice
#: refused-by ENOKEY
if ROUND == 1:
    call("add_key", b"user", MARKER.encode(), b"x", 1, -4)
call("request_key", b"user", MARKER.encode(), 0, 0)
#: H-87-inotify 87 watch a directory of the host
#: scene
opened = LIBC.inotify_init()
if LIBC.inotify_add_watch(opened, os.path.dirname(SCENE["writable"]).encode(), 0xFFF) < 0:
    raise OSError(ctypes.get_errno(), "inotify_add_watch")
saw("watched")
