"""Runs a command under a time limit, and ends all its processes. It describes a hanging command
before it ends it."""

import ctypes
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
# Time for a process to end after it is told to.
END_SECONDS = 5


# Processes that this one started and waits for. They change under the lock, so that the thread that
# reaps orphans does not wait for one that has just begun.
started = set()
starting = threading.Lock()


def adopt_orphans():
    """Makes processes whose parents have ended children of this process, so that `end_children`
    finds them. Reaps those that end."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    threading.Thread(target=reap_orphans, daemon=True).start()


def reap_orphans():
    while True:
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            with starting:
                is_orphan = ended is not None and ended.si_pid not in started
            if is_orphan:
                os.waitpid(ended.si_pid, os.WNOHANG)
                continue
        except ChildProcessError:
            pass
        time.sleep(0.02)


def run(command, log, limit_s, environment=None, folder=None):
    """Runs a command with its output in `log`, an open file. Returns its exit status, or None if it
    took longer than `limit_s` seconds."""
    with starting:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})},
            cwd=folder,
            start_new_session=True,
        )
        started.add(process.pid)
    try:
        status = process.wait(limit_s)
    except subprocess.TimeoutExpired:
        log.write(
            f"\nno end within {limit_s} s; what still runs:\n{describe(process.pid)}\n".encode()
        )
        log.flush()
        status = None
    end_session(process.pid)
    process.wait()
    started.discard(process.pid)
    return status


def end_session(session):
    """Ends all processes of a session: first by SIGTERM, then by SIGKILL."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + END_SECONDS
        while members := [pid for pid in pids() if is_member(pid, session)]:
            for pid in members:
                kill(pid, number)
            if time.monotonic() > deadline:
                break
            time.sleep(0.02)


def is_member(pid, session):
    """Returns whether the process runs and belongs to the session."""
    fields = stat(pid)
    return fields[3:4] == [str(session)] and fields[0] != "Z"


def end_children():
    """Ends processes that became children of this process because their own parents had ended."""
    own = str(os.getpid())
    for pid in [pid for pid in pids() if stat(pid)[1:2] == [own] and pid not in started]:
        kill(pid, signal.SIGKILL)


def describe(session):
    """Describes the processes of a session, and where each of their threads is in Linux."""
    lines = []
    for pid in pids():
        fields = stat(pid)
        if fields[3:4] != [str(session)]:
            continue
        command = (
            read(f"/proc/{pid}/cmdline").replace("\0", " ").strip()
            or read(f"/proc/{pid}/comm").strip()
        )
        lines.append(f"  {pid} (parent {fields[1]}, {fields[0]}): {command[:300]}")
        for task in sorted(Path(f"/proc/{pid}/task").glob("*"), key=lambda task: int(task.name)):
            name, where = read(task / "comm").strip(), read(task / "wchan").strip()
            stack = " < ".join(
                line.split()[1].split("+")[0]
                for line in read(task / "stack").splitlines()[:6]
                if len(line.split()) > 1
            )
            lines.append(f"    thread {task.name} {name}: {where} {stack}")
    return "\n".join(lines)


def pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def stat(pid):
    """Returns state, parent, process group and session of a process; empty once it is gone."""
    return read(f"/proc/{pid}/stat").rpartition(")")[2].split()[:4]


def read(path):
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""


def kill(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass
