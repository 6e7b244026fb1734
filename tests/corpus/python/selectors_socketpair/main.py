import selectors
import socket
import threading

REQUESTS = {"adder": ["1 2", "30 12"], "mixed": ["4 x", "5 5"], "mute": []}
answers = {}


def client(name, sock):
    with sock, sock.makefile("rw", encoding="ascii", newline="\n") as stream:
        answers[name] = []
        for request in REQUESTS[name]:
            half = len(request) // 2
            sock.sendall(request[:half].encode())
            sock.sendall(request[half:].encode() + b"\n")
            answers[name].append(stream.readline().rstrip("\n"))


def answer(line):
    try:
        return str(sum(map(int, line.split())))
    except ValueError as error:
        return "error: " + str(error).split(":")[0]


selector = selectors.DefaultSelector()
threads = []
for name in REQUESTS:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    selector.register(ours, selectors.EVENT_READ, data={"name": name, "rest": b""})
    threads.append(threading.Thread(target=client, args=(name, theirs)))
    threads[-1].start()

closed = []
while selector.get_map():
    for key, mask in selector.select(timeout=20):
        data = key.fileobj.recv(3)
        if not data:
            selector.unregister(key.fileobj)
            key.fileobj.close()
            closed.append(key.data["name"])
            continue
        *lines, key.data["rest"] = (key.data["rest"] + data).split(b"\n")
        for line in lines:
            key.fileobj.sendall(answer(line.decode()).encode() + b"\n")
for thread in threads:
    thread.join()
for name in sorted(answers):
    print(name, answers[name])
print(sorted(closed))
left, right = socket.socketpair(type=socket.SOCK_DGRAM)
left.send(b"one")
left.send(b"")
print(right.recv(10), right.recv(10), left.family.name)
