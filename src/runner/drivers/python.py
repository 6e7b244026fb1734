# What an interpreter has for its programs: the value of a last expression, or the error that ended
# it, goes as one JSON document to descriptor 3. One of the two other files follows.
# Only modules that are built into the interpreter are loaded: the rest would cost start-up time.
import _ast
import builtins
import os
import sys
from _frozen_importlib_external import PathFinder
from _thread import RLock

MOST_DEPTH = 100
MOST_LETTERS = 16 << 20
LARGEST = 1 << 1023  # a JSON reader that has only doubles can still hold it
ONLY_AST = 0x400  # ast.PyCF_ONLY_AST
RESERVE = 4 << 20  # of memory, so that it can be told when there is none left
NO_MEMORY = '{"error":{"type":"MemoryError","message":"MemoryError","name":"MemoryError"}}'
FUTURE_FLAGS = 0x1FF0000  # what `from __future__ import` leaves in a code object


class Unserializable(Exception):
    pass


def text_of(string, where):
    try:
        str.encode(string, "utf-8")
    except UnicodeEncodeError:
        raise Unserializable(where + ": text with half of a surrogate pair") from None
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        from json.encoder import py_encode_basestring_ascii as encode_basestring_ascii
    return encode_basestring_ascii(str.__str__(string))


def number_of(number, where):
    if isinstance(number, int):
        if not -LARGEST < int(number) < LARGEST:
            raise Unserializable(where + ": integer that is too large")
        return int.__repr__(number)
    if number != number or number in (float("inf"), float("-inf")):
        raise Unserializable(where + ": " + float.__repr__(number) + " does not exist in JSON")
    return float.__repr__(number)


class Document:
    def __init__(self):
        self.parts = []
        self.letters = 0
        self.open = set()

    def add(self, text):
        self.letters += len(text)
        if self.letters > MOST_LETTERS:
            raise Unserializable("the value is larger than 16 MiB")
        self.parts.append(text)

    def write(self, value, where):
        if value is None or value is True or value is False:
            self.add({None: "null", True: "true", False: "false"}[value])
        elif isinstance(value, str):
            self.add(text_of(value, where))
        elif isinstance(value, (int, float)):
            self.add(number_of(value, where))
        elif isinstance(value, (dict, list, tuple)):
            self.enter(value, where)
        else:
            raise Unserializable(where + ": " + type(value).__name__ + " does not exist in JSON")

    def enter(self, value, where):
        if id(value) in self.open:
            raise Unserializable(where + ": contains itself")
        if len(self.open) >= MOST_DEPTH:
            raise Unserializable(where[:200] + ": nested deeper than 100")
        self.open.add(id(value))
        (self.write_dict if isinstance(value, dict) else self.write_list)(value, where)
        self.open.remove(id(value))

    def write_list(self, value, where):
        base = tuple if isinstance(value, tuple) else list
        self.add("[")
        for index, element in enumerate(base.__iter__(value)):
            if index:
                self.add(",")
            self.write(element, "%s[%d]" % (where, index))
        self.add("]")

    def write_dict(self, value, where):
        self.add("{")
        first = True
        for key, element in dict.items(value):
            if not isinstance(key, str):
                raise Unserializable(where + ": key of type " + type(key).__name__)
            self.add(("" if first else ",") + text_of(key, where) + ":")
            first = False
            self.write(element, "%s[%s]" % (where, ascii(str.__str__(key))[:60]))
        self.add("}")


def json_of(value, where):
    document = Document()
    document.write(value, where)
    return "".join(document.parts)


class Channel:
    """Descriptor 3, moved out of the way and closed in forked children."""

    def __init__(self):
        self.descriptor, self.said, self.is_cut = None, False, False
        self.lock = RLock()
        self.hold_reserve()
        try:
            os.set_inheritable(3, False)
        except OSError:
            return
        try:
            self.descriptor = os.dup2(3, 250, inheritable=False)
            os.close(3)
        except OSError:  # fewer descriptors are allowed
            self.descriptor = 3
        os.register_at_fork(after_in_child=self.close)

    def hold_reserve(self):
        self.reserve = None
        try:
            self.reserve = bytes(RESERVE)  # which is not touched, as that of a bytearray is
        except MemoryError:
            pass

    def close(self):
        descriptor, self.descriptor = self.descriptor, None
        if descriptor is not None:
            try:
                os.close(descriptor)
            except OSError:
                pass

    def write(self, text):
        """An interrupt may cut it off: it ends then where the next begins."""
        rest = memoryview((("\n" if self.is_cut else "") + text).encode("ascii"))
        self.is_cut = True
        try:
            while rest:
                rest = rest[os.write(self.descriptor, rest):]
        except OSError:
            pass
        self.is_cut = False

    def send(self, text):
        """The document, behind which nothing comes."""
        if self.descriptor is None:
            return
        with self.lock:
            if not self.said:
                self.said = True
                self.write(text)

    def send_value(self, value, is_shown=lambda: False):
        """What is no JSON is an error, unless it is shown otherwise."""
        if value is None or self.descriptor is None:
            return
        try:
            self.send('{"value":' + json_of(value, "value") + "}")
        except Unserializable as error:
            if not is_shown():
                self.send_error("SerializationError", str(error))
        except MemoryError:
            self.send_error("MemoryError", "no memory left for the value")
        except RecursionError:
            self.send_error("SerializationError", "value: nested too deep")

    def send_error(self, kind, message, stack=None, name=None, line=None):
        error = {"type": kind, "message": message[:65536]}
        if stack is not None:
            error["stack"] = stack[-262144:]
        if name is not None:
            error["name"] = name[:201]  # one that is too long is none
        for key, text in error.items():
            error[key] = text.encode("utf-8", "backslashreplace").decode()
        if line is not None:
            error["line"] = line
        self.send('{"error":' + json_of(error, "error") + "}")


def compiled(source, path):
    """The program, and apart from it its last statement when that is an expression."""
    tree = compile(source, path, "exec", ONLY_AST, True)
    if not tree.body or not isinstance(tree.body[-1], _ast.Expr):
        return compile(source, path, "exec", 0, True), None
    last = _ast.Expression(tree.body.pop().value)
    if isinstance(last.body, _ast.Constant) and not tree.body:
        body = compile(source, path, "exec", 0, True)  # a lone text is the docstring too
    else:
        body = compile(tree, path, "exec", 0, True)
    return body, compile(last, path, "eval", body.co_flags & FUTURE_FLAGS, True)


def main_module():
    module = type(sys)("__main__")
    module.__builtins__ = builtins
    module.__annotations__ = {}
    globals()["former_main"] = sys.modules["__main__"]  # keeps this file's globals alive
    sys.modules["__main__"] = module
    return module


def is_denial(code):
    return type(code) is int and code in (1, 13, 30)  # EPERM, EACCES, EROFS on Linux


def line_of(value, trace, path, compiling):
    """The innermost of the program's own file."""
    if compiling:
        return value.lineno if isinstance(value, SyntaxError) and value.filename == path else None
    line = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def report(channel, path, compiling):
    channel.reserve = None
    try:
        describe(channel, path, compiling)
    except MemoryError:
        channel.said = False
        channel.send(NO_MEMORY)


def describe(channel, path, compiling):
    """Before the interpreter prints: an import later would cost it the status of an interrupt."""
    import traceback

    kind, value, trace = sys.exc_info()
    trace = hide_frames(trace)
    name = "RuntimeError"
    if issubclass(kind, MemoryError):
        name = "MemoryError"
    elif compiling and issubclass(kind, SyntaxError):
        name = "SyntaxError"
    elif issubclass(kind, OSError) and is_denial(OSError.errno.__get__(value)):
        name = "PermissionDenied"
    message = "".join(traceback.format_exception_only(kind, value)).strip()  # notes included
    if isinstance(value, SyntaxError):
        message = kind.__name__ + ": " + str(value)
    stack = "".join(traceback.format_exception(kind, value, trace))
    channel.send_error(name, message, stack, type.__dict__["__name__"].__get__(kind),
                       line_of(value, trace, path, compiling))


def hide_frames(trace):
    while trace is not None and trace.tb_frame.f_globals is globals():
        trace = trace.tb_next
    return trace


def fix_seed(random):
    """Its own hook, which is older, takes another one in each child."""
    random.seed(0)
    os.register_at_fork(after_in_child=lambda: random.seed(0))


class Seeding:
    """Finds the library's random once, and fixes its seed when it is loaded."""

    def find_spec(self, name, path=None, target=None):
        if name != "random":
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name)
        if spec and spec.origin and os.path.dirname(spec.origin) == os.path.dirname(os.__file__):
            load = spec.loader.exec_module
            spec.loader.exec_module = lambda module: (load(module), fix_seed(module))
        return spec


def is_deterministic():
    return not sys.flags.isolated


def settle():
    if is_deterministic():
        os.environ.pop("PYTHONSAFEPATH", None)  # was for this interpreter
        sys.path[:] = [entry for entry in sys.path if entry]  # which knows it from 3.11 on
    processors = os.environ.get("PYTHON_CPU_COUNT", "")[:5]  # which -I has python overlook
    if processors.isdecimal() and int(processors) > 0:
        os.cpu_count = os.process_cpu_count = int(processors).__int__


def see_packages(folder):
    """Behind the library, and before what the system has installed for its own programs."""
    import site
    known = list(sys.path)
    try:
        site.addsitedir(folder)
    except SystemExit:  # of a .pth file
        pass
    added = [entry for entry in sys.path if entry not in known]
    systems = [place for place, entry in enumerate(known) if entry.endswith("-packages")]
    place = systems[0] if systems else len(known)
    sys.path[:] = known[:place] + added + known[place:]


def seed():
    random = sys.modules.get("random")
    if is_deterministic() and random:
        fix_seed(random)
    elif is_deterministic():
        sys.meta_path.insert(0, Seeding())
    elif random:
        random.seed()
