import string

WIDTH = 64
line = (string.ascii_lowercase + string.ascii_uppercase + string.digits)[: WIDTH - 6]
for number in range(200 * 1024 // WIDTH):
    print(f"{number:04d} {line}")
