"""Works on four streams of CuPy at once: copies 16 MiB from pinned memory to the device, runs
kernels, and copies 16 MiB back."""

import measure

# isort: split
import cupy as cp
import cupyx
import numpy as np

STREAMS, COUNT, STEPS = 4, 4 << 20, 60


def main():
    work = cp.ElementwiseKernel(
        "float32 x", "float32 y", "y = sqrtf(x * x + 1.0f) * 0.5f + 0.25f * x", "work"
    )
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(STREAMS)]
    given = [cupyx.empty_pinned(COUNT, np.float32) for _ in range(STREAMS)]
    taken = [cupyx.empty_pinned(COUNT, np.float32) for _ in range(STREAMS)]
    random = np.random.default_rng(1)
    for host in given:
        host[:] = random.random(COUNT, dtype=np.float32)
    there = [cp.zeros(COUNT, np.float32) for _ in range(STREAMS)]
    back = [cp.zeros(COUNT, np.float32) for _ in range(STREAMS)]
    cp.cuda.Device().synchronize()

    def step():
        for i, stream in enumerate(streams):
            with stream:
                there[i].set(given[i], stream=stream)
                work(there[i], back[i])
                work(back[i], there[i])
                work(there[i], back[i])
                back[i].get(stream=stream, out=taken[i], blocking=False)
        for stream in streams:
            stream.synchronize()
        return sum(int(host[:: COUNT >> 12].view(np.uint32).sum()) for host in taken)

    measure.run("CuPy streams, pinned", step, wait=cp.cuda.Device().synchronize, calls=STEPS)


if __name__ == "__main__":
    main()
