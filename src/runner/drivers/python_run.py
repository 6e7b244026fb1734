

# What follows where an interpreter runs one program: the file named by the first argument, the way
# `python3 FILE` does. Without an argument it is ahead of its program: it loads what programs use,
# says that it waits on descriptor 3, and reads on descriptor 4 what it is to run and with which
# arguments.
from _frozen_importlib_external import SourceFileLoader
SAMPLE = b"import os\ndef each(a, b=1):\n    return [a, b]\neach(1)\n"
COMMON = """base64 bisect collections copy csv dataclasses datetime decimal fractions functools
    hashlib heapq itertools json math operator random re statistics string struct textwrap time
    traceback typing""".split()


def modules_in(folder):
    """What an import finds there sooner than in the library."""
    try:
        entries = [entry.partition(".") for entry in os.listdir(folder)]
    except OSError:
        return set()
    return {name for name, dot, kind in entries
            if kind in ("py", "pyc") or kind.endswith("so")
            or not dot and os.path.isfile(os.path.join(folder, name, "__init__.py"))}


def install_hook():
    """The interpreter prints what ends the program; this takes the frames of this file out."""
    hook = sys.excepthook

    def without_frames(kind, value, trace):
        value.__traceback__ = hide_frames(trace)
        sys.excepthook = hook
        hook(kind, value, value.__traceback__)

    sys.excepthook = without_frames


def module_of(path):
    module = main_module()
    module.__file__ = path
    module.__cached__ = None
    module.__loader__ = SourceFileLoader("__main__", path)
    return module


def content_of(path):
    with open(path, "rb") as file:
        return file.read()


class Ahead:
    """What was loaded while nobody waited: out of the collector's sight, and not taken down at the
    end, which would take longer than most programs."""

    def __init__(self):
        import atexit, gc, time
        self.collector, self.exits, self.sleep = gc, atexit, time.sleep
        self.streams = (sys.stdout, sys.stderr)
        before = set(sys.modules)
        for name in COMMON:
            try:
                __import__(name)
            except ImportError:
                pass
        self.known = set(sys.modules)
        self.loaded = self.known - before
        self.packages = {name.partition(".")[0] for name in self.loaded}
        self.registered = atexit._ncallbacks()
        self.rehearse()
        gc.freeze()

    def rehearse(self):
        """What comes after the wait takes less time when it is not done for the first time: what
        comes of it is of no use."""
        compiled(SAMPLE, "<sample>")
        modules_in("/work")

    def wait(self, channel):
        os.write(channel.descriptor, b"waiting")
        parts = []
        while part := os.read(4, 65536):
            parts.append(part)
        os.close(4)
        if not parts:
            os._exit(0)  # nobody needs it any more
        *words, self.farewell = b"".join(parts).split(b"\0")
        return [os.fsdecode(word) for word in words]

    def give_way(self, folder):
        """What lies beside the program comes before the library: then nothing is loaded yet."""
        if self.packages.isdisjoint(modules_in(folder)):
            return
        self.known -= self.loaded
        for name in self.loaded:
            del sys.modules[name]

    def is_alone(self):
        import _thread
        return (_thread._count() == 0 and self.exits._ncallbacks() == self.registered
                and self.known.issuperset(sys.modules))

    def flush(self):
        for stream in self.streams:
            stream.flush()

    def ends_at_once(self):
        """Unless the interpreter's own end would do something that the program sees."""
        if not self.is_alone() or self.streams != (sys.stdout, sys.stderr):
            return False
        self.flush()  # what objects do at their end comes after what was written before
        sys.modules.pop("__main__", None)
        self.collector.collect()
        self.flush()
        return not any(hasattr(type(thing), "__del__") for thing in self.collector.get_objects())

    def end(self, channel):
        if self.ends_at_once():
            if channel.descriptor is not None:  # who hears it need not wait for memory to be freed
                os.write(channel.descriptor, self.farewell)
                self.sleep(0.1)  # and is killed, unless it was not heard
            os._exit(0)
        self.collector.unfreeze()


def run():
    settle()
    ahead = Ahead() if len(sys.argv) == 1 else None
    channel = Channel()
    if ahead:
        sys.argv[1:] = ahead.wait(channel)
    path = sys.argv[1]
    if ahead:
        ahead.give_way(os.path.dirname(path))
    seed()
    del sys.argv[0]
    sys.orig_argv[1:] = sys.argv
    sys.path.insert(0, os.path.dirname(path))
    module = module_of(path)
    compiling = True
    try:
        body, last = compiled(content_of(path), path)
        compiling = False
        exec(body, module.__dict__)
        if last is not None:
            channel.send_value(eval(last, module.__dict__))
        del module, body, last
    except SystemExit:
        raise
    except BaseException:
        try:
            if channel.descriptor is not None:
                report(channel, path, compiling)
        except BaseException:
            channel.close()
        install_hook()
        raise
    if ahead:
        try:
            ahead.end(channel)
        except Exception:
            pass  # the interpreter will meet it too


run()
