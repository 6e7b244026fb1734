# Plays the host around a box: files, a home with credentials, listeners, itself as a process.
# Prints one line of JSON that says where they are, and goes on until it is told to end.
import json
import os
import selectors
import shutil
import signal
import socket
import sys
import tempfile

CREDENTIALS = (".ssh/id_ed25519", ".aws/credentials", ".kube/config", ".docker/config.json",
               ".netrc", ".gnupg/private-keys", ".config/gcloud/credentials.db", ".git-credentials",
               ".npmrc", ".bash_history")

PLACES = ("/var/tmp", "/dev/shm", "/run", "/opt", "/srv", "/etc", "/root",
          "/usr/local/etc", "/usr/src")

signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
made = []


def folder_in(place):
    try:
        path = tempfile.mkdtemp(prefix="lazaret-selftest-", dir=place)
    except OSError:
        return None
    made.append(path)
    os.chmod(path, 0o755)
    return path


def planted(folder, name, mode=0o644):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write("canary")
    os.chmod(path, mode)
    return path


def listener(kind, family, address):
    try:
        opened = socket.socket(family, kind)
        opened.bind(address)
    except OSError:
        return None
    if kind == socket.SOCK_STREAM:
        opened.listen(64)
    opened.setblocking(False)
    waiting.register(opened, selectors.EVENT_READ)
    return opened


def port(opened):
    return opened.getsockname()[1] if opened else None


def answer(opened):
    try:
        if opened.type == socket.SOCK_STREAM:
            peer = opened.accept()[0]
            peer.sendall(b"host")
            peer.close()
        else:
            peer = opened.recvfrom(64)[1]
            opened.sendto(b"host", peer)
    except OSError:
        pass  # a caller that has gone already


def serve():
    while True:
        for key, _ in waiting.select():
            answer(key.fileobj)


waiting = selectors.DefaultSelector()
try:
    root = folder_in(None)
    scene = {
        "pid": os.getpid(),
        "home": root,
        "canaries": {place: planted(folder, "secret") for place, folder in
                     [("/tmp", root), *((place, folder_in(place)) for place in PLACES)] if folder},
        "writable": planted(root, "writable", 0o666),
        "credentials": [planted(root, name) for name in CREDENTIALS] and list(CREDENTIALS),
        "path_socket": os.path.join(root, "socket"),
        "abstract": os.path.basename(root),
    }
    for name, family, host in (("4", socket.AF_INET, "127.0.0.1"), ("6", socket.AF_INET6, "::1")):
        scene["tcp" + name] = port(listener(socket.SOCK_STREAM, family, (host, 0)))
        scene["udp" + name] = port(listener(socket.SOCK_DGRAM, family, (host, 0)))
    listener(socket.SOCK_STREAM, socket.AF_UNIX, scene["path_socket"])
    os.chmod(scene["path_socket"], 0o777)
    listener(socket.SOCK_STREAM, socket.AF_UNIX, "\0" + scene["abstract"])
    print(json.dumps(scene), flush=True)
    serve()
finally:
    for path in made:
        shutil.rmtree(path, ignore_errors=True)
