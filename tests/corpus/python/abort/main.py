import os


def check(invariant):
    if not invariant:
        os.abort()


print("flushed", flush=True)
print("lost in the buffer", end="")
check(invariant=sum([0.1] * 10) == 1.0)
