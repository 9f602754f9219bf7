#!/usr/bin/env python3
"""Runs everyday GPU programs natively, over TCP, over shared memory and over a link of 10 Gb/s, and
prints one table, worst first. The clients run where no /dev/nvidia* can be opened. Builds nothing:
bench/device/pack.sh made the folder on another machine.

    bench/daily/run.py [--folder FOLDER] [PROGRAM...]

All ways of a program run one after the other, so that a ratio compares one machine at one time.
Each remote run has its own node. The script writes the file of results after every run; --resume
continues from it. GPU=soft runs the script on the software GPU.
"""

import argparse
import ctypes
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import machine
import table

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "bench/daily"
# Their names in `outhaul bench over --link`.
LINKS = {"tcp": "loopback", "memory": "memory", "10g": "10g"}
WAYS = ("native", *LINKS)
NATIVE_SECONDS_MAX, REMOTE_SECONDS_MAX = 60, 180
# Seconds for a program to end after it was told to, and for a node and a link to start and end.
END_SECONDS, LINK_SECONDS_MAX = 5, 60
SAID_LINES, SAID_COLUMNS = 30, 300


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0], formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("programs", nargs="*", help="names in programs/, or files; all by default")
    parser.add_argument("--folder", help="folder that pack.sh made; by default target/device")
    parser.add_argument("--ways", default=",".join(WAYS), help="of " + ",".join(WAYS))
    parser.add_argument("--runs", type=int, default=1, help="runs of each way, in turn (1)")
    parser.add_argument("--json", help="file of results; daily.json in $OUT or in the folder")
    parser.add_argument(
        "--resume", metavar="FILE", help="skip the runs that this file has; it may be missing"
    )
    parser.add_argument("--from", dest="shown", metavar="FILE", help="print the table of a file")
    parser.add_argument("--within-s", type=float, help="start no program after so many seconds")
    parser.add_argument("--leave-out", default="", help="programs, separated by commas")
    parser.add_argument("--native-limit-s", type=float, default=NATIVE_SECONDS_MAX)
    parser.add_argument("--remote-limit-s", type=float, default=REMOTE_SECONDS_MAX)
    parser.add_argument(
        "--halves",
        action="store_true",
        help="give program and node half of the CPUs each, as on two machines; also natively",
    )
    parser.add_argument("--stats", action="store_true", help="keep the client's counters")
    parser.add_argument("--list", action="store_true", help="list the programs and what each does")
    given = parser.parse_args()
    given.ways = given.ways.split(",")
    unknown = [way for way in given.ways if way not in WAYS]
    if unknown:
        parser.error(f"there is no way '{unknown[0]}'; there are {', '.join(WAYS)}")
    return given


def chosen(given):
    """Returns programs by name, in the order in which they run."""
    files = {path.stem: path for path in sorted((HERE / "programs").glob("*.py"))}
    wanted = {}
    for name in given.programs or files:
        path = pathlib.Path(name).resolve() if name.endswith(".py") else files.get(name)
        if path is None or not path.exists():
            sys.exit(f"run.py: there is no program '{name}'; --list has them")
        wanted[path.stem] = path
    for name in filter(None, given.leave_out.split(",")):
        wanted.pop(name, None)
    return wanted


class Runner:
    """Starts programs, one at a time."""

    def __init__(self, given):
        self.given = given
        self.gpu = os.environ.get("GPU", "auto")
        default = "target" if self.gpu == "soft" else "target/device"
        self.folder = pathlib.Path(given.folder or ROOT / default).resolve()
        self.outhaul = self.folder / "release/outhaul"
        self.under = ROOT / "bench/device/without-gpu.sh"
        self.tools = None
        for file in (self.outhaul, self.under):
            if file.exists() and not os.access(file, os.X_OK):
                file.chmod(0o755)
        if "10g" in given.ways:
            self.find_tools()

    def find_tools(self):
        """Puts ip and tc on the PATH if the machine lacks them, as the other scripts do."""
        script = ROOT / "bench/device/tools.sh"
        line = f"folder={shlex.quote(str(self.folder))}; . {shlex.quote(str(script))}; echo $tools"
        found = subprocess.run(["bash", "-c", line], check=False, stdout=subprocess.PIPE, text=True)
        self.tools = found.stdout.strip() or None
        if self.tools:
            # iperf3 would measure each link a second time before each run.
            pathlib.Path(self.tools, "bin/iperf3").unlink(missing_ok=True)
            os.environ["PATH"] += f":{self.tools}/bin"

    def close(self):
        if self.tools:
            shutil.rmtree(self.tools, ignore_errors=True)

    def limit_s(self, way):
        return self.given.native_limit_s if way == "native" else self.given.remote_limit_s

    def command(self, way, path):
        client, node = self.halves()
        program = [*client, "timeout", f"--kill-after={END_SECONDS}", f"{self.limit_s(way):g}"]
        program += [sys.executable, "-P", str(path)]
        if way != "native":
            hide = [] if self.gpu == "soft" else ["--client-under", str(self.under)]
            over = ["bench", "over", "--gpu", self.gpu, "--link", LINKS[way], *hide, "--"]
            return [*node, str(self.outhaul), *over, *program]
        if self.gpu == "auto":
            return program
        return [str(self.outhaul), "run", "--gpu", self.gpu, "--", *program]

    def halves(self):
        """Returns the prefixes of a command that runs on the program's CPUs, and on the node's."""
        if not self.given.halves:
            return [], []
        cpus = [str(cpu) for cpu in sorted(os.sched_getaffinity(0))]
        middle = len(cpus) // 2
        return [["taskset", "-c", ",".join(half)] for half in (cpus[:middle], cpus[middle:])]

    def environment(self, way):
        paths = [str(HERE), os.environ.get("PYTHONPATH", "")]
        added = {
            "PYTHONPATH": ":".join(filter(None, paths)),
            "DAILY_LIMIT_S": f"{self.limit_s(way):g}",
            # The programs need no downloads, and asking takes long.
            "HF_HUB_OFFLINE": "1",
            "OUTHAUL_LOG": os.environ.get("OUTHAUL_LOG", "0"),
        }
        if way != "native":
            # JAX checks that this file exists before it asks any driver.
            added["PLACEHOLDER"] = "/dev/nvidiactl"
            if self.given.stats:
                before = os.environ.get("OUTHAUL_TUNE")
                added["OUTHAUL_TUNE"] = ",".join(filter(None, [before, "stats=1"]))
        return {**os.environ, **added}

    def run(self, way, path):
        """Runs a program once. Returns the result in the form of the file of results."""
        limit_s = self.limit_s(way)
        load, began = os.getloadavg()[0], time.monotonic()
        # Files, because a remaining process would keep a pipe open.
        with (
            tempfile.TemporaryFile("w+", errors="replace") as out,
            tempfile.TemporaryFile("w+", errors="replace") as err,
        ):
            child = subprocess.Popen(
                self.command(way, path),
                env=self.environment(way),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )
            try:
                code = child.wait(limit_s + END_SECONDS + LINK_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                end_all()
            took_s = time.monotonic() - began
            printed, said = (file.seek(0) or file.read().splitlines() for file in (out, err))
        found = outcome(printed, said, code, took_s >= limit_s, self.given.stats)
        return {"way": way, "took_s": round(took_s, 1), "load": load, **found}


def outcome(lines, errors, code, late, counted):
    """Returns the result of a program from its output and its end; a code of None is a hang."""
    cases = [case for line in lines if (case := parsed(line))]
    if code is None or (late and code in (124, 137)):
        status = "timeout"
    elif code:
        status = f"signal {-code}" if code < 0 else f"exit {code}"
    elif any("skipped" in case for case in cases):
        status = "skipped"
    else:
        status = "ok" if cases else "nothing"
    found = {"status": status, "exit": code, "cases": cases}
    link = next((line for line in lines if "us there and back" in line), None)
    if link:
        relay = next((line for line in errors if "a relay makes" in line), None)
        found["link"] = link + (f" ({relay})" if relay else "")
    # A successful program may print much; its client's counters come at the end.
    if counted or status not in ("ok", "skipped"):
        plain = [line for line in lines if not parsed(line) and line != link]
        found["said"] = [line[:SAID_COLUMNS] for line in plain[-2:] + errors[-SAID_LINES:]]
    return found


def parsed(line):
    """Returns a program's line for a case as a dict, or None for other lines."""
    if not line.startswith('{"name"'):
        return None
    try:
        return json.loads(line)
    except ValueError:
        return None


def adopt():
    """Makes processes without parents children of this script, so that it can end them."""
    set_child_subreaper = 36
    ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def end_all():
    """Ends all processes that this script and its programs started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        until = time.monotonic() + END_SECONDS
        for process in descendants(os.getpid()):
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass
        while descendants(os.getpid()) and time.monotonic() < until:
            try:
                os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            time.sleep(0.02)


def descendants(root):
    parents = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(folder.name))
    found, left = [], [root]
    while left:
        children = parents.get(left.pop(), [])
        found += children
        left += children
    return found


def write(path, results):
    """Replaces the file atomically, so that it is always complete."""
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps(results, indent=1))
    beside.replace(path)


def failed_natively(runs):
    return any(run["way"] == "native" and run["status"] != "ok" for run in runs)


def timed_out(way, runs):
    return any(run["way"] == way and run["status"] == "timeout" for run in runs)


def is_whole(program, given):
    """Returns whether all requested runs exist, however they ended."""
    there = [run["way"] for run in program["runs"]]
    return failed_natively(program["runs"]) or all(
        there.count(way) >= given.runs for way in given.ways
    )


def measure(given, programs, path):
    runner = Runner(given)
    earlier = pathlib.Path(given.resume) if given.resume else None
    results = json.loads(earlier.read_text()) if earlier and earlier.exists() else {}
    facts = machine.facts(ROOT, runner.outhaul, runner.gpu) | {"halves": given.halves}
    results.setdefault("machines", []).append(facts)
    kept = results.setdefault("programs", {})
    began = time.monotonic()
    try:
        for name, file in programs.items():
            if name in kept and is_whole(kept[name], given):
                continue
            if given.within_s and time.monotonic() - began > given.within_s:
                print(f"run.py: {name} and later programs were not started", file=sys.stderr)
                break
            # Starts again if it was interrupted, so that all its runs are of one machine.
            runs = []
            kept[name] = {"machine": len(results["machines"]) - 1, "runs": runs}
            for number in range(given.runs):
                for way in given.ways:
                    if failed_natively(runs):
                        continue
                    if way == "10g" and timed_out("tcp", runs):
                        # Further runs would take as long, and tell nothing new.
                        found = {"way": way, "status": "left out", "took_s": 0, "cases": []}
                    else:
                        found = runner.run(way, file)
                    runs.append({"round": number, **found})
                    write(path, results)
                    print(table.line(name, found), file=sys.stderr, flush=True)
    finally:
        runner.close()
        write(path, results)


def main():
    given = arguments()
    if given.shown:
        print(table.text(json.loads(pathlib.Path(given.shown).read_text())))
        return 0
    programs = chosen(given)
    if given.list:
        for name, path in programs.items():
            print(f"{name:<20} {table.purpose(path)}")
        return 0
    # A signal must not leave a program running.
    adopt()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    into = pathlib.Path(os.environ.get("OUT") or given.folder or ROOT / "target/device")
    path = pathlib.Path(given.json or given.resume or into / "daily.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        measure(given, programs, path)
    finally:
        # Also written for an interrupted run.
        if path.exists():
            print(table.text(json.loads(path.read_text())), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
