"""Random numbers from counters: Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random
numbers: as easy as 1, 2, 3", 2011). An element's number depends only on the seed, the draw and the
element's position in the whole array. So it does not depend on the cuts, nor on the device."""

import functools

import numpy as np

ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
MASK = np.uint64(0xFFFFFFFF)


def words(counters, keys):
    """Returns four arrays of 32 random bits, as uint64, from four arrays of counters and two
    numbers as keys."""
    a, b, c, d = (np.asarray(each, np.uint64) for each in counters)
    low, high = keys
    with np.errstate(over="ignore"):
        for _ in range(ROUNDS):
            first, second = a * np.uint64(MULTIPLIERS[0]), c * np.uint64(MULTIPLIERS[1])
            a, b, c, d = (
                (second >> np.uint64(32)) ^ b ^ np.uint64(low),
                second & MASK,
                (first >> np.uint64(32)) ^ d ^ np.uint64(high),
                first & MASK,
            )
            low, high = (low + WEYL[0]) & 0xFFFFFFFF, (high + WEYL[1]) & 0xFFFFFFFF
    return a, b, c, d


CUDA = r"""
extern "C" __global__ void philox(unsigned long long *out, const unsigned long long *places, unsigned long long seed, unsigned long long draw, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = (unsigned)places[i], b = (unsigned)(places[i] >> 32), c = (unsigned)draw, d = (unsigned)(draw >> 32);
  unsigned low = (unsigned)seed, high = (unsigned)(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    unsigned long long first = (unsigned long long)a * 0xD2511F53u, second = (unsigned long long)c * 0xCD9E8D57u;
    a = (unsigned)(second >> 32) ^ b ^ low;
    c = (unsigned)(first >> 32) ^ d ^ high;
    b = (unsigned)second;
    d = (unsigned)first;
    low += 0x9E3779B9u;
    high += 0xBB67AE85u;
  }
  out[2 * i] = ((unsigned long long)b << 32) | a;
  out[2 * i + 1] = ((unsigned long long)d << 32) | c;
}
"""


def bits(xp, places, seed, draw):
    """Returns two arrays of 64 random bits for each position."""
    if xp is np:
        low32 = lambda number: number & 0xFFFFFFFF
        counters = (
            places & MASK,
            places >> np.uint64(32),
            np.uint64(low32(draw)),
            np.uint64(draw >> 32),
        )
        a, b, c, d = words(counters, (low32(seed), seed >> 32))
        return a | (b << np.uint64(32)), c | (d << np.uint64(32))
    out = xp.empty((places.size, 2), np.uint64)
    block = 256
    arguments = (
        out,
        xp.ascontiguousarray(places),
        np.uint64(seed),
        np.uint64(draw),
        np.int64(places.size),
    )
    if places.size:
        kernel()((-(-places.size // block),), (block,), arguments)
    return out[:, 0].reshape(places.shape), out[:, 1].reshape(places.shape)


@functools.cache
def kernel():
    """Returns the CUDA kernel."""
    import cupy

    return cupy.RawKernel(CUDA, "philox")


def places_of(xp, starts, part, shape):
    """Returns the number of each element of a partition in the whole array."""
    places = xp.zeros(part, np.uint64)
    stride = 1
    for axis in range(len(shape) - 1, -1, -1):
        along = (
            xp.arange(starts[axis], starts[axis] + part[axis], dtype=np.int64) * stride
        ).astype(np.uint64)
        places += along.reshape((-1,) + (1,) * (len(shape) - 1 - axis))
        stride *= shape[axis]
    return places
