#!/usr/bin/env python3
"""Measures how long a pool takes to notice a failure and to continue. Kills and stops real
processes of this machine.

    python3 bench/pool/times.py [RUNS]        after `make build`; needs etcd in the path

Prints a line for each case with the seconds of every run.
"""

import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / "target/release"
OWN = str(RELEASE / "outhaul")
PATIENCE_S = 60
KEY_HASH = "0" * 64


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def until(holds, what):
    """Returns the seconds until a condition holds."""
    start = time.monotonic()
    while not holds():
        if time.monotonic() - start > PATIENCE_S:
            raise SystemExit(f"{what}: not within {PATIENCE_S} s")
        time.sleep(0.005)
    return time.monotonic() - start


class World:
    """Processes and a folder, which end with the `with`."""

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="outhaul-times-"))
        self.processes = []
        return self

    def __exit__(self, *_):
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, arguments, log="log", **variables):
        environment = dict(os.environ, HOME=str(self.folder), OUTHAUL_TRANSPORT="tcp", **variables)
        environment.pop("OUTHAUL_NODE", None)
        with open(self.folder / log, "a") as out:
            process = subprocess.Popen(arguments, stdout=out, stderr=out, env=environment)
        self.processes.append(process)
        return process

    def etcd(self):
        port, peers = free_port(), free_port()
        own, peer = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peers}"
        self.start(
            [
                "etcd",
                "--data-dir",
                str(self.folder / "etcd"),
                "--name",
                "one",
                "--listen-client-urls",
                own,
                "--advertise-client-urls",
                own,
                "--listen-peer-urls",
                peer,
                "--initial-advertise-peer-urls",
                peer,
                "--initial-cluster",
                f"one={peer}",
            ]
        )
        return f"etcd://127.0.0.1:{port}"

    def pool(self, store=None, port=None):
        port = port or free_port()
        store = store or str(self.folder / "pool.sqlite")
        process = self.start(
            [OWN, "pool", "serve", "--listen", f"127.0.0.1:{port}", "--store", store]
        )
        process.url = f"http://127.0.0.1:{port}"
        until(lambda: ask(process.url, "/healthz", text=True) is not None, "no pool")
        return process

    def node(self, url, name, gpu="soft"):
        process = self.start(
            [OWN, "serve", "--listen", "127.0.0.1:0", "--gpu", gpu, "--pool", url, "--name", name],
            log=name,
        )
        one = url.split(",")[-1]
        until(lambda: node(one, name) is not None, "no node")
        return process

    def run(self, url):
        """Starts a program that uses its GPU for a moment."""
        return self.start([OWN, "run", "--pool", url, "--", OWN, "ls"], log="programs")


def ask(url, path, method="GET", body=None, text=False):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        url + path, data=data, method=method, headers={"x-outhaul-user": "times"}
    )
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.read() if text else json.load(answer)
    except (OSError, ValueError):
        return None


def node(url, name):
    return next((one for one in ask(url, "/v1/nodes") or [] if one["name"] == name), None)


def is_down(url, name):
    found = node(url, name)
    return found is not None and found.get("down") is not None


def hold(url, name):
    """Takes a lease that lasts."""
    request = {"id": name, "key_hash": KEY_HASH, "ask": {"ttl_s": 600}}
    until(
        lambda: "held" in (ask(url, "/v1/leases", "POST", request) or {"standing": ""})["standing"],
        "no lease",
    )


def await_waiting(url):
    until(
        lambda: any("waiting" in lease["standing"] for lease in ask(url, "/v1/leases") or []),
        "nobody waits",
    )


def node_lost(how):
    with World() as world:
        pool = world.pool()
        lost = world.node(pool.url, "n1")
        time.sleep(1 + random.random())
        lost.send_signal(how)
        return until(lambda: is_down(pool.url, "n1"), "not down")


def placed_anew():
    """Measures from the grant of a GPU whose node has just died until the program has run on
    another."""
    with World() as world:
        pool = world.pool()
        lost = world.node(pool.url, "a")
        hold(pool.url, "first")
        world.node(pool.url, "b")
        hold(pool.url, "second")
        program = world.run(pool.url)
        await_waiting(pool.url)
        lost.kill()
        start = time.monotonic()
        ask(pool.url, "/v1/leases/first", "DELETE")
        ask(pool.url, "/v1/leases/second", "DELETE")
        program.wait()
        return time.monotonic() - start if program.returncode == 0 else float("nan")


def pool_back(seconds):
    """Measures from the pool's first answer after its absence until it hears its node."""
    with World() as world:
        pool = world.pool()
        world.node(pool.url, "n1")
        program = world.start(
            [
                OWN,
                "run",
                "--pool",
                pool.url,
                "--",
                OWN,
                "bench",
                "player",
                "--rounds",
                "100000",
                "--kernels",
                "400",
                "--mark",
                "400",
                "--until-ns",
                str(2**63),
            ]
        )
        until(lambda: (node(pool.url, "n1") or {}).get("leases") == 1, "nothing runs")
        pool.kill()
        pool.wait()
        time.sleep(seconds + random.random())
        log, port = world.folder / "n1", int(pool.url.rsplit(":", 1)[1])
        world.pool(port=port)
        took = until(lambda: "answers again" in log.read_text(), "not heard")
        time.sleep(3)
        return took if program.poll() is None and not is_down(pool.url, "n1") else float("nan")


def freed(world, urls, other, act):
    """Measures from the failure of a pool process until a waiting program has used a GPU that is
    released then."""
    world.node(urls, "n1")
    hold(other, "first")
    program = world.run(urls)
    await_waiting(other)
    time.sleep(random.random() * 5)
    act()
    start = time.monotonic()
    ask(other, "/v1/leases/first", "DELETE")
    program.wait()
    return time.monotonic() - start if program.returncode == 0 else float("nan")


def named(how):
    with World() as world:
        etcd = world.etcd()
        one, other = world.pool(etcd), world.pool(etcd)
        return freed(world, f"{one.url},{other.url}", other.url, lambda: one.send_signal(how))


def balanced(how):
    with World() as world:
        etcd = world.etcd()
        one, other = world.pool(etcd), world.pool(etcd)
        behind, door = [one.url], socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=balance, args=(door, behind), daemon=True).start()

        def act():
            one.send_signal(how)
            behind[0] = other.url

        return freed(world, f"http://127.0.0.1:{door.getsockname()[1]}", other.url, act)


def balance(door, behind):
    """Forwards every connection to the process that is current."""
    while True:
        near = door.accept()[0]
        try:
            far = socket.create_connection(("127.0.0.1", int(behind[0].rsplit(":", 1)[1])))
        except OSError:
            near.close()
            continue
        for source, target in ((near, far), (far, near)):
            threading.Thread(target=carry, args=(source, target), daemon=True).start()


def carry(source, target):
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
    except OSError:
        pass
    for one in (source, target):
        try:
            one.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def driver_gone():
    """Measures from the first program that fails until the node is marked, and from the driver's
    return until the mark is gone."""
    with World() as world:
        driver = world.folder / "libcuda.so.1"
        shutil.copy(RELEASE / "libouthaul_softgpu.so", driver)
        pool = world.pool()
        world.node(pool.url, "n1", gpu=str(driver))
        driver.rename(world.folder / "away")
        program = world.run(pool.url)
        program.wait()
        marked = until(lambda: is_down(pool.url, "n1"), "not marked")
        time.sleep(random.random() * 5)
        (world.folder / "away").rename(driver)
        return marked, until(lambda: not is_down(pool.url, "n1"), "not back")


def show(name, runs):
    print(f"{name:<66} " + " ".join(f"{seconds:.2f}" for seconds in sorted(runs)), flush=True)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    each = lambda case, *arguments: [case(*arguments) for _ in range(count)]
    show("node killed: marked down", each(node_lost, signal.SIGKILL))
    show("node stopped: marked down", each(node_lost, signal.SIGSTOP))
    show("node ended by SIGTERM: marked down", each(node_lost, signal.SIGTERM))
    show("granted on a node that has just died: has run on another", each(placed_anew))
    show("pool away for 10 s: hears its node again", each(pool_back, 10))
    show("two processes named, one killed: a freed GPU was used", each(named, signal.SIGKILL))
    show("two processes named, one stopped: a freed GPU was used", each(named, signal.SIGSTOP))
    show("behind a balancer, one killed: a freed GPU was used", each(balanced, signal.SIGKILL))
    show("behind a balancer, one stopped: a freed GPU was used", each(balanced, signal.SIGSTOP))
    marked, back = zip(*each(driver_gone))
    show("driver gone, a program failed: node marked down", marked)
    show("driver back: node up", back)


if __name__ == "__main__":
    main()
