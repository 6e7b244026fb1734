# `#: ID ROW TITLE` begins a probe, see docs/selftest.md; the helpers come from sheet.py.
#: F-66-packet 66 open a packet socket
socket.socket(17, socket.SOCK_RAW, 0)
#: F-66-packet-datagram 66 open a packet socket without headers
socket.socket(17, socket.SOCK_DGRAM, 0)
#: F-66-raw-icmp 66 open a raw socket: icmp
socket.socket(2, socket.SOCK_RAW, 1)
#: F-66-raw-any 66 open a raw socket: any
socket.socket(2, socket.SOCK_RAW, 255)
#: F-66-raw-tcp 66 open a raw socket: tcp
socket.socket(2, socket.SOCK_RAW, 6)
#: F-66-raw6-icmp 66 open a raw socket: icmp
socket.socket(10, socket.SOCK_RAW, 58)
#: F-66-raw6-any 66 open a raw socket: any
socket.socket(10, socket.SOCK_RAW, 255)
#: F-66-ping 66 open a socket that pings
socket.socket(2, socket.SOCK_DGRAM, 1)
#: F-66-udplite 66 open an Internet socket of protocol 136, udplite
#: no-control it would make the kernel load a module
socket.socket(2, 2, 136)
#: F-66-sctp 66 open an Internet socket of protocol 132, sctp
#: no-control it would make the kernel load a module
socket.socket(2, 1, 132)
#: F-66-sctp-many 66 open an Internet socket of protocol 132, sctp
#: no-control it would make the kernel load a module
socket.socket(2, 5, 132)
#: F-66-mptcp 66 open an Internet socket of protocol 262, mptcp
#: no-control it would make the kernel load a module
socket.socket(2, 1, 262)
#: F-66-dccp 66 open an Internet socket of protocol 33, dccp
#: no-control it would make the kernel load a module
socket.socket(2, 6, 33)
#: F-66-l2tp 66 open an Internet socket of protocol 115, l2tp
#: no-control it would make the kernel load a module
socket.socket(2, 2, 115)
#: F-66-mptcp6 66 open a multipath socket of version 6
#: no-control it would make the kernel load a module
socket.socket(10, 1, 262)
#: F-66-netlink-usersock 66 open a netlink socket: usersock
socket.socket(16, socket.SOCK_RAW, 2)
#: F-66-netlink-sock-diag 66 open a netlink socket: sock-diag
#: no-control it would make the kernel load a module
socket.socket(16, socket.SOCK_RAW, 4)
#: F-66-netlink-xfrm 66 open a netlink socket: xfrm
#: no-control it would make the kernel load a module
socket.socket(16, socket.SOCK_RAW, 6)
#: F-66-netlink-selinux 66 open a netlink socket: selinux
#: no-control it would make the kernel load a module
socket.socket(16, socket.SOCK_RAW, 7)
#: F-66-netlink-audit 66 open a netlink socket: audit
socket.socket(16, socket.SOCK_RAW, 9)
#: F-66-netlink-fib-lookup 66 open a netlink socket: fib-lookup
socket.socket(16, socket.SOCK_RAW, 10)
#: F-66-netlink-connector 66 open a netlink socket: connector
#: no-control it would make the kernel load a module
socket.socket(16, socket.SOCK_RAW, 11)
#: F-66-netlink-netfilter 66 open a netlink socket: netfilter
#: no-control it would make the kernel load a module
socket.socket(16, socket.SOCK_RAW, 12)
#: F-66-netlink-kobject-uevent 66 open a netlink socket: kobject-uevent
socket.socket(16, socket.SOCK_RAW, 15)
#: F-66-netlink-generic 66 open a netlink socket: generic
socket.socket(16, socket.SOCK_RAW, 16)
#: F-66-netlink-scsi 66 open a netlink socket: scsi
#: no-control it would make the kernel load a module
socket.socket(16, socket.SOCK_RAW, 18)
#: F-66-netlink-rdma 66 open a netlink socket: rdma
#: no-control it would make the kernel load a module
socket.socket(16, socket.SOCK_RAW, 20)
#: F-66-netlink-crypto 66 open a netlink socket: crypto
#: no-control it would make the kernel load a module
socket.socket(16, socket.SOCK_RAW, 21)
#: F-67-vsock-stream 67 open a stream socket to the hypervisor
#: no-control it would make the kernel load a module
socket.socket(40, 1, 0)
#: F-67-vsock-datagram 67 open a datagram socket to the hypervisor
#: no-control it would make the kernel load a module
socket.socket(40, 2, 0)
#: F-67-vsock-sequence 67 open a sequence socket to the hypervisor
#: no-control it would make the kernel load a module
socket.socket(40, 5, 0)
#: F-67-alg 67 open a socket to the kernel's ciphers
#: no-control it would make the kernel load a module
socket.socket(38, 5, 0)
#: F-67-pair-tipc 67 open a pair of sockets of family 30, tipc
#: no-control it would make the kernel load a module
socket.socketpair(30, 1, 0)
#: F-67-pair-rds 67 open a pair of sockets of family 21, rds
#: no-control it would make the kernel load a module
socket.socketpair(21, 1, 0)
#: F-67-pair-alg 67 open a pair of sockets of family 38, alg
#: no-control it would make the kernel load a module
socket.socketpair(38, 1, 0)
#: F-67-pair-vsock 67 open a pair of sockets of family 40, vsock
#: no-control it would make the kernel load a module
socket.socketpair(40, 1, 0)
#: F-67-pair-inet 67 open a pair of sockets of family 2, inet
socket.socketpair(2, 1, 0)
#: F-67-pair-netlink 67 open a pair of sockets of family 16, netlink
socket.socketpair(16, 1, 0)
#: F-67-high-bits 67 hide the family in bits above 32
os.close(call("socket", 0x100000000 | 17, 3, 0))
#: F-67-type-flags 67 hide a raw socket behind flags
os.close(call("socket", 2, 3 | 0x80800, 1))
#: F-68-int80-socket 68 open a packet socket through the 32-bit entry
#: signals 11
int80(359, 17, 3, 0)
#: F-68-int80-socketcall 68 open a socket through socketcall
#: signals 11
int80(102, 1, NOWHERE, 0)
#: F-68-x32-socket 68 open a packet socket by its x32 number
os.close(raw(0x40000029, 17, 3, 0))
#: F-68-ring 68 open a ring that could make sockets
call("io_uring_setup", 1, NOWHERE)
#: F-69-resolve 69 resolve a name
#: no-control it would ask the resolver of this machine
socket.getaddrinfo("example.com", 80)
saw("resolved")
#: F-69-name-server 69 ask a name server
caller = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
caller.connect(("192.0.2.53", 53))
saw("there is a route")
