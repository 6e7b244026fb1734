# What box_facts.sh shows, by a program that may start no other. That each way of doing so is tried
# last keeps what should have failed from changing what was seen.
import ctypes, os, sys
def title(name): print('==> %s <==' % name)
for path in ('/proc/self/status', '/proc/self/mountinfo', '/proc/self/limits', '/proc/net/dev',
             '/proc/sys/kernel/hostname', '/proc/sys/user/max_user_namespaces',
             '/proc/net/fib_trie'):
  title(path)
  print(open(path).read(), end='')
title('session')
print('%04o' % os.umask(0o22))
print(os.getpid(), *open('/proc/self/stat').read().split()[5:7])
title('links')
for directory in ('/proc/self/ns/', '/proc/self/fd/'):
  for name in os.listdir(directory):
    try: print('l 1 o g 64 Jan 1 00:00 %s -> %s' % (name, os.readlink(directory + name)))
    except FileNotFoundError: pass
title('accounts')
print(open('/etc/passwd').read())
title('environment')
for name, value in os.environ.items(): print('%s=%s' % (name, value))
title('device')
try: os.mknod('/dev/shm/block', 0o60600, 0)
except OSError as error: print('block: ' + error.strerror)
title('end')
print('that was all')
title('alone')
sys.stdout.flush()
def child():
  if os.fork() == 0: os._exit(0)
for attempt in (child, lambda: os.execv('/bin/true', ['true']),
                lambda: os.posix_spawn('/bin/true', ['true'], {})):
  try: attempt()
  except OSError as error: print('%d' % error.errno, flush=True)
