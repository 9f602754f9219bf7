#!/usr/bin/env python3
"""Walks at random over all calls that take GPU memory, in several programs of one tenant with a
limit, and compares what the node charges them with what the driver says their workers have, after
each step. Prints a table, and fails if the two differ.

    accounts.py [--steps 1000] [--seed 1] [--sessions 3] [--outhaul target/device/release/outhaul]
    accounts.py --gpu soft --outhaul target/release/outhaul    on the software GPU

Starts a node of its own. Programs allocate (plain, pitched, from pools, managed, by virtual memory
management, arrays), load modules and libraries with variables, set limits, make streams, contexts
and graphs with memory, and free all of that. They end by themselves and by SIGKILL.
"""

import argparse
import collections
import ctypes
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MIB = 1 << 20
GIB = 1 << 30
OUT_OF_MEMORY = 2
STACK, PRINTF_BUFFER, MALLOC_HEAP = 0, 1, 2
# Objects of one program, beyond which it frees some.
OBJECTS_MAX = 40
# How long the node may take to notice that memory is free or that a program has ended.
AGREED_S = 10
PTX = """.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b64 r) malloc(.param .b64 n);
.global .align 8 .b8 variable[{bytes}];
.visible .entry allocates()
{{
    .reg .b64 %d<3>;
    mov.u64 %d0, 64;
    {{
    .param .b64 n;
    .param .b64 r;
    st.param.b64 [n], %d0;
    call.uni (r), malloc, (n);
    ld.param.b64 %d1, [r];
    }}
    ret;
}}
"""


class Error(Exception):
    """A driver call's error."""


def is_refusal(error):
    return str(error).endswith(f" {OUT_OF_MEMORY}")


class Location(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class AllocationProperties(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int),
        ("handle_types", ctypes.c_int),
        ("location", Location),
        ("win32", ctypes.c_void_p),
        ("flags", ctypes.c_ubyte * 8),
    ]


class Access(ctypes.Structure):
    _fields_ = [("location", Location), ("flags", ctypes.c_int)]


class ArrayDescriptor(ctypes.Structure):
    _fields_ = [
        ("width", ctypes.c_size_t),
        ("height", ctypes.c_size_t),
        ("depth", ctypes.c_size_t),
        ("format", ctypes.c_int),
        ("channels", ctypes.c_uint),
        ("flags", ctypes.c_uint),
    ]


class Program:
    """One program of the walk: it obeys lines of its standard input."""

    def __init__(self, unit):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        # Sizes are drawn up to this many bytes.
        self.unit = unit
        self.objects = []
        # The kind of the object that was freed last.
        self.freed = "nothing"
        self.call("cuInit", 0)
        self.primary = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.primary), 0)
        self.call("cuCtxSetCurrent", self.primary)

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code != 0:
            raise Error(f"{name} {code}")

    def make(self, name, kind, *arguments):
        """Calls a function that writes a handle first; returns the handle."""
        made = kind()
        self.call(name, ctypes.byref(made), *arguments)
        return made

    def bytes(self):
        return random.randint(1, random.choice([4096, 65536, self.unit]))

    # ---- one method for each kind of object: makes it and returns how to free it ----

    def alloc(self):
        at = self.make("cuMemAlloc_v2", ctypes.c_uint64, ctypes.c_size_t(self.bytes()))
        return lambda: self.call("cuMemFree_v2", at)

    def pitch(self):
        pitch = ctypes.c_size_t()
        width, rows = ctypes.c_size_t(self.bytes() // 16 + 1), ctypes.c_size_t(16)
        at = self.make("cuMemAllocPitch_v2", ctypes.c_uint64, ctypes.byref(pitch), width, rows, 4)
        return lambda: self.call("cuMemFree_v2", at)

    def asynchronous(self):
        at = self.make("cuMemAllocAsync", ctypes.c_uint64, ctypes.c_size_t(self.bytes()), None)
        return lambda: self.call("cuMemFreeAsync", at, None)

    def managed(self):
        at = self.make("cuMemAllocManaged", ctypes.c_uint64, ctypes.c_size_t(self.bytes()), 1)
        return lambda: self.call("cuMemFree_v2", at)

    def virtual(self):
        properties = AllocationProperties(type=1, location=Location(1, 0))
        size = ctypes.c_size_t(-(-self.bytes() // (2 * MIB)) * 2 * MIB)
        no = ctypes.c_uint64(0)
        handle = self.make(
            "cuMemCreate", ctypes.c_uint64, size, ctypes.byref(properties), ctypes.c_uint64(0)
        )
        at = ctypes.c_uint64()
        try:
            self.call("cuMemAddressReserve", ctypes.byref(at), size, ctypes.c_size_t(0), no, no)
            self.call("cuMemMap", at, size, ctypes.c_size_t(0), handle, no)
            access = Access(Location(1, 0), 3)
            self.call("cuMemSetAccess", at, size, ctypes.byref(access), ctypes.c_size_t(1))
        finally:
            # The mapping keeps the memory.
            self.call("cuMemRelease", handle)

        def free():
            self.call("cuMemUnmap", at, size)
            self.call("cuMemAddressFree", at, size)

        return free

    def array(self):
        side = int((self.bytes() / 4) ** 0.5) + 1
        shape = ArrayDescriptor(side, side, 0, 0x20, 1, 0)
        array = self.make("cuArray3DCreate_v2", ctypes.c_void_p, ctypes.byref(shape))
        return lambda: self.call("cuArrayDestroy", array)

    def mipmapped(self):
        side = int((self.bytes() / 4) ** 0.5) + 4
        shape = ArrayDescriptor(side, side, 0, 0x20, 1, 0)
        array = self.make("cuMipmappedArrayCreate", ctypes.c_void_p, ctypes.byref(shape), 3)
        return lambda: self.call("cuMipmappedArrayDestroy", array)

    def module(self):
        code = PTX.format(bytes=self.bytes()).encode()
        module = self.make("cuModuleLoadData", ctypes.c_void_p, code)
        return lambda: self.call("cuModuleUnload", module)

    def library(self):
        code = PTX.format(bytes=self.bytes()).encode()
        library = self.make(
            "cuLibraryLoadData", ctypes.c_void_p, code, None, None, 0, None, None, 0
        )
        # The variables of a library are loaded when they are first used.
        at, size = ctypes.c_uint64(), ctypes.c_size_t()
        try:
            self.call(
                "cuLibraryGetGlobal", ctypes.byref(at), ctypes.byref(size), library, b"variable"
            )
        except Error:
            self.call("cuLibraryUnload", library)
            raise
        return lambda: self.call("cuLibraryUnload", library)

    def launch(self):
        """Launches a kernel that uses the heap for malloc, which exists from then on."""
        module = self.make("cuModuleLoadData", ctypes.c_void_p, PTX.format(bytes=8).encode())
        try:
            kernel = self.make("cuModuleGetFunction", ctypes.c_void_p, module, b"allocates")
            self.call("cuLaunchKernel", kernel, 1, 1, 1, 1, 1, 1, 0, None, None, None)
            self.call("cuCtxSynchronize")
        finally:
            self.call("cuModuleUnload", module)

    def limit(self):
        limit, largest = random.choice(
            [(STACK, 4096), (PRINTF_BUFFER, 4 * MIB), (MALLOC_HEAP, self.unit)]
        )
        size = ctypes.c_size_t(random.randint(1024, max(1025, largest)) // 16 * 16)
        try:
            self.call("cuCtxSetLimit", limit, size)
        except Error as error:
            # A heap that a kernel has used keeps its size.
            if not str(error).endswith(" 1"):
                raise

    def stream(self):
        stream = self.make("cuStreamCreate", ctypes.c_void_p, 1)
        return lambda: self.call("cuStreamDestroy_v2", stream)

    def context(self):
        if sum(kind == "context" for kind, _ in self.objects) >= 2:
            return None
        try:
            context = self.make("cuCtxCreate_v2", ctypes.c_void_p, 0, 0)
            # Whether there is memory for a context is known at the first call that waits for it.
            self.call("cuCtxSynchronize")
        finally:
            self.cuda.cuCtxSetCurrent(self.primary)

        def free():
            self.call("cuCtxDestroy_v2", context)
            self.call("cuCtxSetCurrent", self.primary)

        return free

    def graph(self):
        """A graph that allocates and frees, which it does when it is launched."""
        stream = self.make("cuStreamCreate", ctypes.c_void_p, 1)
        graph, size = ctypes.c_void_p(), ctypes.c_size_t(self.bytes())
        try:
            self.call("cuStreamBeginCapture_v2", stream, 2)
            at = self.make("cuMemAllocAsync", ctypes.c_uint64, size, stream)
            self.call("cuMemFreeAsync", at, stream)
            self.call("cuStreamEndCapture", stream, ctypes.byref(graph))
            launched = self.make(
                "cuGraphInstantiateWithFlags", ctypes.c_void_p, graph, ctypes.c_uint64(0)
            )
            try:
                self.call("cuGraphLaunch", launched, stream)
                self.call("cuStreamSynchronize", stream)
            except Error:
                self.call("cuGraphExecDestroy", launched)
                raise
        finally:
            if graph:
                self.call("cuGraphDestroy", graph)
            self.call("cuStreamDestroy_v2", stream)
        return lambda: self.call("cuGraphExecDestroy", launched)

    def free(self):
        if not self.objects:
            self.freed = "nothing"
            return
        at = random.randrange(len(self.objects))
        kind, free = self.objects.pop(at)
        free()
        self.freed = kind

    def step(self, kind, seed):
        random.seed(seed)
        if len(self.objects) >= OBJECTS_MAX:
            kind = "free"
        try:
            free = getattr(self, kind)()
        except Error as error:
            if not is_refusal(error):
                raise
            return "refused"
        if free:
            self.objects.append((kind, free))
        return f"free-{self.freed}" if kind == "free" else kind

    def left(self):
        """Waits for the device, and returns how much memory is free."""
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        try:
            self.call("cuCtxSynchronize")
        except Error as error:
            # The refusal of a call that did not wait for its answer.
            if not is_refusal(error):
                raise
            self.call("cuCtxSynchronize")
        self.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value


def obey(unit):
    """Runs as one program of the walk."""
    program = Program(unit)
    print("ready", program.left(), flush=True)
    for line in sys.stdin:
        kind, seed = line.split()
        if kind == "end":
            break
        print(program.step(kind, int(seed)), program.left(), flush=True)


# ---- the walk ----


class DriverFigures:
    """What the driver says that processes have: NVML, or the software GPU's file."""

    def __init__(self, card):
        self.card = card
        if card:
            return
        self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
        self.nvml.nvmlInit_v2()
        self.device = ctypes.c_void_p()
        self.nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.device))

    def of(self, workers):
        """Returns each worker's bytes; on the software GPU, those of each row in its file."""
        if self.card:
            rows = Path(f"{self.card}.0").read_bytes()
            values = [int.from_bytes(rows[i : i + 8], "little") for i in range(0, len(rows), 8)]
            # Rows of processes that have ended keep their value until they are claimed again.
            return [value for value in values if value]

        class Process(ctypes.Structure):
            _fields_ = [
                ("pid", ctypes.c_uint),
                ("bytes", ctypes.c_ulonglong),
                ("instance", ctypes.c_uint),
                ("compute_instance", ctypes.c_uint),
            ]

        found, count = (Process * 256)(), ctypes.c_uint(256)
        self.nvml.nvmlDeviceGetComputeRunningProcesses_v3(self.device, ctypes.byref(count), found)
        return {one.pid: one.bytes for one in found[: count.value] if one.pid in workers}


class Walk:
    def __init__(self, arguments, work):
        self.arguments = arguments
        self.card = f"{work}/card" if arguments.gpu == "soft" else ""
        self.figures = DriverFigures(self.card)
        environment = {**os.environ, "OUTHAUL_SOFT_MEMORY": "2GiB"}
        if self.card:
            environment |= {"OUTHAUL_SOFT_CARD": self.card, "OUTHAUL_SOFT_CONTEXT": "16MiB"}
        self.log, self.said = Path(work) / "node.log", Path(work) / "programs.log"
        options = ["--listen", "127.0.0.1:0", "--cache", f"{work}/cache", "--gpu", arguments.gpu]
        options += ["--memory", f"walk={arguments.limit}"]
        self.node = subprocess.Popen(
            [arguments.outhaul, "serve", *options],
            stdout=self.log.open("w"),
            stderr=subprocess.STDOUT,
            env=environment,
        )
        self.address = self.await_node()
        self.programs = [self.start() for _ in range(arguments.sessions)]

    def await_node(self):
        for _ in range(600):
            found = re.search(r" on (127\.0\.0\.1:\d+)$", self.log.read_text(), re.MULTILINE)
            if found:
                return found[1]
            time.sleep(0.1)
        raise SystemExit(f"the node did not start: {self.log.read_text()}")

    def start(self):
        """Starts a program. Where its context does not fit yet, tries again."""
        unit = str(self.arguments.limit // 24)
        command = [self.arguments.outhaul, "run", "--node", self.address, "--tenant", "walk", "--"]
        command += [sys.executable, __file__, "--obey", unit]
        until = time.monotonic() + 120
        while True:
            program = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.said.open("a"),
                text=True,
            )
            if program.stdout.readline().startswith("ready"):
                return program
            program.wait()
            if time.monotonic() > until:
                raise SystemExit("a program does not start")
            self.step(random.randrange(len(self.programs)), "free")

    def sessions(self):
        """Returns the memory of the node's sessions by worker, as `outhaul top --json` shows it."""
        with socket.socket(socket.AF_UNIX) as node:
            node.connect(f"\0outhaul/{self.address}/administration")
            node.sendall(b'"show"\n')
            sessions = json.loads(node.makefile().readline())["is"]["sessions"]
        nothing = {"bytes": 0, "overhead_bytes": 0}
        return {one["worker"]: (one["memory"] or [nothing])[0] for one in sessions}

    def difference(self, free, others=0):
        """Returns by how many bytes the ledger and the driver differ, at most, and the ledger."""
        ledger = self.sessions()
        charged = {worker: memory["bytes"] for worker, memory in ledger.items()}
        says = self.figures.of(charged)
        together = sum(charged.values())
        if self.card:
            # Processes that ended have left rows behind, so the sum must be that of some rows.
            says = sorted(says, reverse=True)
            found = sorted(charged.values(), reverse=True)
            left = list(says)
            lacking = 0
            for one in found:
                near = min(left, key=lambda value: abs(value - one))
                left.remove(near)
                lacking = max(lacking, abs(near - one))
        else:
            lacking = max((abs(says.get(w, 0) - b) for w, b in charged.items()), default=0)
        if free is not None:
            # A program may also have free what it holds and does not use.
            lacking = max(lacking, self.arguments.limit - together - free)
        return lacking, ledger

    def agree(self, free):
        """Compares until both sides agree, or have had time enough to."""
        until = time.monotonic() + AGREED_S
        while True:
            lacking, ledger = self.difference(free)
            if lacking == 0 and len(ledger) == len(self.programs):
                return 0, ledger
            if time.monotonic() > until:
                return lacking, ledger
            time.sleep(0.01)

    def step(self, at, kind):
        program = self.programs[at]
        if kind in ("end", "kill"):
            if kind == "kill":
                program.kill()
            else:
                print("end 0", file=program.stdin, flush=True)
            program.wait()
            self.programs[at : at + 1] = []
            self.programs.insert(at, self.start())
            return kind, None
        print(kind, random.randrange(1 << 30), file=program.stdin, flush=True)
        answer = program.stdout.readline().split()
        if len(answer) != 2:
            said = self.said.read_text()[-2000:]
            raise SystemExit(f"a program ended at {kind}: {said}\n{self.log.read_text()}")
        return answer[0], int(answer[1])

    def run(self):
        makes = "alloc pitch asynchronous managed virtual array mipmapped module library launch"
        kinds = [*makes.split(), "limit", "stream", "context", "graph"]
        counts, most, refused = collections.Counter(), collections.Counter(), collections.Counter()
        largest = 0
        for number in range(self.arguments.steps):
            at = random.randrange(len(self.programs))
            drawn = random.random()
            kind = random.choice(kinds) if drawn < 0.55 else "free"
            if drawn > 1 - self.arguments.ends:
                kind = random.choice(["end", "kill"])
            did, free = self.step(at, kind)
            if number % self.arguments.every and did not in ("end", "kill"):
                free = None
                continue
            lacking, ledger = self.agree(free)
            counts[kind] += 1
            refused[kind] += did == "refused"
            most[kind] = max(most[kind], lacking)
            if lacking:
                says = self.figures.of(ledger)
                print(
                    f"step {number}: {kind} ({did}), program {at}: {lacking} bytes apart; ledger "
                    f"{ledger}, driver {says}, free {free}"
                )
            largest = max(largest, sum(one["bytes"] for one in ledger.values()))
        if not self.arguments.brief:
            print("| step | compared | refused | largest difference, bytes |\n|---|---|---|---|")
            for kind in sorted(counts):
                print(f"| {kind} | {counts[kind]} | {refused[kind]} | {most[kind]} |")
        overhead = sum(one["overhead_bytes"] for one in ledger.values())
        print(
            f"{self.arguments.steps} steps of {len(self.programs)} programs, seed "
            f"{self.arguments.seed}: at most {largest / MIB:.0f} of {self.arguments.limit / MIB:.0f}"
            f" MiB, {overhead / MIB:.0f} MiB of overhead at the end, {sum(refused.values())} "
            f"refused, largest difference "
            f"{max(most.values())} bytes"
        )
        return max(most.values()) == 0

    def end(self):
        for program in [*self.programs, self.node]:
            program.kill()
            program.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--obey", type=int)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sessions", type=int, default=3)
    parser.add_argument("--limit", type=int, help="bytes; by default 16 GiB, or 160 MiB if soft")
    parser.add_argument("--gpu", default="auto")
    parser.add_argument("--every", type=int, default=1, help="compare after each N-th step")
    parser.add_argument("--ends", type=float, default=0.01, help="how many steps end a program")
    parser.add_argument("--brief", action="store_true", help="print no table, only its sum")
    parser.add_argument("--outhaul", default="target/device/release/outhaul")
    arguments = parser.parse_args()
    if arguments.obey:
        return obey(arguments.obey)
    arguments.limit = arguments.limit or (160 * MIB if arguments.gpu == "soft" else 16 * GIB)
    random.seed(arguments.seed)
    with tempfile.TemporaryDirectory() as work:
        walk = Walk(arguments, work)
        try:
            agrees = walk.run()
        finally:
            walk.end()
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main())
