import argparse
import io
from contextlib import redirect_stderr, redirect_stdout


def positive(text):
    if int(text) <= 0:
        raise argparse.ArgumentTypeError(f"{text} is not positive")
    return int(text)


def parser():
    main = argparse.ArgumentParser(prog="list", description="Keeps a list.", allow_abbrev=False)
    main.add_argument("-v", "--verbose", action="count", default=0)
    main.add_argument("--colour", choices=["always", "never"], default="never")
    commands = main.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add", aliases=["a"], help="adds items")
    add.add_argument("items", nargs="+")
    add.add_argument("-t", "--tag", action="append", dest="tags", default=None)
    add.add_argument("--at", type=positive, metavar="PLACE")
    show = commands.add_parser("show", help="shows items")
    group = show.add_mutually_exclusive_group()
    group.add_argument("--all", action="store_true")
    group.add_argument("--last", type=positive, nargs="?", const=1)
    show.add_argument("--sort", action=argparse.BooleanOptionalAction, default=True)
    return main


def attempt(*words):
    output = io.StringIO()
    try:
        with redirect_stderr(output), redirect_stdout(output):
            return vars(parser().parse_args(words))
    except SystemExit as stop:
        return f"{stop.code}: {output.getvalue().strip().splitlines()[-1]}"


print(attempt("show", "--last", "--no-sort"))
print(attempt("show", "--all", "--last", "2"))
print(attempt("add", "x", "--at", "0"))
print(attempt("--colour", "red", "show"))
print(attempt())
print(attempt("add", "-h").split(":")[0])
arguments = parser().parse_args()
print(parser().parse_known_args(["a", "x", "--odd"])[1], parser().prog)
vars(arguments)
