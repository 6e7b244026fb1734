import sys

table = bytes(range(256))
for shift in range(4):
    sys.stdout.buffer.write(table[shift:] + table[:shift])
sys.stdout.buffer.flush()
