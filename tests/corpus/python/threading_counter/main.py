import queue
import threading

lock = threading.Lock()
counter = 0
finished = queue.Queue()


def work(name, rounds):
    global counter
    for _ in range(rounds):
        with lock:
            counter += 1
    finished.put(name)


threads = [threading.Thread(target=work, args=(n, 2000), name=f"t{n}") for n in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()

print("counter:", counter)
print("finished:", sorted(finished.queue))
print("alive:", threading.active_count() == 1)

barrier, log = threading.Barrier(3), []


def meet(number):
    barrier.wait(timeout=5)
    with lock:
        log.append(number)


group = [threading.Thread(target=meet, args=(n,)) for n in range(3)]
[thread.start() for thread in group]
[thread.join() for thread in group]
print("met:", sorted(log))
