import copyreg


class Lock:
    def __del__(self):
        print("released")


lock = Lock()
copyreg.pickle(Lock, lambda lock: (Lock, ()))
print("end")
