"""Shows the frames of a program in a page of this machine, with the age of each. Needs only Python.

    python3 frame_viewer.py -- outhaul run --node gpu7 -- ./frameloop --jpeg 85 --frames 100000

Adds `--stream` to the program's arguments. For each frame, the program prints a line as frameloop
does, and the picture behind it. The page always gets the newest frame: if it is slow, it skips some
and never falls behind. All times are of this machine's monotonic clock, which both programs read.
The page asks for it several times and uses the answer that came fastest, at most half a round trip
wrong. A frame's age counts from when the program began to draw it to when the page has drawn it. A
screen adds its own time."""

import argparse
import json
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PAGE = Path(__file__).with_suffix(".html")
# A longer line or picture is not a frame.
LINE_BYTES_MAX = 1000
PICTURE_BYTES_MAX = 1 << 28
JPEG_START = b"\xff\xd8"
# After this time without a new frame, the page asks again.
WAIT_S = 5


class Newest:
    """The newest frame and the counts of all. There is no queue: each frame replaces the last."""

    def __init__(self):
        self.changed = threading.Condition()
        self.frame, self.picture = None, b""
        self.late = self.dropped = 0
        self.ended = None

    def replace(self, frame, picture):
        with self.changed:
            self.late += frame["ready_ms"] > frame["due_ms"]
            self.dropped += frame["dropped"]
            self.frame = frame | {"late": self.late, "dropped": self.dropped}
            self.picture = picture
            self.changed.notify_all()

    def end(self, reason):
        with self.changed:
            self.ended = reason
            self.changed.notify_all()

    def after(self, number):
        """Returns the newest frame and its picture when there is one after that number, or None and
        why there is none."""
        is_newer = lambda: self.frame is not None and self.frame["frame"] > number
        with self.changed:
            self.changed.wait_for(lambda: is_newer() or self.ended is not None, WAIT_S)
            return (self.frame, self.picture) if is_newer() else (None, self.ended)


def read_frames(stream, newest):
    """Reads what the program prints until it ends."""
    names = stream.readline(LINE_BYTES_MAX).decode().strip().split(",")
    while line := stream.readline(LINE_BYTES_MAX):
        fields = dict(zip(names, line.decode().strip().split(","), strict=True))
        size = int(fields["bytes"])
        if not 0 < size <= PICTURE_BYTES_MAX:
            raise ValueError(f"a picture of {size} bytes")
        picture = stream.read(size)
        if len(picture) < size:
            return
        if not picture.startswith(JPEG_START):
            raise ValueError("a picture is not a JPEG")
        due_ms, ready_ms = float(fields["due_ms"]), float(fields["ready_ms"])
        frame = {
            "frame": int(fields["frame"]),
            "started_ms": ready_ms - float(fields["whole_ms"]),
            "due_ms": due_ms,
            "ready_ms": ready_ms,
            "dropped": int(fields["dropped"]),
            "bytes": size,
        }
        newest.replace(frame, picture)


def follow(program, newest):
    try:
        read_frames(program.stdout, newest)
    except (ValueError, KeyError) as error:
        program.terminate()
        newest.end(f"This is not a stream of frames: {error}. Does the program have --jpeg?")
        return
    code = program.wait()
    newest.end("The program has ended." if code == 0 else f"The program failed, with {code}.")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    # Collects a whole answer, so that it leaves at once.
    wbufsize = -1

    def do_GET(self):
        path, _, question = self.path.partition("?")
        # Another name could be that of a foreign page, which would read the pictures.
        if self.headers.get("Host", "").rpartition(":")[0] not in ("127.0.0.1", "localhost"):
            self.send_error(403)
        elif path == "/":
            self.answer("text/html; charset=utf-8", PAGE.read_bytes())
        elif path == "/clock":
            self.answer("text/plain", b"%.3f" % (time.monotonic() * 1e3))
        elif path == "/frame" and question.removeprefix("-").isdigit():
            frame, picture = self.server.newest.after(int(question))
            if frame is None:
                self.answer("application/json", json.dumps({"ended": picture}).encode())
            else:
                self.answer("image/jpeg", picture, {"X-Frame": json.dumps(frame)})
        else:
            self.send_error(404)

    def answer(self, kind, content, headers=()):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        for name, value in dict(headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port, newest):
        self.newest = newest
        super().__init__(("127.0.0.1", port), Handler)

    def handle_error(self, *_):
        # A page may close in the middle of an answer.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(*_)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--port", type=int, default=8090, help="of the page (8090)")
    parser.add_argument("program", nargs="+", help="the program that draws, and its arguments")
    options = parser.parse_args()
    newest = Newest()
    try:
        server = Server(options.port, newest)
    except (OSError, OverflowError) as error:
        sys.exit(f"cannot serve on port {options.port}: {error}; choose another with --port")
    try:
        program = subprocess.Popen([*options.program, "--stream"], stdout=subprocess.PIPE)
    except OSError as error:
        sys.exit(f"cannot start {options.program[0]}: {error}")
    threading.Thread(target=follow, args=(program, newest), daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        program.terminate()


if __name__ == "__main__":
    main()
