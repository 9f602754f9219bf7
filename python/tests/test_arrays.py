"""What lazy arrays compute is what NumPy computes, however they are cut and whatever the policy, in less memory than they have."""

import numpy as np
import pytest

import outhaul

POLICIES = ["fifo", "ptask", "locality", "victream", "ours"]


def blur(rows):
    return (rows[:-2] + rows[1:-1] + rows[2:]) / 3


def blurred(whole):
    return blur(np.concatenate([whole[:1], whole, whole[-1:]]))


@pytest.mark.parametrize("policy", POLICIES)
def test_blur_out_of_core(runtime, numbers, policy):
    lazy, wanted = outhaul.from_array(numbers, chunks=10), numbers
    for _ in range(4):
        lazy, wanted = lazy.map_overlap(blur, depth=1), blurred(wanted)
    [result] = outhaul.compute(lazy, runtime=runtime, policy=policy)
    np.testing.assert_allclose(result, wanted)
    capacity = runtime.backend.devices[0].capacity_bytes
    assert numbers.nbytes > 2 * capacity
    assert all(0 < peak <= capacity for peak in runtime.last.peak_bytes)


def test_neighbours_from_gpu_to_gpu(runtime, numbers):
    """Two GPUs make a partition each, and then need the other's."""
    runtime.peers = True
    lazy = outhaul.from_array(numbers[:20], chunks=10).map(np.sqrt).map_overlap(blur, depth=1)
    np.testing.assert_allclose(outhaul.compute(lazy, runtime=runtime, policy="fifo")[0], blurred(np.sqrt(numbers[:20])))
    assert runtime.last.moved_bytes("peer") > 0


def test_two_results_share_one_graph(runtime, numbers):
    calls = []

    def double(part):
        calls.append(part.shape)
        return part * 2

    doubled = outhaul.from_array(numbers, chunks=32).map(double)
    total = doubled.map(lambda part: part.sum(axis=0, keepdims=True), shape=lambda s: (1, s[1])).reduce(np.add)
    result, [sums] = outhaul.compute(doubled, total, runtime=runtime)
    np.testing.assert_allclose(result, numbers * 2)
    np.testing.assert_allclose(sums, numbers.sum(axis=0) * 2)
    assert len(calls) == 8


@pytest.mark.parametrize("fan_in", [2, 3, 8])
def test_reduce_combines_everything_once(runtime, fan_in):
    numbers = np.arange(70 * 4).reshape(70, 4)
    parts = outhaul.from_array(numbers, chunks=7)
    np.testing.assert_array_equal(parts.reduce(np.add, fan_in=fan_in).compute(runtime), numbers.reshape(10, 7, 4).sum(axis=0))


@pytest.mark.parametrize("boundary", ["nearest", "reflect", 0.5, None])
@pytest.mark.parametrize("axis", [0, 1])
def test_map_overlap_sees_its_neighbours(runtime, numbers, axis, boundary):
    padding = {"nearest": {"mode": "edge"}, "reflect": {"mode": "symmetric"}, 0.5: {"constant_values": 0.5}}
    wide = [(0, 0), (0, 0)]
    wide[axis] = (2, 2)
    padded = np.pad(numbers, wide, **padding[boundary]) if boundary is not None else numbers
    shifted = lambda part: np.roll(part, 1, axis=axis)
    lazy = outhaul.from_array(numbers, chunks=(32, 32)).map_overlap(shifted, depth=2, axis=axis, boundary=boundary)
    wanted, result = np.roll(padded, 1, axis=axis), lazy.compute(runtime)
    first, start = (1, 1) if boundary is None else (0, 2)  # without padding nothing comes before the first row
    inner = range(start, start + numbers.shape[axis] - first)
    np.testing.assert_array_equal(np.delete(result, range(first), axis=axis), np.take(wanted, inner, axis=axis))


def test_zip_and_shared_partition(runtime, numbers):
    a, b = outhaul.from_array(numbers, chunks=16), outhaul.from_array(numbers[::-1], chunks=16)
    weights = outhaul.from_array(np.arange(64.0))
    result = a.zip(b, np.subtract).map(np.multiply, weights)
    np.testing.assert_allclose(result.compute(runtime), (numbers - numbers[::-1]) * np.arange(64.0))


@pytest.mark.parametrize("cut", [(64, 16, 32), (30, 30, 30), (100, 80, 60)])
def test_matmul(runtime, cut):
    random = np.random.default_rng(1)
    a, b = random.random((100, 80)), random.random((80, 60))
    rows, inner, cols = cut
    product = outhaul.from_array(a, chunks=(rows, inner)) @ outhaul.from_array(b, chunks=(inner, cols))
    if cut == (100, 80, 60):
        runtime = outhaul.Runtime("host", memory="1 MB")
    np.testing.assert_allclose(product.compute(runtime), a @ b)


@pytest.mark.parametrize("values", ["random", "equal", "sorted", "nan", "few"])
def test_sort(runtime, values):
    random = np.random.default_rng(3)
    array = {
        "random": random.random(20_000),
        "equal": np.full(20_000, 3),
        "sorted": np.arange(20_000)[::-1],
        "nan": np.where(random.random(20_000) < 0.2, np.nan, random.random(20_000)),
        "few": random.integers(0, 5, 20_000).astype(np.int8),
    }[values]
    lazy = outhaul.from_array(array, chunks=1999 if array.dtype.itemsize > 1 else 6000).sort()
    np.testing.assert_array_equal(lazy.compute(runtime), np.sort(array))


def test_a_sort_in_the_middle(runtime):
    numbers = np.random.default_rng(4).random(10_000)
    lazy = outhaul.from_array(numbers, chunks=1000).map(np.negative).sort().map(np.negative).sort().map(np.sqrt)
    np.testing.assert_allclose(lazy.compute(runtime), np.sqrt(np.sort(numbers)))


def test_a_long_chain(runtime):
    lazy = outhaul.from_array(np.zeros(8), chunks=4)
    for _ in range(600):
        lazy = lazy.map(lambda part: part + 1)
    np.testing.assert_array_equal(outhaul.compute(lazy, runtime=runtime, policy="locality")[0], np.full(8, 600.0))


def test_what_is_given_passes_through(runtime, numbers):
    given = outhaul.from_array(numbers, chunks=40)
    first, second = outhaul.compute(given, given, runtime=runtime)
    np.testing.assert_array_equal(first, numbers)
    np.testing.assert_array_equal(second, numbers)


def test_one_array_twice(runtime, numbers):
    lazy = outhaul.from_array(numbers, chunks=32)
    doubled = lazy.zip(lazy, np.add)
    np.testing.assert_allclose(doubled.compute(runtime), numbers * 2)
    first, second = outhaul.compute(doubled, doubled, runtime=runtime)
    np.testing.assert_allclose(first, second)


def test_runtime_of_the_context(numbers):
    with outhaul.Runtime("host", memory="1 MB"):
        np.testing.assert_array_equal(outhaul.from_array(numbers, chunks=40).map(np.sqrt).compute(), np.sqrt(numbers))


def test_no_gpu_is_not_replaced_by_the_processor():
    pytest.importorskip("cupy", reason="without CuPy the import says so")
    with pytest.raises(Exception, match="GPU"):
        outhaul.Runtime()
