"""Measured costs of moving bytes over one link in one direction, by size, and the straight line
through them: a time per transfer and a time per byte."""

from statistics import fmean

BYTES_PER_S_MAX = 1e12
"""Rate in bytes per second for transfers whose time does not grow with size, as for small ones."""


class Transfers:
    """Costs by size, in powers of two. `rate` is the assumed rate in bytes per second before the
    first transfer."""

    def __init__(self, rate):
        self.rate = rate
        self.latency_ns = 0
        self.sizes = {}

    def learn(self, moved):
        """Learns from the transfers of one run, as (bytes, ns). New times for a size replace
        earlier ones."""
        sizes = {}
        for nbytes, taken_ns in moved:
            sizes.setdefault(nbytes.bit_length(), []).append((nbytes, taken_ns))
        self.sizes.update((size, tuple(map(fmean, zip(*some)))) for size, some in sizes.items())
        self.latency_ns, ns_per_byte = line(list(self.sizes.values()))
        self.rate = 1e9 / max(ns_per_byte, 1e9 / BYTES_PER_S_MAX)

    @property
    def way(self):
        """Returns bytes per second, and nanoseconds for each transfer."""
        return self.rate, self.latency_ns

    def kept(self):
        return {"rate": self.rate, "latency_ns": self.latency_ns, "sizes": self.sizes}

    def take(self, kept):
        self.rate, self.latency_ns = kept["rate"], kept["latency_ns"]
        self.sizes = {int(size): tuple(point) for size, point in kept["sizes"].items()}


def line(points):
    """Returns (intercept, slope) of the line with the least squares of relative errors. Neither is
    negative."""
    weighted = [(nbytes, ns, 1 / max(1, ns) ** 2) for nbytes, ns in points]
    w, b, t = (sum(one) for one in zip(*((w, w * b, w * t) for b, t, w in weighted)))
    bb, bt = (sum(one) for one in zip(*((w * b * b, w * b * t) for b, t, w in weighted)))
    spread = w * bb - b * b
    # Transfers of one size do not show the time of a transfer without bytes.
    per_byte = (w * bt - b * t) / spread if spread > 1e-9 * w * bb else bt / max(bb, 1e-300)
    if per_byte <= 0:
        return int(t / w), 0.0
    latency_ns = (t - per_byte * b) / w
    return (int(latency_ns), per_byte) if latency_ns > 0 else (0, bt / bb)
