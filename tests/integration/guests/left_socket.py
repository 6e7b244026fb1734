# Leaves a listener with the abstract name argv[1] in messages that nobody will receive.
import array
import socket
import sys

listener = socket.socket(socket.AF_UNIX)
listener.bind("\0" + sys.argv[1])
listener.listen()
one, two = socket.socketpair()
for sender, given in ((one, (two, listener)), (two, (one, listener))):
    numbers = array.array("i", [end.fileno() for end in given])
    sender.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers)])
print("left")
