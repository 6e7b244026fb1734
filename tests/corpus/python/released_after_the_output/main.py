import os


class Lock:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        os.write(1, f"released {self.name}\n".encode())


lock = Lock("door")
print("locked", lock.name)
print("end of the program")
