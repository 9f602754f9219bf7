"""Graphs on CUDA devices through CuPy: results, memory, and errors that only a GPU has."""

import subprocess
import sys

import cupy
import numpy as np
import pytest

import outhaul


def blur(rows):
    return (rows[:-2] + rows[1:-1] + rows[2:]) / 3


def test_blur_out_of_core(runtime, numbers):
    lazy, wanted = outhaul.from_array(numbers, chunks=100), numbers
    for _ in range(3):
        padded = np.concatenate([wanted[:1], wanted, wanted[-1:]])
        lazy, wanted = lazy.map_overlap(blur, depth=1), blur(padded)
    np.testing.assert_allclose(lazy.compute(runtime), wanted, rtol=1e-6)
    device = runtime.backend.devices[0]
    assert numbers.nbytes > 2 * device.capacity_bytes
    assert all(0 < peak <= device.capacity_bytes for peak in runtime.last.peak_bytes)


@pytest.mark.skipif(cupy.cuda.runtime.getDeviceCount() < 2, reason="needs two GPUs")
def test_neighbours_from_gpu_to_gpu(runtime, numbers):
    runtime.peers = True
    lazy = outhaul.from_array(numbers[:200], chunks=100).map(cupy.sqrt).map_overlap(blur, depth=1)
    roots = np.sqrt(numbers[:200])
    np.testing.assert_allclose(
        outhaul.compute(lazy, runtime=runtime, policy="fifo")[0],
        blur(np.concatenate([roots[:1], roots, roots[-1:]])),
        rtol=1e-6,
    )
    assert runtime.last.moved_bytes("peer") > 0


@pytest.mark.parametrize(
    "given",
    [lambda a: a, lambda a: a[:, 3:], lambda a: a[::2, ::2]],
    ids=["tiles", "of a view", "every other"],
)
def test_tiles_of_a_larger_array(runtime, numbers, given):
    numbers = given(numbers)
    result = outhaul.from_array(numbers, chunks=(500, 100)).map(cupy.sqrt).compute(runtime)
    np.testing.assert_allclose(result, np.sqrt(numbers), rtol=1e-6)


def test_file_to_file(runtime, numbers, tmp_path):
    np.save(tmp_path / "in.npy", numbers)
    outhaul.from_npy(tmp_path / "in.npy", chunks="256 KB").map(cupy.sqrt).to_npy(
        tmp_path / "out.npy", runtime
    )
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), np.sqrt(numbers), rtol=1e-6)


def test_operators(runtime, numbers):
    lazy = outhaul.from_array(numbers, chunks=200)
    made, wanted = (
        (lazy * 2 + 1) / np.sqrt(lazy + 3) > lazy,
        (numbers * 2 + 1) / np.sqrt(numbers + 3) > numbers,
    )
    np.testing.assert_array_equal(made.compute(runtime), wanted)
    np.testing.assert_array_equal(
        (lazy * 100).astype("i4").compute(runtime), (numbers * 100).astype("i4")
    )


def test_arrays_of_cupys(runtime, numbers):
    lazy, row = outhaul.from_array(numbers, chunks=200), cupy.arange(512, dtype="f4")
    for made in (lazy + row, row + lazy, np.add(lazy, row), lazy + outhaul.asarray(row)):
        np.testing.assert_array_equal(made.compute(runtime), numbers + np.arange(512, dtype="f4"))


@pytest.mark.parametrize("draw", ["random", "standard_normal", "exponential"])
def test_random_numbers_are_those_of_the_host(runtime, draw):
    """The bits are; logarithms and cosines differ in their last ones."""
    host = outhaul.Runtime("host", memory="10 MB")
    made = lambda: getattr(outhaul.random.default_rng(2**63 + 5), draw)(
        size=(300, 70), chunks=(100, 50)
    )
    np.testing.assert_allclose(
        made().compute(runtime), made().compute(host), rtol=1e-12, atol=1e-12
    )
    whole = lambda: outhaul.random.default_rng(3).integers(-(2**62), 2**62, (300, 70), chunks=100)
    np.testing.assert_array_equal(whole().compute(runtime), whole().compute(host))


def test_histogram(runtime, numbers):
    count = lambda part: cupy.histogram(part, bins=16, range=(0, 1))[0]
    counts = (
        outhaul.from_array(numbers, chunks=200).map(count, shape=(16,), dtype="i8").reduce(cupy.add)
    )
    np.testing.assert_array_equal(
        counts.compute(runtime), np.histogram(numbers, bins=16, range=(0, 1))[0]
    )


def test_sort(runtime):
    numbers = np.random.default_rng(3).integers(0, 1000, 1_000_000).astype("f4")
    np.testing.assert_array_equal(
        outhaul.from_array(numbers, chunks=64_000).sort().compute(runtime), np.sort(numbers)
    )


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("chunks", [64, 500])
def test_nans_of_either_sign_are_last(runtime, dtype, chunks):
    numbers = np.random.default_rng(1).random(1000).astype(dtype)
    numbers[::7], numbers[3::7] = -np.nan, np.nan
    assert np.signbit(numbers[0])
    np.testing.assert_array_equal(
        outhaul.from_array(numbers, chunks).sort().compute(runtime), np.sort(numbers)
    )


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (3, 0)])
def test_arrays_without_elements_or_axes(runtime, shape, tmp_path):
    given = np.full(shape, 4.0)
    lazy = outhaul.from_array(given).map(cupy.sqrt)
    np.testing.assert_array_equal(lazy.compute(runtime), np.sqrt(given))
    lazy.to_npy(tmp_path / "out.npy", runtime)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), np.sqrt(given))


def add_one_in_place(part):
    part += 1
    return part


def sort_in_place(part):
    part.ravel().sort()
    return part * 2


WRITES = 'extern "C" __global__ void writes(float* x, float* out, long long n) { long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; if (i < n) { out[i] = x[i]; x[i] = 0; } }'


@pytest.mark.parametrize(
    "changes",
    [add_one_in_place, sort_in_place, outhaul.kernel(WRITES, "writes")],
    ids=["+=", "sort", "a kernel"],
)
def test_a_function_that_changes_its_argument_is_refused(runtime, numbers, changes):
    with pytest.raises(outhaul.SubtaskError, match="changed its argument"):
        outhaul.from_array(numbers, chunks=100).map(changes).compute(runtime)


def test_host_memory_is_bounded(numbers, tmp_path):
    np.save(tmp_path / "in.npy", numbers)
    runtime = outhaul.Runtime(
        "cuda", gpus=1, memory="4 MB", scratch="50%", host_memory="2 MB", spill=tmp_path
    )
    lazy = outhaul.from_npy(tmp_path / "in.npy", chunks="128 KB").map(cupy.sqrt)
    lazy.to_npy(tmp_path / "out.npy", runtime)
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), np.sqrt(numbers), rtol=1e-6)
    assert runtime.last.host_peak_bytes <= 1_000_000
    assert runtime.backend._used_bytes == 0 and runtime.backend._kept_bytes <= 2_000_000
    runtime.close()


def test_a_function_takes_more_than_the_scratch_memory(runtime, numbers):
    def greedy(part):
        return part + cupy.zeros(1 << 20, "f4")[: part.shape[1]]

    with pytest.raises(
        outhaul.SubtaskError,
        match=r"`greedy\[\d+\]`: OutOfMemoryError on GPU \d+: .*limit set to: 2,000,000",
    ):
        outhaul.from_array(numbers, chunks=100).map(greedy).compute(runtime)


def test_a_function_that_speaks_dlpack(runtime, numbers):
    class Foreign:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **how):
            return self.array.__dlpack__(**how)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    lazy = outhaul.from_array(numbers, chunks=200).map(lambda part: Foreign(part * 2))
    np.testing.assert_array_equal(lazy.compute(runtime), numbers * 2)


FAULT = """
import cupy, numpy, outhaul
wild = cupy.RawKernel('extern "C" __global__ void wild(float* x) { *(float*)16 = 1; }', "wild")
def function(part):
    if part[0] == 4000 and cupy.cuda.Device().id == gone:
        wild((1,), (1,), (part,))
    return part + 1
numbers = numpy.arange(8000, dtype="f4")
runtime = outhaul.Runtime(memory="256 KB", scratch="50%", retries=retries)
lazy = outhaul.from_array(numbers, chunks=1000).map(function)
for gone in (0, 1):
    try:
        numpy.testing.assert_array_equal(lazy.compute(runtime), numbers + 1)
    except outhaul.SubtaskError as error:
        print("ERROR", error)
print("LOST", sorted(runtime.lost))
"""


@pytest.mark.skipif(cupy.cuda.runtime.getDeviceCount() < 2, reason="needs a GPU that stays")
@pytest.mark.parametrize("retries", [0, 1])
def test_a_kernel_that_kills_its_gpu(retries):
    """In a process of its own, which may not use that GPU again. Where the subtask runs is the
    scheduler's choice, so first the one GPU is at risk, then the other."""
    program = f"retries = {retries}\n" + FAULT.replace("(0, 1)", "(0,)" if retries else "(0, 1)")
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=180
    )
    if retries:
        assert "ERROR" not in done.stdout and "LOST" in done.stdout, done.stdout + done.stderr
    else:
        assert "subtask `function[4]`: DeviceLost on GPU" in done.stdout, done.stdout + done.stderr


SAXPY = """
extern "C" __global__ void saxpy(const float* x, const float* y, float* out, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * x[i] + y[i];
}
"""


def test_a_kernel_from_source(runtime, numbers):
    x, y = outhaul.from_array(numbers, chunks=150), outhaul.from_array(numbers[::-1], chunks=150)
    lazy = x.zip(y, outhaul.kernel(SAXPY, "saxpy"))
    np.testing.assert_allclose(lazy.compute(runtime), 2 * numbers + numbers[::-1], rtol=1e-6)
    assert lazy.explain(runtime).stages[0].measured == 14


ROWS = """
extern "C" __global__ void mean3(const float* in, float* out, int columns, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) out[i] = (in[i] + in[i + columns] + in[i + 2 * columns]) / 3;
}
"""


def test_a_stencil_kernel(runtime, numbers):
    mean3 = outhaul.kernel(
        ROWS,
        "mean3",
        arguments=lambda inputs, out: (inputs[0], out, np.int32(out.shape[1]), np.int64(out.size)),
    )
    lazy = outhaul.from_array(numbers, chunks=100).map_overlap(mean3, depth=1)
    np.testing.assert_allclose(
        lazy.compute(runtime), blur(np.concatenate([numbers[:1], numbers, numbers[-1:]])), rtol=1e-6
    )


def test_a_kernel_object_with_arguments_of_its_own(runtime, numbers):
    scale = cupy.RawKernel(
        'extern "C" __global__ void scale(float* out, const float* x, float by) { int i = '
        'blockIdx.x * blockDim.x + threadIdx.x; out[i] = by * x[i]; }',
        "scale",
    )
    lazy = outhaul.from_array(numbers, chunks=128).map(
        outhaul.kernel(
            scale, block=512, arguments=lambda inputs, out: (out, inputs[0], np.float32(3))
        )
    )
    np.testing.assert_allclose(lazy.compute(runtime), numbers * 3, rtol=1e-6)


def test_elementwise_kernels_are_functions(runtime, numbers):
    square = cupy.ElementwiseKernel("T x", "T y", "y = x * x", "square")
    np.testing.assert_allclose(
        outhaul.from_array(numbers, chunks=128).map(square).compute(runtime), numbers**2, rtol=1e-6
    )


def test_numba(runtime, numbers):
    cuda = pytest.importorskip("numba.cuda")

    @cuda.jit
    def add_one(x, out):
        i, j = cuda.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            out[i, j] = x[i, j] + 1

    function = outhaul.kernel(
        add_one,
        block=(16, 16),
        grid=lambda inputs, out: (-(-out.shape[0] // 16), -(-out.shape[1] // 16)),
    )
    np.testing.assert_allclose(
        outhaul.from_array(numbers, chunks=128).map(function).compute(runtime), numbers + 1
    )


def test_triton(runtime, numbers):
    pytest.importorskip("torch")
    triton = pytest.importorskip("triton")
    import triton_add

    function = outhaul.kernel(
        triton_add.add_one, block=1024, grid=lambda inputs, out: (triton.cdiv(out.size, 1024),)
    )
    np.testing.assert_allclose(
        outhaul.from_array(numbers, chunks=128).map(function).compute(runtime), numbers + 1
    )


@pytest.mark.parametrize("dtype", [">f8", ">i4"])
def test_order_of_bytes(runtime, tmp_path, dtype):
    values = np.arange(1, 25).reshape(4, 6).astype(dtype)
    np.save(tmp_path / "a.npy", values)
    for lazy in (outhaul.from_array(values, 2), outhaul.from_npy(tmp_path / "a.npy", 2)):
        np.testing.assert_array_equal((lazy + 1).compute(runtime), values + 1)
        assert float(lazy.sum().compute(runtime)) == values.sum()
