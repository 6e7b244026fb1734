import heapq
from collections import deque

CUSTOMERS = {"Ana": (0, 5), "Ben": (1, 3), "Cy": (2, 4), "Dee": (3, 1), "Eli": (12, 2)}
TELLERS = 2


def simulate(customers, tellers):
    events = [(arrival, "arrives", name) for name, (arrival, _) in customers.items()]
    heapq.heapify(events)
    waiting, free, busy = deque(), tellers, 0
    longest_wait = longest_queue = now = 0
    while events:
        now, what, name = heapq.heappop(events)
        if what == "arrives":
            waiting.append(name)
        else:
            free += 1
            print(f"{now:>3} {name} leaves")
        while free and waiting:
            served = waiting.popleft()
            arrival, takes = customers[served]
            longest_wait = max(longest_wait, now - arrival)
            print(f"{now:>3} {served} is served after {now - arrival}")
            heapq.heappush(events, (now + takes, "leaves", served))
            free -= 1
            busy += takes
        longest_queue = max(longest_queue, len(waiting))
    return {
        "finished": now,
        "busy": busy,
        "longest_wait": longest_wait,
        "longest_queue": longest_queue,
    }


result = simulate(CUSTOMERS, TELLERS)
print(f"used: {result['busy'] / TELLERS / result['finished']:.1%}")
result
