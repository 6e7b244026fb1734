#!/usr/bin/env python3
"""package_index.py FOLDER [CERTIFICATE KEY]: an index of the packages in a folder, for pip below
/simple/ (PEP 503) and for npm below /npm/, on a port of the loopback that it prints."""

import base64
import hashlib
import http.server
import io
import json
import pathlib
import ssl
import sys
import tarfile
import urllib.parse
import zipfile

FOLDER = pathlib.Path(sys.argv[1])


def named(name):
    """For pip: links to files. Two of them are not what they say."""
    links = []
    for file in FOLDER.iterdir():
        if file.name.split("-")[0] == name and file.suffix != ".tgz":
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            links.append(f'<a href="/files/{file.name}#sha256={digest}">{file.name}</a>')
    if name == "puller":
        links = ['<a href="/puller/puller-1.0-py3-none-any.whl">puller-1.0-py3-none-any.whl</a>']
    if name == "elsewhere":
        links = ['<a href="http://127.0.0.2:8/elsewhere-1.0-py3-none-any.whl">it</a>']
    if name == "secure":
        links = ['<a href="https://127.0.0.2/secure-1.0-py3-none-any.whl">it</a>']
    if name == "liar":
        links = [f'<a href="/files/tell-2.1-py3-none-any.whl#sha256={"0" * 64}">'
                 "liar-1.0-py3-none-any.whl</a>"]
    return "".join(links).encode()


def puller(place):
    """A wheel that needs a source archive by its address, which no list of files has."""
    info = "puller-1.0.dist-info"
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("puller.py", "")
        archive.writestr(f"{info}/METADATA",
                         "Metadata-Version: 2.1\nName: puller\nVersion: 1.0\n"
                         f"Requires-Dist: pulled @ {place}/files/pulled-1.0.tar.gz\n")
        archive.writestr(f"{info}/WHEEL",
                         "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return made.getvalue()


def about(name, place):
    """For npm: all versions of a package."""
    versions = {}
    for file in sorted(FOLDER.glob("*.tgz")):
        with tarfile.open(file) as archive:
            said = json.load(archive.extractfile("package/package.json"))
        if said["name"] == name:
            digest = base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode()
            tarball = f"{place}/files/{file.name}"
            versions[said["version"]] = said | {
                "dist": {"tarball": tarball, "integrity": f"sha512-{digest}"}}
    latest = max(versions, default="")
    return json.dumps({"name": name, "versions": versions,
                       "dist-tags": {"latest": latest}}).encode() if versions else b""


class Index(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        kind, name = urllib.parse.unquote(self.path).strip("/").split("/", 1)
        place = f"{'https' if len(sys.argv) > 2 else 'http'}://{self.headers['Host']}"
        if kind == "simple":
            body = named(name)
        elif kind == "npm":
            body = about(name, place)
        elif kind == "puller":
            body = puller(place)
        else:
            body = (FOLDER / name).read_bytes()
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "application/json" if kind == "npm" else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*sys.argv[2:])
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
