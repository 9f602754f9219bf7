"""HDF5, TIFF and URLs: arrays from files of others' formats, and into them."""

import builtins
import os

import numpy as np
import pytest

import outhaul


@pytest.fixture
def cube():
    return np.random.default_rng(2).integers(0, 60000, (24, 20, 30)).astype("u2")


@pytest.mark.parametrize("stored", [None, (5, 20, 30), (4, 7, 11)])
@pytest.mark.parametrize("chunks", [None, 7, (6, 20, 11)])
def test_hdf5_to_hdf5(runtime, cube, tmp_path, stored, chunks):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file.create_dataset("group/cube", data=cube, chunks=stored, compression=stored and "gzip")
    lazy = outhaul.from_hdf5(tmp_path / "in.h5", "group/cube", chunks or 4)
    (lazy * 2).to_hdf5(tmp_path / "out.h5", "made/cube", runtime)
    with h5py.File(tmp_path / "out.h5") as file:
        np.testing.assert_array_equal(file["made/cube"][:], cube * 2)
    assert runtime.last.moved_bytes("read") == runtime.last.moved_bytes("write") == cube.nbytes
    assert sorted(os.listdir(tmp_path)) == ["in.h5", "out.h5"]


@pytest.mark.parametrize("values", [np.float64(7), np.zeros((0, 4)), np.arange(5, dtype=">i4")])
def test_hdf5_of_other_shapes_and_bytes(runtime, tmp_path, values):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file["a"] = values
    lazy = outhaul.from_hdf5(tmp_path / "in.h5", "a")
    (lazy + 1).to_hdf5(tmp_path / "out.h5", runtime=runtime)
    made = outhaul.from_hdf5(tmp_path / "out.h5", "data").compute(runtime)
    np.testing.assert_array_equal(made, values + 1)


def test_hdf5_is_cut_between_its_own_chunks(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file.create_dataset("a", shape=(10**6, 100), dtype="f8", chunks=(1000, 100))
    lengths = outhaul.from_hdf5(tmp_path / "in.h5", "a").chunks[0]
    assert set(lengths[:-1]) == {160_000}
    with pytest.raises(KeyError, match=r"has no dataset `b`; it has \['a'\]"):
        outhaul.from_hdf5(tmp_path / "in.h5", "b")


def test_to_hdf5_replaces_nothing_that_is_not_its_own(runtime, numbers, tmp_path):
    h5py = pytest.importorskip("h5py")
    lazy = outhaul.from_array(numbers, chunks=32)
    (tmp_path / "text").write_text("years of work")
    with h5py.File(tmp_path / "two.h5", "w") as file:
        file["data"], file["precious"] = 1, 2
    for name in ("text", "two.h5"):
        with pytest.raises(FileExistsError, match="overwrite=True"):
            lazy.to_hdf5(tmp_path / name, runtime=runtime)
        before = (tmp_path / name).read_bytes()
        with pytest.raises(FileExistsError, match="only a file that has the dataset data"):
            lazy.to_hdf5(tmp_path / name, runtime=runtime, overwrite=True)
        assert (tmp_path / name).read_bytes() == before
    lazy.to_hdf5(tmp_path / "own.h5", runtime=runtime)
    (lazy * 2).to_hdf5(tmp_path / "own.h5", runtime=runtime, overwrite=True)
    with h5py.File(tmp_path / "own.h5") as file:
        np.testing.assert_array_equal(file["data"][:], numbers * 2)
    with pytest.raises(outhaul.SubtaskError):
        lazy.map(lambda part: 1 / 0).to_hdf5(tmp_path / "failed.h5", runtime=runtime)
    assert sorted(os.listdir(tmp_path)) == ["own.h5", "text", "two.h5"]


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("compression", [None, "zlib"])
@pytest.mark.parametrize("shape", [(24, 20, 30), (4, 6, 20, 30), (480, 30)], ids=str)
def test_tiff_to_tiff(runtime, cube, tmp_path, order, compression, shape):
    tifffile = pytest.importorskip("tifffile")
    given = cube.reshape(shape)
    options = {"byteorder": order, "compression": compression, "photometric": "minisblack"}
    tifffile.imwrite(tmp_path / "in.tif", given, **options)
    lazy = outhaul.from_tiff(tmp_path / "in.tif", (3, *(max(2, n // 2) for n in shape[1:])))
    assert (lazy.shape, lazy.dtype) == (shape, "u2")
    (lazy / 2).astype("f4").to_tiff(tmp_path / "out.tif", runtime)
    np.testing.assert_array_equal(tifffile.imread(tmp_path / "out.tif"), (given / 2).astype("f4"))
    assert sorted(os.listdir(tmp_path)) == ["in.tif", "out.tif"]


def test_a_tiff_file_for_each_slice(runtime, cube, tmp_path):
    tifffile = pytest.importorskip("tifffile")
    for i, image in enumerate(cube):
        tifffile.imwrite(tmp_path / f"scan_{i:03}.tif", image)
    by_pattern = outhaul.from_tiff(str(tmp_path / "scan_*.tif"), (5, 20, 7))
    by_list = outhaul.from_tiff([tmp_path / f"scan_{i:03}.tif" for i in (3, 1)])
    np.testing.assert_array_equal(by_pattern.compute(runtime), cube)
    np.testing.assert_array_equal(by_list.compute(runtime), cube[[3, 1]])
    tifffile.imwrite(tmp_path / "scan_007.tif", cube[0, :5])
    with pytest.raises(
        outhaul.SubtaskError, match=r"scan_007.tif is uint16\[5, 30\], and the first"
    ):
        (by_pattern + 1).compute(runtime)
    with pytest.raises(FileNotFoundError, match="no file is like"):
        outhaul.from_tiff(str(tmp_path / "other_*.tif"))


def test_what_is_no_stack_of_images(runtime, numbers):
    for wrong in (numbers[0], numbers > 0.5, numbers[:0]):
        with pytest.raises(ValueError, match="to_tiff: .* is not a stack of images"):
            outhaul.from_array(wrong).to_tiff("never.tif", runtime)


@pytest.mark.parametrize("chunks", [40, (100, 30)])
def test_npy_behind_a_url(runtime, numbers, chunks):
    fsspec = pytest.importorskip("fsspec")
    with fsspec.open("memory://in.npy", "wb") as file:
        np.save(file, numbers)
    lazy = outhaul.from_npy("memory://in.npy", chunks)
    (lazy + 1).to_npy("memory://folder/out.npy", runtime)
    with fsspec.open("memory://folder/out.npy") as file:
        np.testing.assert_array_equal(np.load(file), numbers + 1)
    with fsspec.open("memory://short.npy", "wb") as file:
        file.write(fsspec.filesystem("memory").cat_file("/in.npy")[:-8])
    with pytest.raises(EOFError, match="ends early"):
        outhaul.from_npy("memory://short.npy")
    with pytest.raises(ValueError, match="is a URL"):
        lazy.to_zarr("memory://out.zarr", runtime)


def test_a_failed_run_sends_nothing(runtime, numbers, tmp_path, monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(outhaul.SubtaskError):
        outhaul.from_array(numbers, 32).map(lambda part: 1 / 0).to_npy("memory://no.npy", runtime)
    assert not fsspec.filesystem("memory").exists("no.npy") and os.listdir(tmp_path) == []


def test_hdf5_behind_a_url(runtime, numbers, tmp_path):
    fsspec, h5py = pytest.importorskip("fsspec"), pytest.importorskip("h5py")
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file["a"] = numbers
    fsspec.filesystem("memory").pipe_file("in.h5", (tmp_path / "in.h5").read_bytes())
    lazy = outhaul.from_hdf5("memory://in.h5", "a", 50)
    np.testing.assert_array_equal(lazy.compute(runtime), numbers)


@pytest.mark.parametrize(
    "name, extra, use",
    [
        ("h5py", "hdf5", lambda: outhaul.from_hdf5("a.h5", "a")),
        ("tifffile", "tiff", lambda: outhaul.from_tiff("a.tif")),
        ("fsspec", "urls", lambda: outhaul.from_npy("s3://bucket/a.npy")),
    ],
)
def test_a_library_that_is_missing_is_named(monkeypatch, name, extra, use):
    real = builtins.__import__

    def without(module, *arguments):
        if module.partition(".")[0] == name:
            raise ImportError(module)
        return real(module, *arguments)

    for module in [each for each in __import__("sys").modules if each.partition(".")[0] == name]:
        monkeypatch.delitem(__import__("sys").modules, module)
    monkeypatch.setattr("importlib.import_module", without)
    with pytest.raises(ImportError, match=rf"needs {name}: pip install 'outhaul\[{extra}\]'"):
        use()


def test_containers_of_a_runtime_elsewhere(address, key, cube, tmp_path):
    h5py, tifffile = pytest.importorskip("h5py"), pytest.importorskip("tifffile")
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file["cube"] = cube
    tifffile.imwrite(tmp_path / "in.tif", cube)
    remote = outhaul.connect(address)
    lazy = remote.from_hdf5(str(tmp_path / "in.h5"), "cube", 4)
    stack = remote.from_tiff(str(tmp_path / "in.tif"), 4)
    (lazy - stack).to_hdf5(str(tmp_path / "out.h5"), runtime=remote)
    (lazy + 1).to_tiff(str(tmp_path / "out.tif"), remote)
    with h5py.File(tmp_path / "out.h5") as file:
        assert not file["data"][:].any()
    np.testing.assert_array_equal(tifffile.imread(tmp_path / "out.tif"), cube + 1)
