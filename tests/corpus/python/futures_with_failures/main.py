import threading
from collections import Counter
from concurrent.futures import (CancelledError, Future, ProcessPoolExecutor, ThreadPoolExecutor,
                                TimeoutError, as_completed, wait)

PRICES = {"tea": "3", "jam": "x", "pie": "5", "nut": "", "fig": "8"}


def price(name):
    return int(PRICES[name])


def outcome(future):
    error = future.exception()
    return type(error).__name__ if error else "ok"


counts = Counter()
with ThreadPoolExecutor(max_workers=2) as pool:
    futures = {pool.submit(price, name): name for name in [*PRICES, "ham"]}
    for future in as_completed(futures, timeout=20):
        counts[outcome(future)] += 1
    print({futures[future]: outcome(future) for future in futures})

release = threading.Event()
with ThreadPoolExecutor(max_workers=1) as pool:
    running = pool.submit(release.wait, 20)
    queued = pool.submit(print, "never printed")
    print(queued.cancel(), queued.cancelled(), running.done())
    try:
        running.result(timeout=0.01)
    except TimeoutError:
        print("not yet")
    done, pending = wait([running], timeout=0.01)
    print(len(done), len(pending))
    release.set()
    print(running.result(), running.cancel())
try:
    queued.result()
except CancelledError:
    print("was cancelled")
try:
    pool.submit(print)
except RuntimeError as error:
    print(error)

if __name__ == "__main__":
    with ProcessPoolExecutor(max_workers=2) as pool:
        print(list(pool.map(price, ["tea", "pie", "fig"], chunksize=2)))
        failed = pool.submit(price, "jam").exception()
        print(type(failed).__name__, "in price" in str(failed.__cause__))

manual = Future()
manual.add_done_callback(lambda future: print("called back with", future.result()))
manual.set_result(42)
dict(sorted(counts.items()))
