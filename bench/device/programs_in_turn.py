"""Runs programs one after the other, each of which takes 80 % of the GPU's memory.

    programs_in_turn.py BUILD...        BUILD is a folder with `outhaul` and the client library

Runs the series natively and then through a node of each build, in shared memory and over TCP. Half
of the series end by `_exit`, as a killed program does: without running exit handlers. At the end a
worker is stopped while it has the memory, and another program needs that memory.

Prints for each series how many programs ended with which code, and the time of one in ms.
"""

import collections
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

PROGRAMS = 12
PORT = 7766
SOURCE = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define CALL(name, ...) { int code = ((int (*)())dlsym(cuda, name))(__VA_ARGS__); \
    if (code) { printf("%s: %d\n", name, code); return 1; } }
int main(int count, char **argument) {
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW), *context = 0;
    unsigned long long address = 0;
    CALL("cuInit", 0)
    CALL("cuDevicePrimaryCtxRetain", &context, 0)
    CALL("cuCtxSetCurrent", context)
    CALL("cuMemAlloc_v2", &address, strtoull(argument[1], 0, 10))
    CALL("cuCtxSynchronize")
    puts("has it");
    fflush(stdout);
    sleep(atoi(argument[2]));
    if (argument[3][0] == '_') _exit(0);
    return 0;
}
"""


def gpu_bytes():
    """Returns the GPU's memory in bytes."""
    command = ["nvidia-smi", "--query-gpu=memory.total", "--format=csv,noheader,nounits"]
    return int(subprocess.check_output(command, text=True).split()[0]) << 20


def series(title, command, environment):
    """Runs `PROGRAMS` programs one after the other, and prints their results."""
    results, start = collections.Counter(), time.monotonic()
    for _ in range(PROGRAMS):
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        results[(done.returncode, (done.stdout + done.stderr).strip()[-100:])] += 1
    each_ms = (time.monotonic() - start) / PROGRAMS * 1000
    print(f"{title}: {each_ms:.0f} ms each, {dict(results)}", flush=True)


def both_endings(title, program, environment):
    """Runs a series of programs that return, and one of programs that end by `_exit`."""
    for ending in ("return", "_exit"):
        series(f"{title}, {ending}", [*program, "0", ending], environment)


def stopped_worker(run, environment, node):
    """Stops a worker that has the memory, ends its client, and starts a program that needs it."""
    first = subprocess.Popen([*run, "100", "return"], env=environment, stdout=subprocess.PIPE)
    first.stdout.readline()
    for task in pathlib.Path(f"/proc/{node.pid}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            if b"worker" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes():
                os.kill(child, signal.SIGSTOP)
    first.kill()
    start = time.monotonic()
    code = subprocess.run([*run, "0", "return"], env=environment).returncode
    print(f"after a stopped worker: code {code} after {time.monotonic() - start:.1f} s", flush=True)


def main():
    """Runs all series."""
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "program.c").write_text(SOURCE)
    subprocess.check_call(["cc", folder / "program.c", "-o", folder / "program", "-ldl"])
    program = [str(folder / "program"), str(gpu_bytes() * 8 // 10)]
    both_endings("native", program, os.environ)
    for build in sys.argv[1:]:
        outhaul, address = f"{build}/outhaul", f"127.0.0.1:{PORT}"
        serve = [outhaul, "serve", "--listen", address]
        node = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True)
        print(node.stdout.readline().strip(), flush=True)
        run = [outhaul, "run", "--unchecked", "--node", address, "--", *program]
        for transport in ("shared-memory", "tcp"):
            environment = os.environ | {"OUTHAUL_TRANSPORT": transport}
            both_endings(f"{build}, {transport}", run, environment)
            if transport == "shared-memory":
                stopped_worker(run, environment, node)
        node.kill()
        node.wait()


if __name__ == "__main__":
    main()
