"""What moving bytes has cost over one link one way, by size, and the straight line through it: so
much for each transfer, so much for each byte."""

from statistics import fmean

BYTES_PER_S_MAX = 1e12
"""Where transfers cost no more for being larger, which only small ones do."""


class Transfers:
    """Sizes are told apart by powers of two. `rate` is bytes per second until something has
    moved."""

    def __init__(self, rate):
        self.rate = rate
        self.latency_ns = 0
        self.sizes = {}

    def learn(self, moved):
        """Takes over the transfers of one run, as (bytes, ns): what it says of a size replaces what
        was known of that size."""
        sizes = {}
        for nbytes, taken_ns in moved:
            sizes.setdefault(nbytes.bit_length(), []).append((nbytes, taken_ns))
        self.sizes.update((size, tuple(map(fmean, zip(*some)))) for size, some in sizes.items())
        self.latency_ns, ns_per_byte = line(list(self.sizes.values()))
        self.rate = 1e9 / max(ns_per_byte, 1e9 / BYTES_PER_S_MAX)

    @property
    def way(self):
        """Bytes per second, and nanoseconds for each transfer."""
        return self.rate, self.latency_ns

    def kept(self):
        return {"rate": self.rate, "latency_ns": self.latency_ns, "sizes": self.sizes}

    def take(self, kept):
        self.rate, self.latency_ns = kept["rate"], kept["latency_ns"]
        self.sizes = {int(size): tuple(point) for size, point in kept["sizes"].items()}


def line(points):
    """(at no bytes, per byte) of the line that misses the points by the least squares, each in
    proportion to itself. Neither is negative."""
    weighted = [(nbytes, ns, 1 / max(1, ns) ** 2) for nbytes, ns in points]
    w, b, t = (sum(one) for one in zip(*((w, w * b, w * t) for b, t, w in weighted)))
    bb, bt = (sum(one) for one in zip(*((w * b * b, w * b * t) for b, t, w in weighted)))
    spread = w * bb - b * b
    # Sizes that are all alike say nothing of a transfer without bytes.
    per_byte = (w * bt - b * t) / spread if spread > 1e-9 * w * bb else bt / max(bb, 1e-300)
    if per_byte <= 0:
        return int(t / w), 0.0
    latency_ns = (t - per_byte * b) / w
    return (int(latency_ns), per_byte) if latency_ns > 0 else (0, bt / bb)
