import socket

CACHED = {"EUR": 0.92, "GBP": 0.79}


def rate(currency):
    try:
        with socket.create_connection(("192.0.2.1", 80), timeout=1):
            raise AssertionError("there is a network")
    except OSError:
        print("offline, using the cached rate of", currency)
        return CACHED[currency]


ours, theirs = socket.socketpair()
ours.sendall(b"local sockets work")
print(theirs.recv(100).decode())
rate("EUR")
