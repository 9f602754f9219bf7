"""Changes in place and views: what NumPy's arrays would have afterwards."""

import numpy as np
import pytest
import random_views
from idioms import IDIOMS

import outhaul


@pytest.mark.parametrize("cut", [None, 2, (1, 3)])
@pytest.mark.parametrize("idiom", IDIOMS)
def test_idioms(runtime, idiom, cut):
    values = np.random.default_rng(1).permutation(12).astype("f8").reshape(3, 4)
    with runtime:
        made = np.asarray(idiom(outhaul, outhaul.from_array(values.copy(), cut)))
    np.testing.assert_array_equal(made, idiom(np, values.copy()))


def test_random_programs_of_views_and_changes():
    random_views.run(range(150))


@pytest.mark.soak
def test_many_random_programs_of_views_and_changes():
    random_views.run(range(1000, 11_000))


def refused(f, array):
    with pytest.raises(Exception) as caught:
        f(array)
    return caught.value


def add_floats(a):
    a += 0.5


def add_rows(a):
    a += np.ones((2, 3, 4), int)


def write_a_broadcast(a):
    np.broadcast_to(a, (2, 3, 4))[0] = 1


def write_a_number(a):
    a[0, 0][...] = 1
    a.sum()[()] = 1


def sequence(a):
    a[0, 0] = [1]


def number_beyond_the_type(a):
    a[0, 0] = 2**63


def list_beyond_the_type(a):
    a[0, :2] = [-(2**63) - 1, 1]


def fill_beyond_the_type(a):
    a.fill(2**64)


def nan_as_an_integer(a):
    a[0] = np.nan


def infinity_as_an_integer(a):
    a[a > 3] = np.inf


def complex_as_an_integer(a):
    a[[0, 1]] = 1j


@pytest.mark.parametrize(
    "wrong",
    [
        add_floats,
        add_rows,
        write_a_broadcast,
        write_a_number,
        sequence,
        number_beyond_the_type,
        list_beyond_the_type,
        fill_beyond_the_type,
        nan_as_an_integer,
        infinity_as_an_integer,
        complex_as_an_integer,
    ],
)
def test_what_numpy_refuses(runtime, wrong):
    values = np.arange(12).reshape(3, 4)
    lazy = outhaul.from_array(values.copy(), 2)
    with runtime:
        error, wanted = refused(wrong, lazy), refused(wrong, values)
    assert isinstance(error, type(wanted).__mro__[-3]), (error, wanted)
    np.testing.assert_array_equal(lazy.compute(runtime), values)


@pytest.mark.parametrize("number", [256, -1, [1, 300], np.int64(300), np.array([300, -1])], ids=str)
def test_bytes(runtime, number):
    """Python's numbers must fit, those of arrays wrap around."""
    results = []
    for xp in (np, outhaul):
        for put in ("[:2] =", "[[0, 2]] =", ".flat[:2] ="):
            with runtime:
                a = xp.asarray(np.arange(3, dtype="u1"))
                try:
                    exec(f"a{put} number", {"a": a, "number": number})
                except OverflowError as error:
                    results.append(str(error))
                else:
                    results.append(np.asarray(a).tolist())
    assert results[:3] == results[3:]


@pytest.mark.parametrize(
    "key",
    [
        np.s_[:, np.array([True, False, True])],
        np.s_[[True, False]],
        np.s_[..., [True] * 5],
        np.s_[1, [True, False, True]],
        np.s_[np.ones((3, 3), bool)],
        np.s_[np.ones((4, 3), bool)],
        np.s_[[0, 3]],
        np.s_[:, [-5]],
        np.s_[[0, 1], [4, 0]],
        np.s_[3, 0],
    ],
    ids=str,
)
def test_indices_that_do_not_fit(runtime, key):
    """Masks of another length and integers out of range, wherever they are in an index."""
    values = np.arange(12).reshape(3, 4)
    lazy = outhaul.from_array(values.copy(), (2, 3))
    for f in (lambda a: a[key], lambda a: a.__setitem__(key, 1)):
        with runtime:
            assert isinstance(refused(f, lazy), IndexError)
            assert isinstance(refused(f, values), IndexError)


def test_lists_of_truth_values_are_masks(runtime):
    values = np.arange(12).reshape(3, 4)
    lazy = outhaul.from_array(values, (2, 3))
    for key in ([True, False, True], np.s_[:, [True, False, True, True]], (0, [False] * 4)):
        np.testing.assert_array_equal(lazy[key].compute(runtime), values[key])
