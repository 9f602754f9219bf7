"""Runs NCCL's performance tests, which also check the data that they move, and writes a JUnit file
with a test for each size.

    nccl.py FOLDER JUNIT_FILE

FOLDER has the programs. Each runs on 1, 2, 4... GPUs of one process, and as two ranks that share
the first GPU. NCCL takes these for two hosts, so they communicate through pinned memory that a
kernel polls, and a socket. NCCL_LIMIT_S is the time limit of one program in seconds."""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

PROGRAMS = ("all_reduce_perf", "all_gather_perf", "sendrecv_perf")
BOARD_BYTES = 8 << 20  # at least `Board` in ranks/mpi.h
LIMIT_S = float(os.environ.get("NCCL_LIMIT_S", "60"))
# Size, count, type, operation, root, then time, rates and wrong values, out of place and in place.
LINE = re.compile(r"^ +(\d+)(?: +\S+){4} +(\S+) +(\S+) +\S+ +(\S+) +\S+ +\S+ +\S+ +(\S+)")


def environment():
    """Returns this process's environment, with the wheel's NCCL at the end of the library path."""
    found = dict(os.environ)
    if importlib.util.find_spec("nvidia") and (nccl := importlib.util.find_spec("nvidia.nccl")):
        lib = pathlib.Path(next(iter(nccl.submodule_search_locations)), "lib")
        found["LD_LIBRARY_PATH"] = f"{found.get('LD_LIBRARY_PATH', '')}:{lib}"
    return found


def ranks(count):
    """Returns the environments of ranks that share a GPU. Their file is open as long as the object
    exists."""
    board = tempfile.NamedTemporaryFile()
    board.truncate(BOARD_BYTES)
    shared = {
        "RANKS": str(count),
        "RANKS_FILE": board.name,
        "NCCL_TESTS_DEVICE": "0",
        "NCCL_SOCKET_IFNAME": "lo",
        "NCCL_IB_DISABLE": "1",
    }
    return board, [shared | {"RANK": str(r), "NCCL_HOSTID": f"rank{r}"} for r in range(count)]


def run(command, each):
    """Runs the command once for each environment. Returns the first one's output, and an error."""
    base = environment()
    processes = [
        subprocess.Popen(
            command, env=base | extra, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for extra in each
    ]
    outputs, failed = [], None
    for process in processes:
        try:
            outputs.append(process.communicate(timeout=LIMIT_S)[0])
        except subprocess.TimeoutExpired:
            failed = f"took longer than {LIMIT_S:.0f} s"
            for other in processes:
                other.kill()
            outputs.append(process.communicate()[0])
        if process.returncode and not failed:
            failed = f"ended with {process.returncode}"
    return "\n".join(outputs), failed


def layout(suite, program, name, arguments, each):
    command = [program, *arguments]
    output, failed = run(command, each)
    sys.stderr.write(f"== {name}\n{output}\n")
    lines = [match.groups() for match in map(LINE.match, output.splitlines()) if match]
    for size, time_us, _, *wrong in lines:
        case = ElementTree.SubElement(
            suite, "testcase", classname=name, name=f"{size} bytes", time=f"{float(time_us) / 1e6}"
        )
        if any(value not in ("0", "N/A") for value in wrong):
            ElementTree.SubElement(case, "failure", message=f"{wrong} wrong values")
    case = ElementTree.SubElement(suite, "testcase", classname=name, name="ends well")
    if failed or not lines:
        last = next((line for line in reversed(output.splitlines()) if line.strip()), "")
        ElementTree.SubElement(case, "failure", message=f"{failed or 'no line'}: {last.strip()}")
        print(f"{name}: {failed or 'no line'}: {last.strip()[:100]}", flush=True)
        return
    (small, small_us, *_), (large, _, rate, *_) = lines[0], lines[-1]
    print(f"{name}: {small} bytes in {small_us} us, {large} bytes at {rate} GB/s", flush=True)


def gpus():
    if not shutil.which("nvidia-smi"):
        return 1
    listed = subprocess.run(
        ["nvidia-smi", "-L"], stdout=subprocess.PIPE, text=True, check=False
    ).stdout
    return max(1, listed.count("GPU "))


def main():
    folder, path = map(pathlib.Path, sys.argv[1:])
    suite = ElementTree.Element("testsuite", name="nccl")
    for program in PROGRAMS:
        count = 1
        while count <= gpus():
            sizes = ["-b", "8", "-e", "128M", "-f", "4", "-g", str(count)]
            layout(suite, folder / program, f"{program} on {count}", sizes, [{}])
            count *= 2
        board, each = ranks(2)
        sizes = ["-b", "8", "-e", "8M", "-f", "4", "-g", "1"]
        layout(suite, folder / program, f"{program} as two ranks", sizes, each)
        board.close()
        ElementTree.ElementTree(suite).write(path)


main()
