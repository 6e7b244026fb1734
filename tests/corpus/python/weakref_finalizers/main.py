import gc
import weakref


class Node:
    def __init__(self, name):
        self.name = name
        self.peer = None

    def __repr__(self):
        return f"<{self.name}>"


def gone(name):
    print("finalized", name)


cache = weakref.WeakValueDictionary()
notes = weakref.WeakKeyDictionary()
kept, lost = Node("kept"), Node("lost")
cache["kept"], cache["lost"] = kept, lost
notes[kept] = notes[lost] = "noted"
reference = weakref.ref(lost, lambda ref: print("callback, alive:", ref() is not None))
weakref.finalize(lost, gone, "lost")
del lost
print(sorted(cache), len(notes), reference())

gc.disable()
left, right = Node("left"), Node("right")
left.peer, right.peer = right, left
ring = weakref.WeakSet([left, right])
weakref.finalize(left, gone, "left of the ring")
del left, right
print("before collecting:", len(ring))
gc.collect()
print("after:", len(ring))
gc.enable()

proxy = weakref.proxy(kept)
print(proxy.name, weakref.getweakrefcount(kept) > 0)
method = weakref.WeakMethod(kept.__repr__)
print(method()())
try:
    weakref.ref(7)
except TypeError:
    print("numbers have no weak references")
first = weakref.finalize(kept, gone, "kept, first made")
weakref.finalize(kept, gone, "kept, last made")
silent = weakref.finalize(kept, gone, "never printed")
silent.atexit = False
print(first.alive, first.peek()[2])
print("end of the program")
