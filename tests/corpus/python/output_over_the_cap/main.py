import sys

ROW = 64
for number in range(3 * 1024 * 1024 // ROW):
    sys.stdout.write(f"row {number:05d} ".ljust(ROW - 1, ".") + "\n")
print("all rows were written")
sys.stderr.write("finished normally\n")
sys.exit(0)
