

# What cells show goes ahead of their value, each thing as a line of its own with a form for each
# media type that it has. Objects say them by the methods that notebooks ask for.
METHODS = {
    "image/png": "_repr_png_", "image/jpeg": "_repr_jpeg_", "image/svg+xml": "_repr_svg_",
    "text/html": "_repr_html_", "text/markdown": "_repr_markdown_", "text/latex": "_repr_latex_",
    "application/json": "_repr_json_", "application/javascript": "_repr_javascript_",
    "application/pdf": "_repr_pdf_",
}
MOST_ROWS, MOST_COLUMNS, MOST_TABLE, MOST_TEXT = 1000, 100, 1 << 20, 1 << 16


class HTML:
    """A page, or a part of one."""

    def __init__(self, data):
        self.data = data

    def __repr__(self):
        return "<HTML>"

    def _repr_html_(self):
        return self.data


def asked(method, *words, **named):
    """Nothing where it raises, which is told as notebooks do: that ends no cell, but where it goes
    round in circles."""
    try:
        return method(*words, **named)
    except NotImplementedError:
        return None
    except RecursionError:
        raise
    except Exception:
        print_exception(*sys.exc_info())
        return None


def method_of(thing, name):
    """Not of classes, whose instances it is for, nor of what has any name that it is asked for."""
    if isinstance(thing, type):
        return None
    try:
        if getattr(thing, "_lazaret_has_any_name_", None) is not None:
            return None
        method = getattr(thing, name, None)
    except Exception:
        return None
    return method if callable(method) else None


def loaded(thing, module, name):
    """Whether it is of that class, if anybody has loaded it."""
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(thing, kind)


def without_metadata(answer):
    return answer[0] if isinstance(answer, tuple) and len(answer) == 2 else answer


def picture_of(figure):
    from io import BytesIO
    file = BytesIO()
    figure.savefig(file, format="png", bbox_inches="tight")
    return file.getvalue()


def json_of_table(frame):
    """Rows with the names of their columns, where each has one of its own."""
    if frame.columns.is_unique and frame.index.is_unique:
        try:
            return frame.to_json(orient="table")
        except (ValueError, TypeError, NotImplementedError):  # of names in levels, say
            pass
    return frame.to_json(orient="split", date_format="iso")


def table_of(frame):
    """Without the rows and columns beyond a bound, of which little more is made than is shown."""
    import json
    part, most = frame.iloc[:, :MOST_COLUMNS], min(len(frame), MOST_ROWS)
    text, rows = json_of_table(part.head(0)), 0
    while rows < most:
        rows = min(2 * rows + 1, most)
        larger = json_of_table(part.head(rows))
        if len(larger) > MOST_TABLE:
            break
        text = larger
    return {**json.loads(text), "shape": list(frame.shape)}


def forms_of(thing):
    """By media type: what the bundle says, then what the other methods say."""
    forms = {}
    bundle = method_of(thing, "_repr_mimebundle_")
    if bundle:
        bundle = without_metadata(asked(bundle, include=None, exclude=None))
        if isinstance(bundle, dict):
            forms.update(bundle)
    for kind, name in METHODS.items():
        method = method_of(thing, name) if kind not in forms else None
        form = without_metadata(asked(method)) if method else None
        if form is not None:
            forms[kind] = form
    if loaded(thing, "matplotlib.figure", "Figure"):
        forms.setdefault("image/png", asked(picture_of, thing))
    elif loaded(thing, "pandas", "DataFrame"):
        forms.setdefault("application/json", asked(table_of, thing))
    return {kind: form for kind, form in forms.items() if form is not None}


def json_of_form(kind, form):
    if kind == "application/json" or kind.endswith("+json"):
        return json_of(form, kind)
    is_text = kind.startswith("text/") or kind.endswith(("+xml", "javascript"))
    if isinstance(form, (bytes, bytearray, memoryview)):
        from binascii import b2a_base64
        form = str(form, "utf-8", "replace") if is_text else b2a_base64(form).decode()
    if not isinstance(form, str):
        raise Unserializable(kind + ": " + type(form).__name__ + " is neither text nor bytes")
    return text_of(form if is_text else "".join(form.split()), kind)  # base64 may have lines


def json_of_forms(forms):
    """What cannot be sent is told, and the rest goes without it."""
    parts = []
    for kind, form in forms.items():
        try:
            parts.append(text_of(kind, "media type") + ":" + json_of_form(kind, form))
        except (Unserializable, RecursionError, MemoryError, TypeError, AttributeError) as error:
            print("not shown:", ascii(str(error))[1:-1], file=sys.stderr)
    return ",".join(parts)


def text_form_of(thing):
    text = asked(repr, thing)
    return text if text is None or len(text) <= MOST_TEXT else text[:MOST_TEXT] + "\u2026"


class Show:
    """Shows things while a cell runs, whichever thread does."""

    def __init__(self, channel):
        self.channel, self.count = channel, 0

    def send(self, forms, source):
        body = json_of_forms({kind: form for kind, form in forms.items() if form is not None})
        channel = self.channel
        if not body or channel.descriptor is None:
            return
        with channel.lock:
            if not channel.said:
                channel.write('{"rich":{"source":"%s","data":{%s}}}\n' % (source, body))
                self.count += 1

    def display(self, *things, raw=False, **_):
        """Shows each of them in all forms that it has."""
        for thing in things:
            if raw and isinstance(thing, dict):
                self.send(thing, "display")
            else:
                self.send({"text/plain": text_form_of(thing), **forms_of(thing)}, "display")

    def if_rich(self, thing, source):
        """Whether it is, which is to say has more forms than its text."""
        forms = forms_of(thing)
        if forms:
            self.send({"text/plain": text_form_of(thing), **forms}, source)
        return bool(forms)

    def beside_others(self, value):
        """Whether it was, as its text: what draws gives things that are no JSON."""
        if self.count:
            self.send({"text/plain": text_form_of(value)}, "value")
        return self.count > 0


class Figures:
    """What is drawn with pyplot is shown by its show(), or at the end of the cell, and closed."""

    def __init__(self, shown):
        self.shown = shown
        sys.meta_path.insert(0, self)

    def find_spec(self, name, path=None, target=None):
        if name != "matplotlib.pyplot":
            return None
        spec = PathFinder.find_spec(name, path)
        if spec and hasattr(spec.loader, "exec_module"):
            load = spec.loader.exec_module
            spec.loader.exec_module = lambda module: (load(module), self.settle(module))
        return spec

    def settle(self, pyplot):
        def show(*_, **__):
            """Shows the figures that are open, and closes them."""
            self.show()
        pyplot.show = show

    def managers(self):
        everywhere = getattr(sys.modules.get("matplotlib._pylab_helpers"), "Gcf", None)
        return everywhere.get_all_fig_managers() if everywhere else []

    def show(self, but=None):
        for manager in self.managers():
            figure = manager.canvas.figure
            is_drawn = len(figure.get_children()) > 1  # its background is one
            if is_drawn and figure is not but:
                self.shown.if_rich(figure, "display")
        self.close()

    def close(self):
        if self.managers():
            sys.modules["matplotlib._pylab_helpers"].Gcf.destroy_all()
