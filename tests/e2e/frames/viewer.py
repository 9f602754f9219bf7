"""Checks what examples/frame_viewer.py serves, as its page would ask for it.

    viewer.py FRAMES PROGRAM...

The program must print that number of JPEG frames. The newest frame must replace the others. Frames,
counts and clock must be the program's, and a foreign page must get nothing."""

import http.client
import json
import re
import subprocess
import sys
import time

VIEWER = "examples/frame_viewer.py"


class Viewer:
    """A viewer of a program, on a free port."""

    def __init__(self, program):
        command = [sys.executable, VIEWER, "--port", "0", "--", *program]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        address = self.process.stdout.readline().strip().removeprefix("http://").rstrip("/")
        self.connection = http.client.HTTPConnection(address)

    def get(self, path, **headers):
        self.connection.request("GET", path, headers=headers)
        answer = self.connection.getresponse()
        return answer, answer.read()

    def frame_after(self, number):
        """Returns the newest frame after that number and its picture, or None and why the program
        ended."""
        while True:
            answer, content = self.get(f"/frame?{number}")
            if answer.headers["X-Frame"]:
                return json.loads(answer.headers["X-Frame"]), content
            if ended := json.loads(content)["ended"]:
                return None, ended

    def end(self):
        """Ends viewer and program, and returns their standard error."""
        self.process.terminate()
        return self.process.communicate()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()


def check_frames(count, program):
    with Viewer([*program, "--jpeg", "85", "--frames", str(count)]) as viewer:
        assert b"<canvas" in viewer.get("/")[1]
        last, picture = viewer.frame_after(count - 2)
        assert last, f"the newest frame is missing: {picture}"
        asked_ms = float(viewer.get("/clock")[1])
        assert last["frame"] == count - 1
        assert len(picture) == last["bytes"]
        assert picture.startswith(b"\xff\xd8") and picture.endswith(b"\xff\xd9")
        assert last["started_ms"] < last["ready_ms"] < asked_ms < time.monotonic() * 1e3
        assert viewer.frame_after(-1) == (last, picture), "an old frame was kept"
        assert viewer.frame_after(count - 1) == (None, "The program has ended.")
        assert viewer.get("/frame?-1", Host="example.org")[0].status == 403
        said = viewer.end()
    late, dropped = map(int, re.search(r"(\d+) late, (\d+) ticks dropped", said).groups())
    assert (last["late"], last["dropped"]) == (late, dropped), said


def check_pixels(program):
    with Viewer([*program, "--frames", "2"]) as viewer:
        _, ended = viewer.frame_after(1)
    assert "--jpeg" in ended, ended


def main(count, *program):
    check_frames(int(count), program)
    check_pixels(program)
    print(f"the page gets the newest of {count} frames")


if __name__ == "__main__":
    main(*sys.argv[1:])
