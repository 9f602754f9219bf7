"""Runs the graphs of dag.py on Dask-CUDA, for its table: Dask arrays of CuPy arrays, with a worker
for each GPU. A worker spills to the host beyond the memory that other rows have for partitions.
Each worker reads its partitions from files in memory. The first run of a graph does not count.
Results are checked."""

import os
import tempfile
import time

import numpy as np

FOLDER = "/dev/shm"


def seconds(app, name, gpus, memory_bytes, runs, wanted):
    """Yields the seconds of each run that counts."""
    from dask.distributed import Client
    from dask_cuda import LocalCUDACluster

    with (
        tempfile.TemporaryDirectory(dir=FOLDER) as folder,
        LocalCUDACluster(
            n_workers=gpus, device_memory_limit=memory_bytes, dashboard_address=None
        ) as cluster,
    ):
        with Client(cluster):
            run, looked_at = GRAPHS[name](app, folder)
            return [timed(run, looked_at(wanted)) for _ in range(runs + 1)][1:]


def timed(run, wanted):
    start = time.perf_counter()
    found = run()
    taken = time.perf_counter() - start
    np.testing.assert_allclose(found, wanted, rtol=2e-3)
    return taken


def kept(array, folder, name):
    """Writes the array to a file that workers map."""
    path = os.path.join(folder, f"{name}.npy")
    np.save(path, array)
    return path


def blocks(path, shape, chunks):
    """Returns a Dask array of CuPy arrays, each loaded from its part of a file when needed."""
    import cupy
    import dask.array

    def load(block_info=None):
        index = tuple(slice(*edge) for edge in block_info[None]["array-location"])
        return cupy.asarray(np.ascontiguousarray(np.load(path, mmap_mode="r")[index]))

    return dask.array.map_blocks(
        load,
        chunks=dask.array.core.normalize_chunks(chunks, shape),
        dtype="f4",
        meta=cupy.empty((0,) * len(shape), "f4"),
    )


def sums(array):
    """Copies every block to its worker's host memory, like the results of the other rows, and sums
    it there."""
    import dask

    block_sum = dask.delayed(lambda part: float(part.get().sum(dtype="f8")))
    return dask.compute(*[block_sum(part) for part in array.to_delayed().ravel()])


def sums_of(chunks):
    """Returns the same sums of an array in this process."""
    rows, columns = chunks
    return lambda wanted: [
        wanted[i : i + rows, k : k + columns].sum(dtype="f8")
        for i in range(0, len(wanted), rows)
        for k in range(0, wanted.shape[1], columns)
    ]


def logistic(app, folder):
    """Reads all data in each iteration; the data remains with the workers, on the GPU or
    spilled."""
    import cupy
    import dask

    path = kept(app.data, folder, "data")
    parts = dask.persist(
        *blocks(path, app.data.shape, (app.rows, app.features + 1)).to_delayed().ravel()
    )
    gradient = dask.delayed(app.gradient)

    def run():
        weights = cupy.asarray(app.start)
        for _ in range(app.iterations):
            total = dask.delayed(sum)([gradient(part, weights) for part in parts])
            weights = app.descend(weights, total.compute())
        return weights.get()

    return run, lambda wanted: wanted


def blur(app, folder):
    path = kept(app.data, folder, "image")
    blur = app.blur  # A closure over the app would contain its data.

    def blurred(part):
        out = part.copy()
        out[1:-1] = blur(part)
        return out

    def run():
        image = blocks(path, app.data.shape, (app.rows, app.columns))
        for _ in range(app.iterations):
            image = image.map_overlap(blurred, depth={0: 1}, boundary={0: "nearest"}, dtype="f4")
        return sums(image)

    return run, sums_of((app.rows, app.columns))


def matmul(app, folder):
    a, b = (kept(array, folder, name) for array, name in ((app.a, "a"), (app.b, "b")))
    cut = (app.side, app.side)
    return lambda: sums(blocks(a, app.a.shape, cut) @ blocks(b, app.b.shape, cut)), sums_of(cut)


GRAPHS = {"logistic": logistic, "blur": blur, "matmul": matmul}
