"""Lazy arrays where NumPy's are expected: the same results, or an error that says why not."""

import operator

import numpy as np
import pytest

import outhaul

PAIRS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "le", "eq", "ne", "gt", "ge"]


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


@pytest.mark.parametrize("f", [np.sqrt, np.exp, np.isnan, np.negative, operator.neg, abs, operator.invert])
def test_functions_of_elements(runtime, arrays, f):
    values = arrays[1] if f is operator.invert else arrays[0]
    result = f(outhaul.from_array(values, 7))
    assert result.dtype == f(values).dtype
    np.testing.assert_allclose(result.compute(runtime), f(values), rtol=1e-6)


def test_types_are_numpys(runtime, arrays):
    a, b = arrays
    lazy = outhaul.from_array(a, 7)
    for made, wanted in (((lazy + 1), a + 1), (lazy + np.float64(1), a + np.float64(1)), (lazy.astype("i2"), a.astype("i2")), (2 ** lazy, 2**a)):
        assert made.dtype == wanted.dtype
        np.testing.assert_array_equal(made.compute(runtime), wanted)
    whole = (lazy * 2 - outhaul.from_array(b, 7) / 3 > 1.5) & (lazy < 6)
    np.testing.assert_array_equal(whole.compute(runtime), (a * 2 - b / 3 > 1.5) & (a < 6))


def test_what_is_not_there_says_so(arrays):
    lazy = outhaul.from_array(arrays[0], 7)
    with pytest.raises(outhaul.GraphError, match=r"add: \[40, 6\] beside \[7\] do not broadcast"):
        lazy + np.ones(7)
    with pytest.raises(TypeError, match=r"np.divide.reduce of a lazy array is not there; a.map\(f\)"):
        np.divide.reduce(lazy)
    with pytest.raises(TypeError, match="numpy.median of a lazy array is not there"):
        np.median(lazy)
    with pytest.raises(TypeError, match="out= beside a lazy array"):
        np.add(lazy, 1, out=arrays[0])
    with pytest.raises(ValueError, match="choose an element"):
        bool(lazy == lazy)
    with pytest.raises(TypeError, match="a lazy array is a value"):
        lazy[0] = 1
