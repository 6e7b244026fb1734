import sys


def main(files):
    print("checking input")
    if not files:
        sys.exit("error: no input files")
    print("never printed")


if __name__ == "__main__":
    main(sys.argv[1:])
