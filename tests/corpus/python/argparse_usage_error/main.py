import argparse

parser = argparse.ArgumentParser(description="Repeat a file.")
parser.add_argument("path")
parser.add_argument("--count", type=int, default=1)
parser.add_argument("--upper", action="store_true")
options = parser.parse_args()
print(options.path * options.count)
