#!/usr/bin/env python3
"""Runs the files of this folder on the GPU of a library, and compares with the expectations in
them.

    run.py [LIBRARY [FILE...]]      LIBRARY is libcuda.so.1 by default; runs all files by default

The engine's own test (crates/softgpu/tests/ptx.rs) reads the same comments; README.md has their
format. Textures and surfaces are left out, because the conformance suite covers them. So are
threads that wait forever, as they would on a GPU. For a fault, any fault passes: its words are the
engine's."""

import pathlib
import re
import struct
import subprocess
import sys
from ctypes import c_uint64

from driver import Driver, DriverError

#: Formats of floats by their bytes; halves are given as bits.
FORMATS = {4: "<f", 8: "<d"}


class Buffer:
    def __init__(self, kind, before, after):
        self.float, self.size = kind[0] == "f", int(kind[1:]) // 8
        self.before = self.numbers(before)
        self.after = self.numbers(after) if after is not None else None

    def numbers(self, text):
        values = []
        for item in text.split():
            value, _, count = item.partition("*")
            values += [self.number(value)] * int(count or 1)
        return values

    def number(self, text):
        """Returns the bits of a value."""
        if text.startswith("0x"):
            return int(text, 16)
        if self.float and self.size in FORMATS:
            return int.from_bytes(struct.pack(FORMATS[self.size], float(text)), "little")
        return int(text) % (1 << 8 * self.size)

    def pack(self):
        return b"".join(value.to_bytes(self.size, "little") for value in self.before)

    def same(self, found, wanted, tolerance):
        if found == wanted or not self.float or self.size not in FORMATS:
            return found == wanted
        found, wanted = (
            struct.unpack(FORMATS[self.size], bits.to_bytes(self.size, "little"))[0]
            for bits in (found, wanted)
        )
        return (found != found and wanted != wanted) or abs(found - wanted) <= tolerance * max(
            abs(wanted), 1.0
        )


class Case:
    """The expectations in a file's comments."""

    def __init__(self, path):
        self.text = path.read_text()
        self.target = int(re.search(r"\.target\s+sm_(\d+)", self.text).group(1))
        self.parameters, self.words = [], {}
        for key, value in re.findall(r"^// ([^:\n]+):(.*)$", self.text, re.M):
            word, _, rest = key.partition(" ")
            kind, _, count = rest.partition("[")
            value = value.strip()
            if word == "in":
                self.parameters.append(Buffer(kind, value, None))
            elif word == "out":
                self.parameters.append(Buffer(kind, f"0*{count.rstrip(']')}", value))
            elif word == "arg":
                self.parameters.append(Buffer(kind, value, None).before[0])
            else:
                self.words[word] = value

    def shape(self, word):
        return ([int(n) for n in self.words.get(word, "").split()] + [1, 1, 1])[:3]

    def left_out(self, capability):
        if {"texture", "surface"} & self.words.keys():
            return "textures and surfaces"
        if self.words.get("fault", "").startswith("wait for each other"):
            return "would wait for ever"
        return f"needs compute capability {self.target / 10}" if self.target > capability else None

    def run(self, driver):
        """Returns the differences, one line each."""
        function = driver.function(driver.load(self.text), "test")
        places = [
            driver.buffer(p.pack()) if isinstance(p, Buffer) else c_uint64(p)
            for p in self.parameters
        ]
        cluster = self.shape("cluster") if "cluster" in self.words else None
        try:
            cooperative = self.words.get("cooperative") == "yes"
            driver.launch(
                function,
                self.shape("grid"),
                self.shape("block"),
                places,
                int(self.words.get("shared", 0)),
                cluster,
                cooperative,
            )
        except DriverError as error:
            return [] if "fault" in self.words else [str(error)]
        if "fault" in self.words:
            return ["no fault, where one is expected"]
        return [
            line
            for p, place in zip(self.parameters, places)
            if isinstance(p, Buffer) and p.after is not None
            for line in self.compare(p, driver, place)
        ]

    def compare(self, buffer, driver, place):
        contents, tolerance = (
            driver.read(place, len(buffer.pack())),
            float(self.words.get("tolerance", 0)),
        )
        x, y, z = self.shape("block")
        for i, wanted in enumerate(buffer.after):
            found = int.from_bytes(contents[i * buffer.size : (i + 1) * buffer.size], "little")
            if not buffer.same(found, wanted, tolerance):
                yield (
                    f"{buffer.size * 8}-bit result {i // (x * y * z)}, thread"
                    f" {i % (x * y * z)}: {found:#x}, expected {wanted:#x}"
                )


def main():
    arguments = sys.argv[1:]
    library = arguments[0] if arguments else "libcuda.so.1"
    paths = [pathlib.Path(p) for p in arguments[1:]] or sorted(
        pathlib.Path(__file__).parent.glob("*.ptx")
    )
    driver = Driver(library)
    counts = {"passed": 0, "failed": 0, "left out": 0}
    for path in paths:
        case = Case(path)
        reason = case.left_out(driver.capability())
        if reason:
            counts["left out"] += 1
            print(f"left out {path.stem}: {reason}")
            continue
        if "fault" in case.words and len(paths) > 1:
            # After a fault, the process cannot use the GPU any more.
            child = subprocess.run(
                [sys.executable, __file__, library, path],
                capture_output=True,
                text=True,
                timeout=120,
            )
            differences = (
                [] if child.returncode == 0 else [child.stdout.strip() or child.stderr.strip()]
            )
        else:
            try:
                differences = case.run(driver)
            except DriverError as error:
                differences = [str(error)]
        counts["failed" if differences else "passed"] += 1
        if differences:
            print(
                f"FAILED {path.stem}: {len(differences)} differences\n  "
                + "\n  ".join(differences[:6]),
                flush=True,
            )
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['left out']} left out")
    return counts["failed"] > 0


if __name__ == "__main__":
    sys.exit(main())
