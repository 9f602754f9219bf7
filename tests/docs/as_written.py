"""Runs the commands of pages: every block marked `sh`, line after line, in a new folder.

    python3 tests/docs/as_written.py [--outhaul FOLDER] PAGE...

A line that starts a server runs until the page ends, as in another terminal. The lines of a block
marked `text` must appear in the output of the block before it. `<!-- before: COMMAND -->` has a
command for something that a page assumes; readers do not see it. All machines of the examples are
this one. On Linux with namespaces, the pages have their own network and table of hosts, so that
default ports are free and the pages reach no other machine.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import markdown

ROOT = Path(__file__).resolve().parents[2]
HOSTS = "127.0.0.1 localhost pool pool.example.org gpu7\n127.0.0.8 gpu8\n"
BEFORE = re.compile(r"^<!-- before: (.*) -->$")
SERVER = re.compile(r"^(?:\w+=\S+ )*outhaul (?:pool )?serve\b")
READY = re.compile(r"serving .* on |is at https?://")
READY_SECONDS_MAX = 30
LINE_SECONDS_MAX = 60
INSIDE = "OUTHAUL_PAGES_INSIDE"


class PageFailed(Exception):
    pass


class Terminal:
    """A shell that keeps its variables, and the servers that were started in it."""

    def __init__(self, folder, programs):
        self.folder = folder
        self.servers = []
        kept = {name: os.environ[name] for name in ("LANG",) if name in os.environ}
        path = f"{programs}:{folder / 'bin'}:/usr/local/bin:/usr/bin:/bin"
        self.environment = kept | {"HOME": str(folder), "PATH": path, "USER": "root"}

    def run(self, line):
        """Runs a line and returns its output."""
        if SERVER.match(line):
            return self._serve(line)
        script = f"{line}\nstatus=$?\nexport -p >{self.folder}/.exported\nexit $status"
        command = ["bash", "-c", script]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            text=True,
            timeout=LINE_SECONDS_MAX,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if done.returncode != 0:
            raise PageFailed(f"exit code {done.returncode}\n{done.stdout}")
        self._remember()
        return done.stdout

    def _remember(self):
        command = ["bash", "-c", f"set +e; . {self.folder}/.exported 2>/dev/null; env -0"]
        told = subprocess.run(command, env={}, capture_output=True, text=True).stdout
        pairs = (pair.split("=", 1) for pair in told.split("\0") if "=" in pair)
        of_the_shell = ("_", "SHLVL", "PWD")
        self.environment = {name: value for name, value in pairs if name not in of_the_shell}

    def _serve(self, line):
        log = self.folder / f"server-{len(self.servers)}.log"
        with log.open("w") as output:
            command = ["bash", "-c", f"exec {line}"]
            self.servers.append(
                subprocess.Popen(
                    command, cwd=self.folder, env=self.environment, stdout=output, stderr=output
                )
            )
        until = time.monotonic() + READY_SECONDS_MAX
        while time.monotonic() < until:
            text = log.read_text()
            is_member = " --pool " not in line or "in the pool at" in text
            if READY.search(text) and is_member:
                return text
            if self.servers[-1].poll() is not None:
                break
            time.sleep(0.05)
        raise PageFailed(f"the server did not get ready\n{log.read_text()}")

    def close(self):
        for server in reversed(self.servers):
            server.send_signal(signal.SIGTERM)
            try:
                server.wait(timeout=10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def run_page(path, programs, run=None):
    """Runs a page with `run`, which takes the page and its terminal, in a new folder."""
    page = markdown.Document(ROOT, path)
    with tempfile.TemporaryDirectory(prefix="outhaul-page.") as name:
        folder = Path(name)
        (folder / "bin").mkdir()
        (folder / "bin/python").symlink_to(sys.executable)
        for program in (ROOT / "tests/docs/programs").iterdir():
            shutil.copy(program, folder)
        terminal = Terminal(folder, programs)
        try:
            return (run or run_blocks)(page, terminal)
        finally:
            terminal.close()


def run_blocks(page, terminal):
    """Runs a page's blocks and returns the number of lines."""
    prepare(page, terminal)
    printed, count = "", 0
    for block in page.blocks:
        if block.info == "sh":
            printed = ""
            for number, line in enumerate(block.lines, block.line):
                if not line.strip() or line.startswith("#"):
                    continue
                printed += run_line(page, number, line, terminal)
                count += 1
        elif block.info == "text":
            for number, line in enumerate(block.lines, block.line):
                if " ".join(line.split()) not in " ".join(printed.split()):
                    raise PageFailed(f"{page.path}:{number}: was not printed: {line}\n{printed}")
    return count


def prepare(page, terminal):
    """Runs the commands for what the page assumes."""
    for number, line in page.prose:
        if before := BEFORE.match(line):
            run_line(page, number, before[1], terminal)


def run_line(page, number, line, terminal):
    try:
        return terminal.run(line)
    except (PageFailed, subprocess.TimeoutExpired) as error:
        raise PageFailed(f"{page.path}:{number}: {line}\n{error}") from None


def alone(script, arguments):
    """Runs a script in its own network with its own hosts. Returns its exit code, or None if these
    cannot be created."""
    spaces = ["unshare", "--net", "--mount"]
    if os.geteuid() != 0:
        spaces += ["--map-root-user"]
    if not shutil.which("unshare"):
        return None
    if subprocess.run([*spaces, "true"], capture_output=True).returncode != 0:
        return None
    with tempfile.NamedTemporaryFile("w", prefix="outhaul-hosts.") as hosts:
        hosts.write(HOSTS)
        hosts.flush()
        first = f'ip link set lo up && mount --bind "{hosts.name}" /etc/hosts && exec "$@"'
        command = [*spaces, "sh", "-c", first, "sh", sys.executable, script, *arguments]
        return subprocess.run(command, env=os.environ | {INSIDE: "1"}).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--outhaul", default=str(ROOT / "target/release"))
    options = parser.parse_args()
    if INSIDE not in os.environ:
        code = alone(__file__, sys.argv[1:])
        if code is None:
            print("skipped: running pages needs network namespaces")
            return 0
        return code
    failed = 0
    for page in options.pages:
        started = time.monotonic()
        try:
            count = run_page(page, Path(options.outhaul).resolve())
            print(f"ok: {page}: {count} lines in {time.monotonic() - started:.1f} s", flush=True)
        except PageFailed as error:
            failed += 1
            print(f"FAILED: {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
