"""Measures how soon a program notices that its network failed, and how soon it continues after the
network is back. Needs root, network namespaces for node, router and program, and an otherwise idle
machine.

    python3 bench/resume.py [CUTS [SECONDS]]      10 cuts of 5 s by default; needs `make build`
    WHERE=router                                  the router drops all packets; with `cable`, the
                                                  program's cable is unplugged. Then the program's
                                                  system has forgotten the router's address, and
                                                  asks for it once a second
    FOLDER=target                                 the folder with the binaries
    GPU=soft                                      the node's GPU
"""

import ctypes
import os
import statistics
import subprocess
import sys
import threading
import time

NODE, ROUTER, PROGRAM = "outhaul-node", "outhaul-router", "outhaul-program"
# The last numbers of addresses: 1 is the router's.
NODES, PROGRAMS = "10.77.1", "10.77.2"
ADDRESS = f"{NODES}.2:7710"


def program():
    """Prints when each round has ended; a round is a fill and a copy back."""
    cuda = ctypes.CDLL("libcuda.so.1")
    context, memory, words = ctypes.c_void_p(), ctypes.c_uint64(), (ctypes.c_uint32 * 1024)()

    def check(code):
        if code:
            sys.exit(f"error {code}")

    check(cuda.cuInit(0))
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    check(cuda.cuCtxSetCurrent(context))
    check(cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.sizeof(words)))
    number = 0
    while True:
        number += 1
        check(cuda.cuMemsetD32_v2(memory, number, len(words)))
        check(cuda.cuMemcpyDtoH_v2(words, memory, ctypes.sizeof(words)))
        if any(word != number for word in words):
            sys.exit("wrong data")
        print(time.monotonic(), flush=True)
        time.sleep(0.001)


def run(*command):
    subprocess.run(command, check=True)


def inside(namespace, *command):
    return ["ip", "netns", "exec", namespace, *command]


def network():
    for namespace in (NODE, ROUTER, PROGRAM):
        run("ip", "netns", "add", namespace)
    run(*inside(ROUTER, "sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward"))
    for namespace, subnet in ((NODE, NODES), (PROGRAM, PROGRAMS)):
        run(
            "ip",
            "link",
            "add",
            "cable",
            "netns",
            namespace,
            "type",
            "veth",
            "peer",
            "name",
            namespace,
            "netns",
            ROUTER,
        )
        for end, device, address in ((namespace, "cable", 2), (ROUTER, namespace, 1)):
            run(*inside(end, "ip", "address", "add", f"{subnet}.{address}/24", "dev", device))
            run(*inside(end, "ip", "link", "set", device, "up"))
        run(*inside(namespace, "ip", "link", "set", "lo", "up"))
        run(*inside(namespace, "ip", "route", "add", "default", "via", f"{subnet}.1"))


def cut(gone):
    """Stops all packets of the network, or lets them pass again."""
    if os.environ.get("WHERE") == "cable":
        run(*inside(ROUTER, "ip", "link", "set", PROGRAM, "down" if gone else "up"))
        return
    for subnet in (NODES, PROGRAMS):
        run(
            *inside(
                ROUTER, "ip", "route", "add" if gone else "delete", "blackhole", f"{subnet}.2/32"
            )
        )


class Listening(threading.Thread):
    """Records lines with the times at which they came."""

    def __init__(self, stream):
        super().__init__(daemon=True)
        self.stream, self.lines = stream, []
        self.start()

    def run(self):
        for line in self.stream:
            self.lines.append((time.monotonic(), line.strip()))

    def first_behind(self, moment, words="", limit_s=30.0):
        deadline = time.monotonic() + limit_s
        while time.monotonic() < deadline:
            for at, line in list(self.lines)[-20000:]:
                if at > moment and words in line:
                    return at
            time.sleep(0.0005)
        sys.exit(f"nothing with '{words}' came within {limit_s} s, but {self.lines[-10:]}")


def measure(cuts, seconds):
    outhaul = os.path.abspath(
        os.path.join(os.environ.get("FOLDER", "target"), "release", "outhaul")
    )
    gpu = os.environ.get("GPU", "soft")
    node = subprocess.Popen(
        inside(NODE, outhaul, "serve", "--listen", ADDRESS, "--gpu", gpu, "--insecure"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    Listening(node.stdout).first_behind(0, "serving")
    environment = {**os.environ, "OUTHAUL_LOG": "1", "OUTHAUL_TRANSPORT": "tcp"}
    command = inside(
        PROGRAM,
        outhaul,
        "run",
        "--node",
        ADDRESS,
        "--",
        sys.executable,
        os.path.abspath(__file__),
        "--program",
    )
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    rounds, words = Listening(running.stdout), Listening(running.stderr)
    noticed_s, late_s = [], []
    try:
        for _ in range(cuts):
            rounds.first_behind(time.monotonic())
            time.sleep(1.5)
            gone = time.monotonic()
            cut(True)
            time.sleep(seconds)
            noticed_s.append(words.first_behind(gone, "broke") - gone)
            back = time.monotonic()
            cut(False)
            late_s.append(rounds.first_behind(back) - back)
    finally:
        running.kill()
        node.terminate()
        node.wait()
    for what, times in (("noticed after", noticed_s), ("went on after", late_s)):
        listed = " ".join(f"{time:.3f}" for time in times)
        print(f"{what} {statistics.median(times):.3f} s, the longest {max(times):.3f}: {listed}")


if sys.argv[1:] == ["--program"]:
    program()
try:
    network()
    measure(
        int(sys.argv[1]) if len(sys.argv) > 1 else 10,
        float(sys.argv[2]) if len(sys.argv) > 2 else 5.0,
    )
finally:
    for namespace in (NODE, ROUTER, PROGRAM):
        subprocess.run(["ip", "netns", "delete", namespace], check=False)
