import atexit
import os
import sys
import traceback


class StockError(Exception):
    pass


def report(kind, error, trace):
    print(f"fatal {kind.__name__}: {error}", file=sys.stderr)
    for frame in traceback.extract_tb(trace):
        print(" ", os.path.basename(frame.filename), frame.lineno, frame.name, file=sys.stderr)


def order(count, stock):
    if count > stock:
        raise StockError(f"only {stock} nuts")


sys.excepthook = report
atexit.register(print, "from atexit", file=sys.stderr)
order(5, 3)
