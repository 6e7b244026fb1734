# Fetches with pip what /work/wanted names, one a line, and all that it needs. This box has no
# network: Lazaret connects for it, as core/relay.hpp says. Nor has it subprocesses, by which pip
# would build what comes as a source archive after all. Its last word on standard error, when it
# cannot, is shown to who wanted them; its value says how much there is.
import http.server
import queue
import struct
import threading
import urllib.parse

HEAD = struct.Struct(">cHH")
MOST = 0xFFFF


class Link:
    """The connections that Lazaret carries."""

    def __init__(self):
        self.source = os.fdopen(os.dup(0), "rb")
        self.sink = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # pip tells a lot
        self.turn = threading.Lock()
        self.inboxes = {}
        self.count = 0
        threading.Thread(target=self.listen, daemon=True).start()

    def send(self, kind, number, data=b""):
        with self.turn:
            self.sink.write(HEAD.pack(kind, number, len(data)) + data)
            self.sink.flush()

    def listen(self):
        while len(head := self.source.read(HEAD.size)) == HEAD.size:
            kind, number, size = HEAD.unpack(head)
            self.inboxes[number].put((kind, self.source.read(size)))

    def open(self, to):
        with self.turn:
            self.count += 1
            number = self.count
            self.inboxes[number] = queue.Queue()
        self.send(b"o", number, to.encode())
        kind, why = self.inboxes[number].get()
        if kind != b"o":
            raise OSError(why.decode("ascii", "replace"))
        return number


class Proxy(http.server.BaseHTTPRequestHandler):
    def do_CONNECT(self):
        number = self.connect(self.path)
        if number:
            self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            self.carry(number)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        number = self.connect(url.netloc if url.port else f"{url.netloc}:80")
        if not number:
            return
        lines = [f"GET {url.path or '/'}{'?' + url.query if url.query else ''} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()
                  if name.lower() not in ("connection", "proxy-connection")]
        link.send(b"d", number, "\r\n".join([*lines, "Connection: close", "", ""]).encode())
        self.carry(number)

    def connect(self, to):
        self.close_connection = True
        try:
            return link.open(to)
        except OSError as error:
            self.send_error(502, str(error))
            return None

    def carry(self, number):
        threading.Thread(target=self.pass_up, args=(number,), daemon=True).start()
        while (piece := link.inboxes[number].get())[0] == b"d":
            self.wfile.write(piece[1])

    def pass_up(self, number):
        try:
            while data := self.connection.recv(MOST):
                link.send(b"d", number, data)
        except OSError:
            pass
        link.send(b"c", number)

    def log_message(self, *_):
        pass


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


link = Link()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
threading.Thread(target=server.serve_forever, daemon=True).start()
index = [word for url in lines_of("/work/index") for word in ("--index-url", url)]
if index and index[1].startswith("http://"):
    index += ["--trusted-host", urllib.parse.urlsplit(index[1]).netloc.rpartition("@")[2]]
trusted = ["--cert", "/work/authorities"] if os.path.getsize("/work/authorities") else []
pip("download", "--only-binary", ":all:", "--retries", "1", "--timeout", "20",
    "--proxy", f"http://127.0.0.1:{server.server_port}", "--dest", PLACE, *index, *trusted,
    *FILES, *lines_of("/work/wanted"))
sizes = [os.path.getsize(path) for path in glob.glob(PLACE + "/*")]
{"files": len(sizes), "bytes": sum(sizes)}
