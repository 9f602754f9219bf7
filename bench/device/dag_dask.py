"""The graphs of dag.py on Dask-CUDA, for its table: arrays of Dask with CuPy's inside, a worker for each GPU, which spills to the host beyond the memory that
the other rows have for partitions. Each worker reads its partitions from files in memory, once; the first run of a graph is not counted.

`rows(...)` is called by dag.py where it is asked for with --dask-cuda and Dask-CUDA is installed."""

import os
import tempfile
import time

import numpy as np

FOLDER = "/dev/shm"


def rows(app, name, gpus, memory_bytes, runs):
    """Seconds of each run that counts."""
    from dask.distributed import Client
    from dask_cuda import LocalCUDACluster

    with tempfile.TemporaryDirectory(dir=FOLDER) as folder, LocalCUDACluster(n_workers=gpus, device_memory_limit=memory_bytes, dashboard_address=None) as cluster:
        with Client(cluster):
            graph = GRAPHS[name](app, folder)
            return [graph() for _ in range(runs + 1)][1:]


def timed(compute):
    start = time.perf_counter()
    compute()
    return time.perf_counter() - start


def kept(array, folder, name):
    """The array as a file that workers map."""
    path = os.path.join(folder, f"{name}.npy")
    np.save(path, array)
    return path


def blocks(path, shape, chunks):
    """A Dask array of CuPy arrays, each loaded from its part of a file when it is needed."""
    import dask.array

    def load(block_info=None):
        import cupy

        (index,) = [tuple(slice(*edge) for edge in info["array-location"]) for key, info in block_info.items() if key is None]
        return cupy.asarray(np.ascontiguousarray(np.load(path, mmap_mode="r")[index]))

    import cupy

    return dask.array.map_blocks(load, chunks=dask.array.core.normalize_chunks(chunks, shape), dtype="f4", meta=cupy.empty((0,) * len(shape), "f4"))


def logistic(app, folder):
    """Each iteration reads all data, which stays with the workers, on the GPU or spilled."""
    import cupy
    import dask

    path = kept(app.data, folder, "data")
    parts = blocks(path, app.data.shape, (app.rows, app.features + 1)).persist().to_delayed().ravel()
    gradient = dask.delayed(app.gradient)

    def run():
        weights = cupy.asarray(app.start)
        for _ in range(app.iterations):
            sums = dask.delayed(sum)([gradient(part, weights) for part in parts])
            weights = app.descend(weights, sums.compute())

    return lambda: timed(run)


def blur(app, folder):
    path = kept(app.data, folder, "image")

    def run():
        image = blocks(path, app.data.shape, (app.rows, app.columns))
        for _ in range(app.iterations):
            image = image.map_overlap(app.blur, depth={0: 1}, boundary="nearest", trim=False, dtype="f4")
        done(image)

    return lambda: timed(run)


def matmul(app, folder):
    a, b = (kept(array, folder, name) for array, name in ((app.a, "a"), (app.b, "b")))
    cut = (app.side, app.side)

    def run():
        done(blocks(a, app.a.shape, cut) @ blocks(b, app.b.shape, cut))

    return lambda: timed(run)


def done(array):
    """Every block in its worker's host memory, as the other rows' results are in theirs."""
    import dask

    to_host = dask.delayed(lambda part: part.get().nbytes)
    dask.compute(*[to_host(part) for part in array.to_delayed().ravel()])


GRAPHS = {"logistic": logistic, "blur": blur, "matmul": matmul}
