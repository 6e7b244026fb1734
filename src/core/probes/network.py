# `#: ID ROW TITLE` begins a probe, see docs/selftest.md; the helpers come from sheet.py.
#: F-62-tcp4 62 connect to a service of the host at 127.0.0.1
#: scene
caller = socket.socket(socket.AF_INET)
caller.settimeout(3)
caller.connect(("127.0.0.1", SCENE["tcp4"]))
saw(caller.recv(4))
#: F-62-udp4 62 ask a service of the host at 127.0.0.1 with a datagram
#: scene
caller = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
caller.settimeout(3)
caller.connect(("127.0.0.1", SCENE["udp4"]))
caller.send(b"ping")
saw(caller.recv(4))
#: F-62-tcp6 62 connect to a service of the host at ::1
#: scene
caller = socket.socket(socket.AF_INET6)
caller.settimeout(3)
caller.connect(("::1", SCENE["tcp6"]))
saw(caller.recv(4))
#: F-62-udp6 62 ask a service of the host at ::1 with a datagram
#: scene
caller = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
caller.settimeout(3)
caller.connect(("::1", SCENE["udp6"]))
caller.send(b"ping")
saw(caller.recv(4))
#: F-62-fast-open 62 connect without connect
#: scene
caller = socket.socket(socket.AF_INET)
caller.sendto(b"x", 0x20000000, ("127.0.0.1", SCENE["tcp4"]))
saw(caller.recv(4))
#: F-63-abstract 63 connect to an abstract socket of the host
#: scene
socket.socket(socket.AF_UNIX).connect("\0" + SCENE["abstract"])
#: F-63-path 63 connect to a socket file of the host
#: scene
socket.socket(socket.AF_UNIX).connect(SCENE["path_socket"])
#: F-63-dbus 63 connect to dbus
socket.socket(socket.AF_UNIX).connect("/run/dbus/system_bus_socket")
#: F-63-x11 63 connect to x11
socket.socket(socket.AF_UNIX).connect("/tmp/.X11-unix/X0")
#: F-63-x11-abstract 63 connect to x11-abstract
socket.socket(socket.AF_UNIX).connect("\0/tmp/.X11-unix/X0")
#: F-63-nscd 63 connect to nscd
socket.socket(socket.AF_UNIX).connect("/run/nscd/socket")
#: F-63-journal 63 connect to journal
socket.socket(socket.AF_UNIX).connect("/run/systemd/journal/socket")
#: F-63-log 63 connect to log
socket.socket(socket.AF_UNIX).connect("/dev/log")
#: F-63-agents 63 connect to an agent that holds keys
import glob
places = ("/tmp/ssh-*/agent.*", "/run/user/*/keyring/*", "/run/user/*/gnupg/S.*")
paths = [path for place in places for path in glob.glob(place)]
paths.append(os.environ.get("SSH_AUTH_SOCK", "/nowhere"))
reached = [path for path in paths if not socket.socket(socket.AF_UNIX).connect_ex(path)]
if not reached:
    raise Blocked("none")
saw(reached[0])
#: F-63-listing 63 list the Unix sockets of the host
with open("/proc/net/unix") as file:
    if len(file.readlines()) <= 1:
        raise Blocked("none")
saw("sockets")
#: F-64-world 64 find a route to 192.0.2.1
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("192.0.2.1", 53))
saw("there is a route")
#: F-64-metadata 64 find a route to 169.254.169.254
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("169.254.169.254", 53))
saw("there is a route")
#: F-64-private-10 64 find a route to 10.0.0.1
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("10.0.0.1", 53))
saw("there is a route")
#: F-64-private-192 64 find a route to 192.168.0.1
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("192.168.0.1", 53))
saw("there is a route")
#: F-64-bridge 64 find a route to 172.17.0.1
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("172.17.0.1", 53))
saw("there is a route")
#: F-64-desktop 64 find a route to 192.168.65.7
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("192.168.65.7", 53))
saw("there is a route")
#: F-64-carrier 64 find a route to 100.64.0.1
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("100.64.0.1", 53))
saw("there is a route")
#: F-64-multicast 64 find a route to 224.0.0.1
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("224.0.0.1", 53))
saw("there is a route")
#: F-64-other-loopback 64 find a route to 127.0.0.53
#: by-design the loopback of the box itself; nobody listens there
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("127.0.0.53", 53))
saw("there is a route")
#: F-64-world6 64 find a route to 2001:db8::1
socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).connect(("2001:db8::1", 53))
saw("there is a route")
#: F-64-metadata6 64 find a route to fd00:ec2::254
socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).connect(("fd00:ec2::254", 53))
saw("there is a route")
#: F-64-site6 64 find a route to fec0::1
socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).connect(("fec0::1", 53))
saw("there is a route")
#: F-64-mapped6 64 find a route to ::ffff:192.0.2.1
socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).connect(("::ffff:192.0.2.1", 53))
saw("there is a route")
#: F-64-broadcast 64 send to everybody on the network
caller = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
caller.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
caller.connect(("255.255.255.255", 9))
saw("there is a route")
#: F-64-table 64 find a line in the table of routes
with open("/proc/net/route") as file:
    if len(file.readlines()) <= 1:
        raise Blocked("none")
saw("routes")
#: F-65-interfaces 65 find an interface beside the loopback
interfaces()
#: F-65-tcp 65 list the tcp sockets of the host
with open("/proc/net/tcp") as file:
    lines = file.readlines()[1:]
if not lines:
    raise Blocked("none")
saw("%d sockets" % len(lines))
#: F-65-tcp6 65 list the tcp6 sockets of the host
with open("/proc/net/tcp6") as file:
    lines = file.readlines()[1:]
if not lines:
    raise Blocked("none")
saw("%d sockets" % len(lines))
#: F-65-udp 65 list the udp sockets of the host
with open("/proc/net/udp") as file:
    lines = file.readlines()[1:]
if not lines:
    raise Blocked("none")
saw("%d sockets" % len(lines))
#: F-65-udp6 65 list the udp6 sockets of the host
with open("/proc/net/udp6") as file:
    lines = file.readlines()[1:]
if not lines:
    raise Blocked("none")
saw("%d sockets" % len(lines))
#: F-65-raw 65 list the raw sockets of the host
with open("/proc/net/raw") as file:
    lines = file.readlines()[1:]
if not lines:
    raise Blocked("none")
saw("%d sockets" % len(lines))
#: F-65-packet 65 list the packet sockets of the host
with open("/proc/net/packet") as file:
    lines = file.readlines()[1:]
if not lines:
    raise Blocked("none")
saw("%d sockets" % len(lines))
#: F-65-netlink 65 list the netlink sockets of the host
with open("/proc/net/netlink") as file:
    lines = file.readlines()[1:]
lines = [line for line in lines if line.split()[2] != "0"]  # 0 is the kernel itself
if not lines:
    raise Blocked("none")
saw("%d sockets" % len(lines))
#: F-65-up 65 change an interface
import fcntl
caller = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
flags = fcntl.ioctl(caller, 0x8913, struct.pack("16s24x", b"lo"))
fcntl.ioctl(caller, 0x8914, flags)  # to what they are
saw("its flags were set")
#: F-65-add-address 65 give an interface an address
caller = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
message = struct.pack("<IHHIIBBBBI", 24, 20, 5, 1, 0, 2, 32, 0, 0, 0xFFFF)
caller.send(message)
code = struct.unpack_from("<i", caller.recv(4096), 16)[0]
if code:
    raise OSError(-code, os.strerror(-code))
#: F-66-ax25 66 open a socket of family 3, ax25
#: no-control it would make the kernel load a module
rare(3)
#: F-66-ipx 66 open a socket of family 4, ipx
#: no-control it would make the kernel load a module
rare(4)
#: F-66-appletalk 66 open a socket of family 5, appletalk
#: no-control it would make the kernel load a module
rare(5)
#: F-66-netrom 66 open a socket of family 6, netrom
#: no-control it would make the kernel load a module
rare(6)
#: F-66-atmpvc 66 open a socket of family 8, atmpvc
#: no-control it would make the kernel load a module
rare(8)
#: F-66-x25 66 open a socket of family 9, x25
#: no-control it would make the kernel load a module
rare(9)
#: F-66-rose 66 open a socket of family 11, rose
#: no-control it would make the kernel load a module
rare(11)
#: F-66-decnet 66 open a socket of family 12, decnet
#: no-control it would make the kernel load a module
rare(12)
#: F-66-key 66 open a socket of family 15, key
#: no-control it would make the kernel load a module
rare(15)
#: F-66-atmsvc 66 open a socket of family 20, atmsvc
#: no-control it would make the kernel load a module
rare(20)
#: F-66-rds 66 open a socket of family 21, rds
#: no-control it would make the kernel load a module
rare(21)
#: F-66-irda 66 open a socket of family 23, irda
#: no-control it would make the kernel load a module
rare(23)
#: F-66-pppox 66 open a socket of family 24, pppox
#: no-control it would make the kernel load a module
rare(24)
#: F-66-llc 66 open a socket of family 26, llc
#: no-control it would make the kernel load a module
rare(26)
#: F-66-ib 66 open a socket of family 27, ib
#: no-control it would make the kernel load a module
rare(27)
#: F-66-mpls 66 open a socket of family 28, mpls
#: no-control it would make the kernel load a module
rare(28)
#: F-66-can 66 open a socket of family 29, can
#: no-control it would make the kernel load a module
rare(29)
#: F-66-tipc 66 open a socket of family 30, tipc
#: no-control it would make the kernel load a module
rare(30)
#: F-66-bluetooth 66 open a socket of family 31, bluetooth
#: no-control it would make the kernel load a module
rare(31)
#: F-66-iucv 66 open a socket of family 32, iucv
#: no-control it would make the kernel load a module
rare(32)
#: F-66-rxrpc 66 open a socket of family 33, rxrpc
#: no-control it would make the kernel load a module
rare(33)
#: F-66-isdn 66 open a socket of family 34, isdn
#: no-control it would make the kernel load a module
rare(34)
#: F-66-phonet 66 open a socket of family 35, phonet
#: no-control it would make the kernel load a module
rare(35)
#: F-66-ieee802154 66 open a socket of family 36, ieee802154
#: no-control it would make the kernel load a module
rare(36)
#: F-66-caif 66 open a socket of family 37, caif
#: no-control it would make the kernel load a module
rare(37)
#: F-66-nfc 66 open a socket of family 39, nfc
#: no-control it would make the kernel load a module
rare(39)
#: F-66-kcm 66 open a socket of family 41, kcm
#: no-control it would make the kernel load a module
rare(41)
#: F-66-qipcrtr 66 open a socket of family 42, qipcrtr
#: no-control it would make the kernel load a module
rare(42)
#: F-66-smc 66 open a socket of family 43, smc
#: no-control it would make the kernel load a module
rare(43)
#: F-66-xdp 66 open a socket of family 44, xdp
#: no-control it would make the kernel load a module
rare(44)
#: F-66-mctp 66 open a socket of family 45, mctp
#: no-control it would make the kernel load a module
rare(45)
