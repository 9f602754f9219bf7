"""A proxy between a program and its node that disturbs their connections as networks do.

    faults_proxy.py HOST:PORT WHEN ACTION...

It prints its port and forwards everything until the file WHEN exists. From then on it does ACTION.
LANEs are numbers of lanes, WAY is to-node, to-program or both:

    flip LANE WAY BYTE    flips one bit of the next bytes that arrive, in the byte of that number
                          (modulo their count), and prints that
    stall LANE WAY        reads and writes nothing more there
    swallow               reads everything and forwards nothing
    break                 resets all connections
"""

import os
import socket
import struct
import sys
import threading
import time

MAGIC = b"OUTHAUL\n"
WAYS = ["to-node", "to-program"]


def lane_of(hello):
    """Returns the number of the lane that a hello opens."""
    assert hello.startswith(MAGIC), hello
    at = 16 + 2 + 8
    at += 4 + struct.unpack_from("<I", hello, at)[0] + 16
    return struct.unpack_from("<H", hello, at)[0]


class Proxy:
    def __init__(self, node, when, action):
        self.node, self.when, self.action = node, when, action
        self.flipped = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        print(self.listener.getsockname()[1], flush=True)

    def serve(self):
        while True:
            program, _ = self.listener.accept()
            threading.Thread(target=self.open, args=(program,), daemon=True).start()

    def open(self, program):
        node = socket.create_connection(self.node)
        for end in (program, node):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        hello = program.recv(65536)
        lane = lane_of(hello)
        node.sendall(hello)
        for way, source, target in (("to-node", program, node), ("to-program", node, program)):
            threading.Thread(
                target=self.carry, args=(lane, way, source, target), daemon=True
            ).start()
        if self.action[0] == "break":
            while not self.due():
                time.sleep(0.01)
            for end in (program, node):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                end.shutdown(socket.SHUT_RD)
                end.close()

    def due(self):
        return os.path.exists(self.when)

    def is_meant(self, lane, way):
        return self.due() and int(self.action[1]) == lane and self.action[2] in (way, "both")

    def carry(self, lane, way, source, target):
        action = self.action[0]
        try:
            while data := source.recv(65536):
                if (
                    action == "flip"
                    and self.is_meant(lane, way)
                    and self.flipped.acquire(blocking=False)
                ):
                    changed = bytearray(data)
                    changed[int(self.action[3]) % len(changed)] ^= 16
                    data = bytes(changed)
                    print("flipped", flush=True)
                while action == "stall" and self.is_meant(lane, way):
                    time.sleep(1)
                if not (action == "swallow" and self.due()):
                    target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            # Makes the other direction see it too.
            source.close()
            target.close()


host, port = sys.argv[1].rsplit(":", 1)
Proxy((host, int(port)), sys.argv[2], sys.argv[3:]).serve()
