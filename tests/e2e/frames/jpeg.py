"""Decodes baseline JPEGs, as the standard ITU-T T.81 describes them, and compares the frames that a
program has encoded with the same frames as whole pixels.

    jpeg.py RAW ENCODED WIDTHxHEIGHT DECIBELS

Both files are what `frameloop --stream` prints. Each decoded frame must have at least so many
decibels of peak signal-to-noise ratio. The decoder takes no part of the encoder's word for granted:
lengths, markers, restart intervals and padding must be as the standard has them."""

import math
import sys

BLOCK = range(8)
COSINES = [
    [(0.5 if u else math.sqrt(0.125)) * math.cos((2 * x + 1) * u * math.pi / 16) for x in BLOCK]
    for u in BLOCK
]
DIAGONALS = [
    (y, d - y)
    for d in range(15)
    for y in (range(d + 1) if d % 2 else range(d, -1, -1))
    if y < 8 and d - y < 8
]


class Bits:
    """The bits of a restart interval."""

    def __init__(self, data):
        stuffed = data.replace(b"\xff\x00", b"\xff")
        assert len(data) - len(stuffed) == data.count(b"\xff"), "a marker in an interval"
        self.bits = "".join(f"{byte:08b}" for byte in stuffed)
        self.at = 0

    def symbol(self, table):
        for length in range(1, 17):
            symbol = table.get(self.bits[self.at : self.at + length])
            if symbol is not None:
                self.at += length
                return symbol
        raise AssertionError("no code")

    def number(self, length):
        if not length:
            return 0
        bits = self.bits[self.at : self.at + length]
        self.at += length
        return int(bits, 2) - (0 if bits[0] == "1" else (1 << length) - 1)

    def end(self):
        rest = self.bits[self.at :]
        assert len(rest) < 8 and "0" not in rest, f"an interval ends with {rest}"


def codes(counts, symbols):
    """Returns the symbol of each code of a Huffman table."""
    table, code, symbols = {}, 0, iter(symbols)
    for length, count in enumerate(counts, 1):
        for _ in range(count):
            table[f"{code:0{length}b}"] = next(symbols)
            code += 1
        code <<= 1
    assert next(symbols, None) is None
    return table


def segments(data):
    """Returns the segments by marker up to the start of the scan, and the scan."""
    assert data[:2] == b"\xff\xd8"
    found, at = {}, 2
    while 0xDA not in found:
        assert data[at] == 0xFF
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        found.setdefault(marker, []).append(data[at + 4 : at + 2 + length])
        at += 2 + length
    return found, data[at:]


def intervals(scan):
    """Returns the restart intervals of a scan, whose markers must count from 0 to 7 and again."""
    found, start, at = [], 0, 0
    while True:
        at = scan.index(b"\xff", at)
        marker = scan[at + 1]
        if marker != 0:
            found.append(Bits(scan[start:at]))
            if marker == 0xD9:
                assert at + 2 == len(scan), "bytes behind the end"
                return found
            assert marker == 0xD0 + (len(found) - 1) % 8, f"marker {marker:#x}"
            start = at + 2
        at += 2


def block(bits, tables, quanta, mean):
    """Returns the 64 samples of a block, and its mean coefficient for the next one."""
    dc, ac = tables
    mean += bits.number(bits.symbol(dc))
    frequencies = [[0] * 8 for _ in BLOCK]
    frequencies[0][0] = mean * quanta[0]
    place = 1
    while place < 64:
        zeros, length = divmod(bits.symbol(ac), 16)
        if (zeros, length) == (0, 0):
            break
        place += zeros
        y, x = DIAGONALS[place]
        frequencies[y][x] = bits.number(length) * quanta[place]
        place += 1
    # Most rows of frequencies are 0.
    rows = {
        v: [sum(row[u] * COSINES[u][x] for u in BLOCK) for x in BLOCK]
        for v, row in enumerate(frequencies)
        if any(row)
    }
    return [[sum(rows[v][x] * COSINES[v][y] for v in rows) for x in BLOCK] for y in BLOCK], mean


def decode(data):
    """Returns width, height and a function from a place to red, green and blue."""
    found, scan = segments(data)
    precision, *size = found[0xC0][0][:5]
    height, width = (size[0] << 8 | size[1]), (size[2] << 8 | size[3])
    components = found[0xC0][0][5:]
    assert precision == 8 and components == bytes([3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1])
    assert found[0xDA] == [bytes([3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0])]
    quanta = {table[0]: table[1:] for table in found[0xDB]}
    huffman = {table[0]: codes(table[1:17], table[17:]) for table in found[0xC4]}
    every = int.from_bytes(found[0xDD][0], "big")
    across, down = -(-width // 16), -(-height // 16)
    parts = intervals(scan)
    assert len(parts) == -(-across * down // every)
    units = []
    for unit in range(across * down):
        bits = parts[unit // every]
        if unit % every == 0:
            means = [0, 0, 0]
        blocks = []
        for part in (0, 0, 0, 0, 1, 2):
            which = int(part > 0)
            tables = huffman[which], huffman[0x10 | which]
            samples, means[part] = block(bits, tables, quanta[which], means[part])
            blocks.append(samples)
        units.append(blocks)
    for bits in parts:
        bits.end()

    def pixel(x, y):
        blocks = units[y // 16 * across + x // 16]
        x, y = x % 16, y % 16
        bright = blocks[y // 8 * 2 + x // 8][y % 8][x % 8] + 128
        blueness, redness = blocks[4][y // 2][x // 2], blocks[5][y // 2][x // 2]
        colour = (
            bright + 1.402 * redness,
            bright - 0.344136 * blueness - 0.714136 * redness,
            bright + 1.772 * blueness,
        )
        return [min(max(value, 0), 255) for value in colour]

    return width, height, pixel


def frames(path):
    with open(path, "rb") as stream:
        stream.readline()
        found = []
        while line := stream.readline():
            size = int(line.split(b",")[7])
            found.append(stream.read(size))
            assert len(found[-1]) == size, f"{path} is cut off"
    return found


def decibels(raw, encoded, size):
    width, height, pixel = decode(encoded)
    assert f"{width}x{height}" == size and len(raw) == width * height * 4
    squares = sum(
        (decoded - raw[(y * width + x) * 4 + channel]) ** 2
        for y in range(height)
        for x in range(width)
        for channel, decoded in enumerate(pixel(x, y))
    )
    return 10 * math.log10(255**2 * width * height * 3 / max(squares, 1))


def main(raw, encoded, size, least):
    raw, encoded = frames(raw), frames(encoded)
    assert len(raw) == len(encoded) > 0
    worst = min(decibels(*both, size) for both in zip(raw, encoded, strict=True))
    share = sum(map(len, encoded)) / sum(map(len, raw))
    print(f"{len(raw)} frames of {size}: {worst:.1f} dB in {share:.1%} of the bytes")
    if worst < float(least):
        sys.exit(f"less than {least} dB")


if __name__ == "__main__":
    main(*sys.argv[1:])
