import getopt
import os
import sys

EX_USAGE = 64


def parse(words):
    options = {"quiet": False, "output": None, "level": 1}
    pairs, files = getopt.gnu_getopt(words, "qo:", ["quiet", "output=", "level="])
    for name, value in pairs:
        if name in ("-q", "--quiet"):
            options["quiet"] = True
        elif name in ("-o", "--output"):
            options["output"] = value
        else:
            options["level"] = int(value)
    return options, files


def main(words):
    print(parse(["-qofile", "a", "--lev", "2", "b", "--", "-c"]))
    print(getopt.getopt(["-a", "x", "-b"], "ab"))
    try:
        options, files = parse(words)
    except getopt.GetoptError as error:
        name = os.path.basename(sys.argv[0])
        print(f"usage: {name} [-q] [-o FILE] [--level=N] FILE...", file=sys.stderr)
        print(f"{name}: {error}", file=sys.stderr)
        return EX_USAGE
    print(options, files)
    return 0


if __name__ == "__main__":
    print(parse(sys.argv[1:-1]))
    sys.exit(main(sys.argv[1:]))
