"""Arrays from files and into files, without either being in memory as a whole."""

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
    for array, chunks in ((box, (5, 4, 8)), (box, (12, 3, 3)), (np.float64(7), None), (np.zeros((0, 4)), None)):
        np.save(tmp_path / "in.npy", array)
        outhaul.from_npy(tmp_path / "in.npy", chunks).map(np.negative).to_npy(tmp_path / "out.npy", runtime)
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
    assert not (tmp_path / "out.zarr.part").exists()


def test_a_failed_zarr_leaves_nothing(runtime, numbers, tmp_path):
    pytest.importorskip("zarr")
    with pytest.raises(outhaul.SubtaskError):
        outhaul.from_array(numbers, chunks=32).map(lambda part: 1 / 0).to_zarr(tmp_path / "out.zarr", runtime)
    assert list(tmp_path.iterdir()) == []


def test_parquet_column(runtime, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    values = np.arange(5000, dtype="f4")
    parquet.write_table(pyarrow.table({"x": values, "name": ["a"] * 5000}), tmp_path / "t.parquet", row_group_size=700)
    lazy = outhaul.from_parquet(tmp_path / "t.parquet", "x", chunks="6 KB")
    assert lazy.chunks == ((1400, 1400, 1400, 800),)
    np.testing.assert_array_equal(lazy.map(np.sqrt).compute(runtime), np.sqrt(values))


def test_nulls_are_refused(runtime, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"x": pyarrow.array([1.0, None, 3.0])}), tmp_path / "t.parquet")
    with pytest.raises(outhaul.SubtaskError, match="column `x` has 1 nulls"):
        outhaul.from_parquet(tmp_path / "t.parquet", "x").map(np.sqrt).compute(runtime)
