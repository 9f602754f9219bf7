"""Arrays from files and into files, without either being in memory as a whole."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import outhaul


@pytest.mark.parametrize("chunks", [10, (30, 20), (256, 7), "4 KB", ((100, 156), (64,))])
def test_npy_to_npy(runtime, numbers, tmp_path, chunks):
    np.save(tmp_path / "in.npy", numbers)
    runtime = outhaul.Runtime("host", gpus=2, memory="1 MB")
    outhaul.from_npy(tmp_path / "in.npy", chunks).map(np.sqrt).to_npy(tmp_path / "out.npy", runtime)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), np.sqrt(numbers))
    assert runtime.last.moved_bytes("read") == runtime.last.moved_bytes("write") == numbers.nbytes


def test_npy_of_three_axes_and_of_none(runtime, tmp_path):
    box = np.random.default_rng(1).random((12, 10, 8))
    for array, chunks in (
        (box, (5, 4, 8)),
        (box, (12, 3, 3)),
        (np.float64(7), None),
        (np.zeros((0, 4)), None),
    ):
        np.save(tmp_path / "in.npy", array)
        outhaul.from_npy(tmp_path / "in.npy", chunks).map(np.negative).to_npy(
            tmp_path / "out.npy", runtime
        )
        np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), -array)


def test_a_disk_that_is_full(runtime, numbers, tmp_path):
    """Known before anything runs; a limit on the size of files stands in for the disk."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ran = []
    lazy = outhaul.from_array(numbers, chunks=16).map(lambda part: ran.append(1) or part)
    resource.setrlimit(resource.RLIMIT_FSIZE, (numbers.nbytes // 2, before[1]))
    try:
        with pytest.raises(OSError):
            lazy.to_npy(tmp_path / "out.npy", runtime)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == [] and not ran


def test_zarr_to_zarr(runtime, numbers, tmp_path):
    zarr = pytest.importorskip("zarr")
    zarr.create_array(tmp_path / "in.zarr", data=numbers, chunks=(50, 20))
    lazy = outhaul.from_zarr(str(tmp_path / "in.zarr"))
    assert lazy.chunks == ((50,) * 5 + (6,), (20, 20, 20, 4))
    lazy.map(np.sqrt).to_zarr(tmp_path / "out.zarr", runtime)
    out = zarr.open_array(tmp_path / "out.zarr", mode="r")
    assert out.chunks == (50, 20)
    np.testing.assert_array_equal(out[:], np.sqrt(numbers))
    assert sorted(os.listdir(tmp_path)) == ["in.zarr", "out.zarr"]


def contents(folder):
    return {
        name: (folder / name).read_bytes()
        for name in sorted(os.listdir(folder))
        if (folder / name).is_file()
    }


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("what", ["a folder", "a group", "a file"])
def test_to_zarr_deletes_nothing_that_is_not_its_own(runtime, numbers, tmp_path, what, overwrite):
    zarr = pytest.importorskip("zarr")
    path = tmp_path / "there"
    if what == "a group":
        zarr.open_group(path, mode="w").create_array("a", data=numbers)
    elif what == "a folder":
        path.mkdir()
        (path / "precious.txt").write_text("years of work")
    else:
        path.write_text("years of work")
    ran = []
    lazy = outhaul.from_array(numbers, chunks=32).map(lambda part: ran.append(1) or part)
    before = contents(path) if path.is_dir() else path.read_bytes()
    with pytest.raises(FileExistsError, match="replaces only a Zarr array"):
        lazy.to_zarr(path, runtime, overwrite=overwrite)
    assert not ran and os.listdir(tmp_path) == ["there"]
    assert (contents(path) if path.is_dir() else path.read_bytes()) == before
    if what == "a group":
        np.testing.assert_array_equal(zarr.open_array(path, path="a")[:], numbers)


def test_to_zarr_replaces_an_array_when_told(runtime, numbers, tmp_path):
    zarr = pytest.importorskip("zarr")
    (tmp_path / "out.zarr.part").mkdir()
    lazy = outhaul.from_array(numbers, chunks=32).map(np.sqrt)
    lazy.to_zarr(tmp_path / "out.zarr", runtime)
    with pytest.raises(FileExistsError, match="overwrite=True"):
        lazy.to_zarr(tmp_path / "out.zarr", runtime)
    outhaul.from_zarr(str(tmp_path / "out.zarr")).map(np.square).to_zarr(
        tmp_path / "out.zarr", runtime, overwrite=True
    )
    np.testing.assert_allclose(zarr.open_array(tmp_path / "out.zarr")[:], numbers)
    assert sorted(os.listdir(tmp_path)) == ["out.zarr", "out.zarr.part"]


def test_a_folder_is_no_place_for_a_file(runtime, numbers, tmp_path):
    ran = []
    with pytest.raises(IsADirectoryError):
        outhaul.from_array(numbers, chunks=32).map(lambda part: ran.append(1) or part).to_npy(
            tmp_path, runtime
        )
    assert not ran


def test_a_file_that_is_replaced_keeps_its_link_and_permissions(runtime, numbers, tmp_path):
    np.save(tmp_path / "secret.npy", numbers)
    os.chmod(tmp_path / "secret.npy", 0o600)
    os.symlink("secret.npy", tmp_path / "link.npy")
    outhaul.from_array(numbers, chunks=32).map(np.sqrt).to_npy(tmp_path / "link.npy", runtime)
    assert (
        os.path.islink(tmp_path / "link.npy")
        and os.stat(tmp_path / "secret.npy").st_mode & 0o777 == 0o600
    )
    np.testing.assert_array_equal(np.load(tmp_path / "secret.npy"), np.sqrt(numbers))


@pytest.mark.parametrize("kind", ["npy", "zarr"])
def test_two_runs_into_one_path_never_mix(tmp_path, kind):
    zarr = pytest.importorskip("zarr")
    path = tmp_path / "out"
    both = threading.Barrier(2)
    failed = []

    def runs(value):
        runtime = outhaul.Runtime("host", memory="1 MB")
        lazy = outhaul.from_array(np.full((40, 4), value), chunks=4).map(
            lambda part: time.sleep(0.001) or part
        )
        for _ in range(10):
            both.wait(120)
            try:
                lazy.to_npy(path, runtime) if kind == "npy" else lazy.to_zarr(
                    path, runtime, overwrite=True
                )
                both.wait(120)
                seen = np.load(path) if kind == "npy" else zarr.open_array(path, mode="r")[:]
                assert len(np.unique(seen)) == 1
            except BaseException as error:
                failed.append(error)
                both.abort()

    threads = [threading.Thread(target=runs, args=(value,)) for value in (1.0, 2.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert os.listdir(tmp_path) == ["out"]


KILLED = """
import os, signal, sys
import numpy as np, outhaul
outhaul.from_array(np.ones((64, 8)), chunks=8).map(lambda part: os.kill(os.getpid(), signal.SIGKILL)).to_npy(sys.argv[1], outhaul.Runtime("host"))
"""


def test_what_a_killed_run_left_is_removed_by_the_next(runtime, numbers, tmp_path):
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "out.npy")], check=False)
    assert len(os.listdir(tmp_path)) == 1
    outhaul.from_array(numbers, chunks=32).map(np.sqrt).to_npy(tmp_path / "out.npy", runtime)
    assert os.listdir(tmp_path) == ["out.npy"]


def test_a_failed_zarr_leaves_nothing(runtime, numbers, tmp_path):
    pytest.importorskip("zarr")
    with pytest.raises(outhaul.SubtaskError):
        outhaul.from_array(numbers, chunks=32).map(lambda part: 1 / 0).to_zarr(
            tmp_path / "out.zarr", runtime
        )
    assert list(tmp_path.iterdir()) == []


def test_parquet_column(runtime, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    values = np.arange(5000, dtype="f4")
    parquet.write_table(
        pyarrow.table({"x": values, "name": ["a"] * 5000}),
        tmp_path / "t.parquet",
        row_group_size=700,
    )
    lazy = outhaul.from_parquet(tmp_path / "t.parquet", "x", chunks="6 KB")
    assert lazy.chunks == ((1400, 1400, 1400, 800),)
    np.testing.assert_array_equal(lazy.map(np.sqrt).compute(runtime), np.sqrt(values))


def test_nulls_are_refused(runtime, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(
        pyarrow.table({"x": pyarrow.array([1.0, None, 3.0])}), tmp_path / "t.parquet"
    )
    with pytest.raises(outhaul.SubtaskError, match="column `x` has 1 nulls"):
        outhaul.from_parquet(tmp_path / "t.parquet", "x").map(np.sqrt).compute(runtime)


@pytest.mark.parametrize("dtype", [">f8", ">i2", ">c16", ">f2", [("a", ">i4"), ("b", ">f8")]])
def test_order_of_bytes(runtime, tmp_path, dtype):
    """Numbers in the order of other machines, from each source, are converted when they are
    read."""
    values = np.arange(1, 25).reshape(4, 6).astype(dtype)
    np.save(tmp_path / "a.npy", values)
    zarr = pytest.importorskip("zarr")
    sources = [
        outhaul.from_array(values, (2, 4)),
        outhaul.from_array(values[::-1, ::2], 3)[::-1],
        outhaul.from_npy(tmp_path / "a.npy", 2),
        outhaul.asarray(values),
    ]
    if values.dtype.names is None:
        zarr.create_array(str(tmp_path / "a.zarr"), data=values, chunks=(2, 6))
        sources.append(outhaul.from_zarr(str(tmp_path / "a.zarr")))
    for lazy in sources:
        wanted = values if lazy.shape == values.shape else values[:, ::2]
        assert lazy.dtype.isnative
        np.testing.assert_array_equal(lazy.compute(runtime), wanted)
        if values.dtype.names is None:
            np.testing.assert_array_equal((lazy + wanted).compute(runtime), wanted + wanted)
            np.testing.assert_allclose(lazy.sum(axis=0).compute(runtime), wanted.sum(axis=0))
            np.testing.assert_array_equal(lazy.astype(dtype).compute(runtime), wanted)
