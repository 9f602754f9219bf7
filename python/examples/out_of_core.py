"""An image that is larger than the GPU: blurred three times by a CUDA kernel and by CuPy, its
histogram taken, both in one graph.

    outhaul run --gpu soft -- python python/examples/out_of_core.py
          # or `make demo-python`, which has everything that this needs
    python python/examples/out_of_core.py                               # on this machine's own GPU

The GPU is told that it has 8 MB; the image has 32. What comes out is compared with NumPy."""

import os
import sys
import tempfile

import cupy
import numpy as np

import outhaul

BRIGHTEN = """
extern "C" __global__ void brighten(const float* in, float* out, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) out[i] = fminf(1.0f, 1.2f * in[i]);
}
"""


def blur(rows):
    """Any function of arrays: it gets a partition with a row more on both sides, on the GPU, and
    returns the partition's own."""
    return (rows[:-2] + rows[1:-1] + rows[2:]) / 3


def histogram(part):
    return cupy.histogram(part, bins=8, range=(0, 1))[0]


def main(folder):
    source, target = os.path.join(folder, "in.npy"), os.path.join(folder, "out.npy")
    np.save(source, np.random.default_rng(1).random((8192, 1024), dtype="f4"))

    image = outhaul.from_npy(source, chunks="1 MB")
    for _ in range(3):
        image = image.map_overlap(blur, depth=1)
    image = image.map(outhaul.kernel(BRIGHTEN, "brighten"))
    counts = image.map(histogram, shape=(8,), dtype="i8").reduce(cupy.add)

    runtime = outhaul.Runtime(memory="8 MB", scratch="50%")
    with runtime, outhaul.progress(), outhaul.trace(os.path.join(folder, "run.json")):
        print("Before it runs, with guessed costs:")
        print(image.explain())
        image.to_npy(target)
        print(
            "\nWhat it moved:",
            outhaul.format_bytes(runtime.last.moved_bytes("load")),
            "in,",
            outhaul.format_bytes(runtime.last.moved_bytes("store")),
            "out;",
        )
        print("its memory at most:", ", ".join(map(outhaul.format_bytes, runtime.last.peak_bytes)))
        print("\nNow that costs are known:")
        print(image.explain())
        bins = counts.compute()
    image.visualize(os.path.join(folder, "graph.svg"))
    image.visualize(os.path.join(folder, "schedule.svg"), kind="schedule", runtime=runtime)

    wanted = np.load(source)
    for _ in range(3):
        wanted = blur(np.concatenate([wanted[:1], wanted, wanted[-1:]]))
    wanted = np.minimum(1, np.float32(1.2) * wanted)
    np.testing.assert_allclose(np.load(target), wanted, rtol=1e-5)
    np.testing.assert_array_equal(bins.sum(), wanted.size)
    print("\nThe result is NumPy's. Histogram:", *bins)
    print(f"Look at graph.svg and schedule.svg in {folder}, and at run.json in ui.perfetto.dev")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="outhaul-"))
