"""Records the first minute with Outhaul: an asciinema file, and a picture of it for the README.

    python3 docs/scripts/cast.py [FOLDER OF THE BINARIES]

The commands are run, and what they print is what is recorded; only the typing is made up. It needs
Linux's network namespaces, so that the default port is free.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/docs"))

import as_written  # noqa: E402

FIGURES = ROOT / "docs/figures"
NODE = "127.0.0.1:7654"
COMMANDS = [
    "outhaul serve --gpu soft &",
    f"outhaul ls --node {NODE}",
    f"outhaul run --node {NODE} -- outhaul demo --program vector-add",
    f"outhaul run --node {NODE} -- outhaul demo --program mandelbrot",
]
COLUMNS, ROWS = 106, 38
TYPING_S, PAUSE_S, LEAST_S = 0.03, 1.0, 0.3
LINE_PX, COLUMN_PX, MARGIN_PX = 17, 7.8, 16

STYLE = """
  text { font: 13px ui-monospace, "SF Mono", Menlo, Consolas, monospace; white-space: pre; }
  .screen { fill: #151b23; stroke: #3d444d; }
  .output { fill: #c9d1d9; }
  .command { fill: #7ee787; }
  text { animation: hidden 0.01s backwards; }
  @keyframes hidden { from { opacity: 0; } }
  @media (prefers-reduced-motion: reduce) { text { animation: none; } }
"""


class Recording:
    """What appears on a terminal, and when."""

    def __init__(self):
        self.now = 0.5
        self.events = []
        self.lines = []

    def type(self, command):
        self._write("$ ")
        for character in command:
            self.now += TYPING_S
            self._write(character)
        self._write("\r\n")
        self.lines.append((self.now, "command", "$ " + command))

    def show(self, text, after_s):
        self.now += max(after_s, LEAST_S)
        for line in text.rstrip("\n").split("\n"):
            self._write(line + "\r\n")
            self.lines.append((self.now, "output", line))
        self.now += PAUSE_S

    def _write(self, text):
        self.events.append([round(self.now, 3), "o", text])

    def cast(self):
        head = {"version": 2, "width": COLUMNS, "height": ROWS, "title": "A first minute"}
        return "\n".join(json.dumps(each) for each in [head, *self.events]) + "\n"

    def picture(self):
        width = round(COLUMNS * COLUMN_PX + 2 * MARGIN_PX)
        height = len(self.lines) * LINE_PX + 2 * MARGIN_PX
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img">'
        )
        parts = [head, "<title>Outhaul in a terminal</title>", f"<style>{STYLE}</style>"]
        parts.append(f'<rect class="screen" width="{width}" height="{height}" rx="8"/>')
        for row, (at, kind, line) in enumerate(self.lines):
            y = MARGIN_PX + 12 + row * LINE_PX
            parts.append(
                f'<text class="{kind}" x="{MARGIN_PX}" y="{y}" xml:space="preserve" '
                f'style="animation-delay:{at:.2f}s">{escape(line)}</text>'
            )
        return "\n".join([*parts, "</svg>", ""])


def record(programs):
    recording = Recording()
    with tempfile.TemporaryDirectory(prefix="outhaul-cast.") as name:
        folder = Path(name)
        terminal = as_written.Terminal(folder, programs)
        try:
            for command in COMMANDS:
                recording.type(command)
                started = time.monotonic()
                printed = terminal.run(command.removesuffix(" &"))
                if command.endswith("&"):
                    printed = "\n".join(x for x in printed.splitlines() if " serving " in x)
                recording.show(printed, time.monotonic() - started)
        finally:
            terminal.close()
    (FIGURES / "first-minute.cast").write_text(recording.cast())
    (FIGURES / "first-minute.svg").write_text(recording.picture())


def main():
    if as_written.INSIDE not in os.environ:
        code = as_written.alone(__file__, sys.argv[1:])
        sys.exit("no network namespace can be made here" if code is None else code)
    programs = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "target/release"
    record(programs.resolve())


if __name__ == "__main__":
    main()
