"""Dask's own graphs, unchanged, give what Dask gives."""

import threading

import numpy as np
import pytest

import outhaul

da = pytest.importorskip("dask.array")


@pytest.fixture
def get():
    return outhaul.dask_get(outhaul.Runtime("host", gpus=2, memory="1 MB"))


def test_overlap_and_product(get, numbers):
    lazy = da.from_array(numbers, chunks=(50, 30)).map_overlap(
        lambda part: part * 2 + 1, depth=1, boundary="reflect"
    )
    lazy = lazy @ lazy.T
    np.testing.assert_allclose(lazy.compute(scheduler=get), lazy.compute(scheduler="sync"))


@pytest.mark.parametrize("name", ["sum", "mean", "std", "max", "argmax"])
@pytest.mark.parametrize("axis", [None, 0])
def test_reductions(get, numbers, name, axis):
    lazy = getattr(da.from_array(numbers, chunks=(50, 30)), name)(axis=axis)
    np.testing.assert_allclose(lazy.compute(scheduler=get), getattr(numbers, name)(axis=axis))


def test_several_results(get, numbers):
    import dask

    lazy = da.from_array(numbers, chunks=64)
    total, halves = dask.compute(lazy.sum(), lazy[::2] / 2, scheduler=get)
    np.testing.assert_allclose(total, numbers.sum())
    np.testing.assert_allclose(halves, numbers[::2] / 2)


def test_arrays_that_dask_makes(get):
    lazy = da.random.default_rng(1).random((200, 100), chunks=50) + da.ones((200, 100), chunks=50)
    np.testing.assert_allclose(lazy.compute(scheduler=get), lazy.compute(scheduler="sync"))


def brought(block_info=None):
    place = block_info[None]["array-location"] if block_info else ((0, 32), (0, 64))
    return np.full([stop - start for start, stop in place], place[0][0])


@pytest.mark.parametrize("source", ["zarr", "random", "ones", "map_blocks"])
def test_what_is_done_with_data_that_dask_brings_is_done_on_gpus(get, numbers, tmp_path, source):
    """And it is brought while GPUs compute, but for the first, which tells its size."""
    where = []

    def doubled(part):
        where.append(threading.current_thread().name)
        return part * 2

    if source == "zarr":
        zarr = pytest.importorskip("zarr")
        zarr.create_array(tmp_path / "in.zarr", data=numbers, chunks=(32, 64))
    lazy = {
        "zarr": lambda: da.from_zarr(str(tmp_path / "in.zarr")),
        "random": lambda: da.random.default_rng(1).random((256, 64), chunks=(32, 64)),
        "ones": lambda: da.ones((250, 64), chunks=(32, 64)),
        "map_blocks": lambda: da.map_blocks(brought, chunks=((32,) * 8, (64,)), dtype="i8"),
    }[source]().map_blocks(doubled, dtype="f8", meta=np.empty((0, 0)))
    wanted = lazy.compute(scheduler="sync")
    where.clear()
    np.testing.assert_allclose(lazy.sum(axis=0).compute(scheduler=get), wanted.sum(axis=0))
    on_gpus = sum(name.startswith("outhaul GPU") for name in where)
    assert on_gpus == 8 and len(where) - on_gpus <= 2


def test_sources_that_only_look_alike(get):
    """One kind by all that can be told, and yet of other sizes."""
    lengths = {0: 3, 1: 5, 2: 4}
    block = lambda block_id=None: np.arange(lengths[block_id[0]])
    lazy = da.map_blocks(block, chunks=((3, 5, 4),), dtype="i8", meta=np.empty(0, "i8")).map_blocks(
        np.negative
    )
    np.testing.assert_array_equal(lazy.compute(scheduler=get), lazy.compute(scheduler="sync"))


def test_a_number_is_a_number(get, numbers):
    total = da.from_array(numbers, chunks=64).sum().compute(scheduler=get)
    assert isinstance(total, np.float64) and {total}


def test_each_kind_of_task_is_tried_once(get, numbers):
    shapes = []

    def counting(part):
        shapes.append(part.shape)
        return part + 1

    lazy = (
        da.from_array(numbers, chunks=(32, 64))
        .map_blocks(np.sqrt)
        .map_blocks(counting, dtype="f8", meta=np.empty((0, 0)))
    )
    np.testing.assert_allclose(lazy.compute(scheduler=get), np.sqrt(numbers) + 1)
    assert shapes.count((32, 64)) == 8 + 1


def test_a_cycle_is_named(get):
    with pytest.raises(outhaul.GraphError, match="cycle through task '[ab]'"):
        get({"a": (np.sqrt, "b"), "b": (np.sqrt, "a")}, "a")


def test_a_task_that_raises_is_named(get, numbers):
    def picky(part):
        if part[0, 0] == numbers[64, 0]:
            raise ValueError("not this one")
        return part

    with pytest.raises(
        outhaul.SubtaskError, match=r"picky.*\[1,0\]`: ValueError on GPU \d: not this one"
    ):
        da.from_array(numbers, chunks=64).map_blocks(picky, dtype="f8").compute(scheduler=get)


def test_sizes_that_depend_on_data_are_refused(get, numbers):
    with pytest.raises(outhaul.SubtaskError, match="depends on the data"):
        lazy = da.from_array(numbers, chunks=64).map_blocks(np.sqrt)
        lazy[lazy > 0.5].compute(scheduler=get)


def halved(path, start, stop):
    """What a worker does with its group of partitions: the runtime is that of its host."""
    return (outhaul.from_npy(path, chunks=8).map(np.sqrt).compute()[start:stop] / 2).sum(axis=0)


def test_distributed_workers_share_the_runtime_of_their_host(
    address, key, numbers, tmp_path, monkeypatch
):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("OUTHAUL_RUNTIME", address)
    np.save(tmp_path / "in.npy", numbers)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        groups = [
            client.submit(halved, str(tmp_path / "in.npy"), start, start + 64)
            for start in range(0, 256, 64)
        ]
        total = client.submit(sum, groups).result()
    np.testing.assert_allclose(total, np.sqrt(numbers).sum(axis=0) / 2)


def test_order_of_bytes(runtime):
    values = np.arange(12.0).reshape(3, 4).astype(">f8")
    lazy = da.from_array(values, chunks=(1, 4))
    get = outhaul.dask_get(runtime)
    np.testing.assert_array_equal((lazy + 1).compute(scheduler=get), values + 1)
    assert lazy.sum().compute(scheduler=get) == values.sum()
