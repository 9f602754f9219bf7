"""A program as one writes it with NumPy, on data larger than the GPU: columns are standardized,
outliers cut off, rows chosen and ranked.

    outhaul run --gpu soft -- python python/examples/like_numpy.py     # on the software GPU
    python python/examples/like_numpy.py                               # on this machine's own GPU
    python python/examples/like_numpy.py host                          # on a pretended GPU

The GPU is told that it has 8 MB; the data has 32. What comes out is compared with NumPy."""

import sys

import numpy

import outhaul


def program(np, a):
    a = (a - a.mean(axis=0)) / a.std(axis=0)
    a[a > 3] = 3
    chosen = a[a[:, 0] > 0]
    score = np.where(chosen > 0, chosen, chosen / 10).sum(axis=1)
    return a, score, np.sort(score)[::-1][:10]


def main(backend="cuda", rows=16384):
    data = numpy.random.default_rng(1).normal(size=(rows, 512)).astype("f4")
    with outhaul.Runtime(backend, memory="8 MB", scratch="50%"):
        results = outhaul.compute(*program(outhaul, outhaul.from_array(data, chunks="256 KB")))
    for made, wanted in zip(results, program(numpy, data)):
        numpy.testing.assert_allclose(made, wanted, rtol=1e-3, atol=1e-3)
    print(
        f"as NumPy has it: {len(results[1])} of {len(data)} rows chosen, the best "
        f"{results[2][0]:.2f}"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
