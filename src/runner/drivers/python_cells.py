

# What follows where an interpreter is a context: it runs one cell after another and
# keeps what they leave in it. Descriptor 4 tells it each, a 32-bit length and a word: a farewell,
# the cell's name and its code, with zero bytes between. Descriptor 5 hears the farewell and the
# cell's status when it is over.
import _signal


SOURCES = {}  # of cells, by name


def keep_sources():
    """Where tracebacks find their lines."""
    import linecache

    for cell, code in SOURCES.items():
        text = code.decode("utf-8", "replace")
        linecache.cache[cell] = (len(text), None, text.splitlines(True), cell)


def print_exception(kind, value, trace):
    import traceback

    keep_sources()
    traceback.print_exception(kind, value, hide_frames(trace))


def moved(descriptor, target):
    """Out of the program's way, and not handed on to what it starts."""
    try:
        copy = os.dup2(descriptor, target, inheritable=False)
        os.close(descriptor)
        return copy
    except OSError:  # fewer descriptors are allowed
        os.set_inheritable(descriptor, False)
        return descriptor


class Cells:
    def __init__(self):
        self.channel = Channel()
        self.words, self.farewells = moved(4, 251), moved(5, 252)
        os.close(6)  # tells of interrupts who hears no signals
        self.module = main_module()
        self.show = Show(self.channel)
        self.figures = Figures(self.show)
        builtins.display, builtins.HTML = self.show.display, HTML
        self.forked = False
        self.interrupt = _signal.default_int_handler  # or what a cell has put in its place
        os.register_at_fork(after_in_child=self.leave)

    def leave(self):
        """A child is none of ours: with its cell it ends."""
        self.forked = True
        for descriptor in (self.words, self.farewells):
            try:
                os.close(descriptor)
            except OSError:
                pass

    def read(self, size):
        parts = []
        while size:
            part = os.read(self.words, min(size, 65536))
            if not part:
                os._exit(0)
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def hear_nothing(self):
        """There is nothing to be interrupted; what comes before that is so has come too late."""
        while True:
            try:
                _signal.signal(_signal.SIGINT, lambda *_: None)
                return
            except BaseException:
                pass

    def serve(self):
        self.hear_nothing()
        while True:
            size = int.from_bytes(self.read(4), "little")
            farewell, name, code = self.read(size).split(b"\0", 2)
            status = self.run_interruptible(name.decode(), code)
            self.flush()
            if self.forked:
                os._exit(status)
            os.write(self.farewells, farewell + bytes([status]))

    def run_interruptible(self, name, code):
        status = 1
        try:
            try:
                status = self.run(name, code)
            finally:
                self.hear_nothing()
        except BaseException:
            self.hear_nothing()
        return status

    def run(self, name, code):
        self.channel.said = False
        self.channel.hold_reserve()
        self.show.count = 0
        SOURCES[name] = code
        compiling = True
        try:
            _signal.signal(_signal.SIGINT, self.interrupt)
            body, last = compiled(code, name)
            compiling = False
            self.carry_out(body, last)
            return 0
        except SystemExit as end:
            return self.status_of(end.code)
        except BaseException:
            self.hear_nothing()
            self.channel.reserve = None
            self.figures.close()
            self.tell(name, compiling)
            return 1
        finally:
            with self.channel.lock:
                self.channel.said = True  # what a thread shows now is too late
            handler = _signal.getsignal(_signal.SIGINT)
            if callable(handler) and getattr(handler, "__globals__", None) is not globals():
                self.interrupt = handler

    def carry_out(self, body, last):
        try:
            exec(body, self.module.__dict__)
            value = eval(last, self.module.__dict__) if last is not None else None
        except (Exception, SystemExit):
            self.figures.show()
            raise
        is_rich = value is not None and self.show.if_rich(value, "value")
        self.figures.show(but=value)
        self.channel.send_value(value, lambda: is_rich or self.show.beside_others(value))

    def status_of(self, code):
        """As the interpreter itself ends."""
        if code is None:
            return 0
        if isinstance(code, int):
            return int(code) & 255
        print(code, file=sys.stderr)
        return 1

    def tell(self, name, compiling):
        kind, value, trace = sys.exc_info()
        value = value.with_traceback(hide_frames(trace))
        keep_sources()
        report(self.channel, name, compiling)
        print_exception(kind, value, trace)

    def flush(self):
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass


def serve():
    settle()
    seed()
    sys.argv[:] = sys.orig_argv[1:] = [""]
    sys.path.insert(0, "/work")
    Cells().serve()


serve()
