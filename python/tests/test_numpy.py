"""Lazy arrays where NumPy's are expected: the same results, or an error that says why not."""

import operator

import numpy as np
import pytest

import outhaul

PAIRS = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "lt",
    "le",
    "eq",
    "ne",
    "gt",
    "ge",
]


@pytest.fixture
def arrays():
    random = np.random.default_rng(1)
    return random.integers(1, 9, (40, 6)).astype("f4"), random.integers(1, 9, (40, 6))


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("other", ["lazy", "numpy", "number", "from the right"])
def test_operators(runtime, arrays, name, other):
    a, b = arrays
    lazy, operate = outhaul.from_array(a, (7, 3)), getattr(operator, name)
    result, wanted = {
        "lazy": lambda: (operate(lazy, outhaul.from_array(b, (7, 3))), operate(a, b)),
        "numpy": lambda: (operate(lazy, b), operate(a, b)),
        "number": lambda: (operate(lazy, 3), operate(a, 3)),
        "from the right": lambda: (operate(b, lazy), operate(b, a)),
    }[other]()
    assert isinstance(result, outhaul.Array) and result.dtype == wanted.dtype
    np.testing.assert_array_equal(result.compute(runtime), wanted)


@pytest.mark.parametrize(
    "f", [np.sqrt, np.exp, np.isnan, np.negative, operator.neg, abs, operator.invert]
)
def test_functions_of_elements(runtime, arrays, f):
    values = arrays[1] if f is operator.invert else arrays[0]
    result = f(outhaul.from_array(values, 7))
    assert result.dtype == f(values).dtype
    np.testing.assert_allclose(result.compute(runtime), f(values), rtol=1e-6)


def test_types_are_numpys(runtime, arrays):
    a, b = arrays
    lazy = outhaul.from_array(a, 7)
    for made, wanted in (
        ((lazy + 1), a + 1),
        (lazy + np.float64(1), a + np.float64(1)),
        (lazy.astype("i2"), a.astype("i2")),
        (2**lazy, 2**a),
    ):
        assert made.dtype == wanted.dtype
        np.testing.assert_array_equal(made.compute(runtime), wanted)
    whole = (lazy * 2 - outhaul.from_array(b, 7) / 3 > 1.5) & (lazy < 6)
    np.testing.assert_array_equal(whole.compute(runtime), (a * 2 - b / 3 > 1.5) & (a < 6))


def test_what_is_not_there_says_so(arrays):
    lazy = outhaul.from_array(arrays[0], 7)
    with pytest.raises(outhaul.GraphError, match=r"add: \[40, 6\] and \[7\] do not broadcast"):
        lazy + np.ones(7)
    with pytest.raises(
        TypeError, match=r"np.divide.reduce of a lazy array is not supported; a.map\(f\)"
    ):
        np.divide.reduce(lazy)
    with pytest.raises(TypeError, match="numpy.busday_offset of a lazy array is not supported"):
        np.busday_offset(lazy, 1)
    with pytest.raises(ValueError, match="choose an element"):
        bool(lazy == lazy)
    with pytest.raises(outhaul.GraphError, match="assignment: a new axis beside index arrays"):
        lazy[[0, 1], None] = 1
    with pytest.raises(IndexError, match="index 40 is out of bounds for axis 0 with size 40"):
        lazy[40]
    with pytest.raises(outhaul.GraphError, match="sum: no axis 2 in an array with 2"):
        lazy.sum(axis=2)
    with pytest.raises(ValueError, match="reshape: 240 elements"):
        lazy.reshape(7, 7)
    with pytest.raises(ValueError, match="max: no elements"):
        lazy[:0].max()


def test_an_error_names_the_users_line(runtime, arrays):
    lazy = outhaul.from_array(arrays[0], 7)
    wrong = lazy.map(lambda part: part[:1])  # this line
    with pytest.raises(
        outhaul.SubtaskError, match=r"its array was made at .*test_numpy.py:\d+;"
    ) as caught:
        (wrong + 1).sum().compute(runtime)
    path, line = caught.value.line.rsplit(":", 1)
    with open(path) as file:
        assert file.read().splitlines()[int(line) - 1].endswith("# this line")


KEYS = [np.s_[3], np.s_[2:30, ::2], np.s_[::-3], np.s_[..., -1], np.s_[5:5], np.s_[4, 5], np.s_[:]]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_assignment(runtime, arrays, key):
    """What was made before has the old elements."""
    wanted, lazy = arrays[0].copy(), outhaul.from_array(arrays[0], (7, 4))
    before = lazy * 2
    wanted[key] = new = np.arange(wanted[key].size).reshape(wanted[key].shape)
    lazy[key] = new
    after, before = outhaul.compute(lazy, before, runtime=runtime)
    np.testing.assert_array_equal(after, wanted)
    np.testing.assert_array_equal(before, arrays[0] * 2)


def test_assignment_to_a_mask_and_in_place(runtime, arrays):
    wanted, lazy = arrays[0].copy(), outhaul.from_array(arrays[0], (7, 4))
    same = lazy
    for array in (wanted, lazy):
        array[array > 5] = 0
        array[array[:, 0] == 0] = 2.7
        array[3] += 1
    lazy *= 2
    np.testing.assert_array_equal(lazy.compute(runtime), wanted * 2)
    assert same is lazy


def test_data_larger_than_a_gpu_by_columns(numbers):
    """Columns of an array that is cut by rows need all of its partitions, none of which need be
    there at once."""
    runtime = outhaul.Runtime("host", gpus=2, memory="40 KB")
    assert numbers.nbytes > 3 * 40_000
    lazy = outhaul.from_array(numbers, 16)
    for made, wanted in (
        (lazy.rechunk((256, 4)), numbers),
        (lazy.T.reshape(-1), numbers.T.reshape(-1)),
        (
            lazy[np.random.default_rng(2).permutation(256)],
            numbers[np.random.default_rng(2).permutation(256)],
        ),
        (
            (lazy - lazy.mean(axis=0)) / lazy.std(axis=0),
            (numbers - numbers.mean(axis=0)) / numbers.std(axis=0),
        ),
    ):
        np.testing.assert_allclose(made.compute(runtime), wanted)


def test_an_outer_product_of_long_arrays_is_cut(monkeypatch, runtime):
    monkeypatch.setattr("outhaul.chunks.PARTITION_BYTES", "8 kB")
    a, b = np.arange(300.0), np.arange(200.0)
    made = outhaul.from_array(a)[:, None] + outhaul.from_array(b)
    assert made.partitions > 50
    np.testing.assert_array_equal(made.compute(runtime), a[:, None] + b)


def test_what_is_not_touched_is_not_copied(runtime, numbers):
    """Whole partitions of a slice, a concatenation or an assignment are the array's own."""
    lazy = outhaul.from_array(numbers, 32)
    for made, subtasks in ((lazy[32:96], 0), (lazy[32:100], 1), (outhaul.concat([lazy, lazy]), 0)):
        assert sum(stage.subtasks for stage in made.explain(runtime).stages) == subtasks
    lazy[40] = 0
    assert lazy.explain(runtime).stages[0].subtasks < 8 == lazy.partitions


def test_one_partition_in_several_places_of_a_result(runtime, arrays):
    """Which lie between one another in memory where an array is cut by columns."""
    columns = outhaul.from_array(arrays[0], (40, 3)) + 1
    np.testing.assert_array_equal(
        outhaul.concat([columns] * 3, axis=1).compute(runtime),
        np.concatenate([arrays[0] + 1] * 3, axis=1),
    )


def counted(runtime, *arrays):
    return sum(stage.subtasks for stage in runtime.explain(arrays).stages)


def test_chains_of_functions_of_elements_are_one_subtask(runtime, arrays):
    a, b = outhaul.from_array(arrays[0], 10), outhaul.from_array(arrays[1], 10)
    chain = np.where((a * 2 + 1) / np.sqrt(b + 3) > 2, a, 0).astype("f8")
    assert counted(runtime, chain) == 4 == a.partitions
    wanted = np.where((arrays[0] * 2 + 1) / np.sqrt(arrays[1] + 3) > 2, arrays[0], 0).astype("f8")
    np.testing.assert_array_equal(chain.compute(runtime), wanted)
    # What several read, and what is wanted itself, is made once.
    shared = a + 1
    assert counted(runtime, shared * 2, shared * 3) == 12
    assert counted(runtime, shared * 2, shared) == 8
    for made, like in zip(
        outhaul.compute(shared * 2, shared * 3, shared, runtime=runtime), (2, 3, 1)
    ):
        np.testing.assert_array_equal(made, (arrays[0] + 1) * like)
    # One row is made once, not for each partition that it is added to.
    assert counted(runtime, a + (b[:1] * 2 + 1)) == 1 + 1 + 4


def test_a_chain_takes_no_more_than_the_scratch_memory(runtime, arrays):
    a = outhaul.from_array(arrays[0], 10)
    for device in runtime.backend.devices:
        device.scratch_bytes = 0
    assert counted(runtime, a * 2 + 1) == 8


def test_creation_moves_nothing_to_the_gpu():
    runtime = outhaul.Runtime("host", memory="1 MB")
    (
        outhaul.ones((200, 100), chunks=20)
        + outhaul.random.default_rng(1).random((200, 100), chunks=20)
    ).sum().compute(runtime)
    assert runtime.last.moved_bytes("load") == 0


def test_protocols(runtime, arrays):
    a, lazy = arrays[0], outhaul.from_array(arrays[0], 7)
    assert (
        lazy.__array_namespace__() is outhaul
        and lazy.__array_namespace__(api_version="2024.12") is outhaul
    )
    with pytest.raises(ValueError, match="2099.12 is not supported"):
        lazy.__array_namespace__(api_version="2099.12")
    with runtime:
        assert (
            float(lazy.sum()) == a.sum()
            and int(lazy[0, 0]) == a[0, 0]
            and complex(lazy[0, 0]) == a[0, 0]
        )
        assert (
            bool((lazy == lazy).all())
            and (3.0 in lazy) == (3.0 in a)
            and lazy[0].tolist() == a[0].tolist()
        )
        assert [list(map(float, row)) for row in lazy[:2]] == a[:2].tolist()
        assert list(range(10))[lazy.argmax(axis=0)[0] % 10] == a.argmax(axis=0)[0] % 10
        np.testing.assert_array_equal(np.from_dlpack(lazy), a)
        np.testing.assert_array_equal(np.asarray(lazy, dtype="f8"), a)
    with pytest.raises(ValueError, match="no memory to share"):
        np.asarray(lazy, copy=False)
    with pytest.raises(TypeError, match="is not an index"):
        [1, 2][lazy.sum()]


def test_html(arrays):
    text = outhaul.from_array(arrays[0], (7, 4))._repr_html_()
    assert "40 × 6" in text and "float32" in text and text.count("<line") == 5 + 1


def test_persist(runtime, arrays):
    calls = []
    kept = (
        outhaul.from_array(arrays[0], 7)
        .map(lambda part: calls.append(1) or part * 2)
        .persist(runtime)
    )
    counted = len(calls)
    np.testing.assert_array_equal((kept + kept).compute(runtime), arrays[0] * 4)
    assert len(calls) == counted


def test_indices_at_random(arrays):
    """Numbers, slices, new axes and index arrays beside one another, which have rules of their
    own."""
    values, drawn = np.arange(3 * 4 * 5 * 6).reshape(3, 4, 5, 6), np.random.default_rng(3)

    def part(n, shape):
        return [
            [int(drawn.integers(-n, n))],
            [slice(int(drawn.integers(-n, n)), None, int(drawn.choice([1, 2, -1])))],
            [None, slice(None)],
            [drawn.integers(-n, n, shape)],
        ][drawn.choice(4, p=[0.3, 0.3, 0.1, 0.3])]

    keys = []
    for _ in range(60):
        axes = values.shape[: drawn.integers(1, 5)]
        shape = [(2,), (3, 2), (1,)][drawn.integers(3)]
        key = [each for n in axes for each in part(n, shape)]
        keys.append((*key, *[Ellipsis] * (drawn.random() < 0.2)))
    lazy = outhaul.from_array(values, (2, 3, 2, 4))
    runtime = outhaul.Runtime("host", memory="1 MB")
    for key, made in zip(keys, outhaul.compute(*(lazy[key] for key in keys), runtime=runtime)):
        np.testing.assert_array_equal(made, values[key], err_msg=str(key))
