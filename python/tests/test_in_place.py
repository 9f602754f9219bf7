"""Changes in place and views: what NumPy's arrays would have afterwards."""

import numpy as np
import pytest
import random_views

import outhaul


def two_names(xp, a):
    b = a
    b += 1
    return a


def parameter(xp, a):
    def center(x):
        x -= x.mean()

    center(a)
    return a


def slices(xp, a):
    v = a[:2]
    v[:] = 9
    return a


def rows_of_rows(xp, a):
    a[0][1] = 7
    return a


def rows(xp, a):
    for row in a:
        row *= 2
    return a


def transposed(xp, a):
    a.T[0, 1] = 5
    return a


def views_of_views(xp, a):
    v = a[1:].T[::-1]
    w = v.reshape(-1)  # a copy: these elements are not side by side
    flat = a.ravel()
    flat[3] = 100
    v[0] -= a[1:, -1]
    w += 1
    return xp.concatenate([a.ravel(), v.ravel(), w, flat])


def old_expressions(xp, a):
    before = a * 2
    a[...] = 0
    return before + a


def overlapping(xp, a):
    a[1:] = a[:-1]
    a[:, 1:] += a[:, :-1]
    return a


def numbers(xp, a):
    x = first = a[0, 0]
    x += 5
    for value in a[1]:
        value += 1
    return xp.stack([x, first, a[0, 0], a[1, 0]])


def copies(xp, a):
    kept = [a.copy(), a[[0, 1]], a[a > 2], a.flatten(), a.astype(a.dtype), xp.array(a), a + 0]
    a += 1
    return xp.concatenate([each.ravel() for each in kept])


def several_values(xp, a):
    a[a > 4] = xp.arange(int((a > 4).sum())) * 10
    a[[0, 1, 0], [1, 1, 1]] = [5, 6, 7]
    a[:, [0, 2]] = a[:, [2, 0]]
    a[[True, False, True]] *= 3
    return a


def flat(xp, a):
    a.flat[4] = 50
    a.flat[-2:] = 60
    a[0].fill(3)
    return a


def given_results(xp, a):
    np.add(a, 1, out=a)
    xp.multiply(a, a, out=a[:])
    a.T.sort()
    return a


IDIOMS = [
    two_names,
    parameter,
    slices,
    rows_of_rows,
    rows,
    transposed,
    views_of_views,
    old_expressions,
    overlapping,
    numbers,
    copies,
    several_values,
    flat,
    given_results,
]


@pytest.mark.parametrize("cut", [None, 2, (1, 3)])
@pytest.mark.parametrize("idiom", IDIOMS)
def test_idioms(runtime, idiom, cut):
    values = np.random.default_rng(1).permutation(12).astype("f8").reshape(3, 4)
    with runtime:
        made = np.asarray(idiom(outhaul, outhaul.from_array(values.copy(), cut)))
    np.testing.assert_array_equal(made, idiom(np, values.copy()))


def test_random_programs_of_views_and_changes():
    random_views.run(range(250))


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


@pytest.mark.parametrize(
    "wrong", [add_floats, add_rows, write_a_broadcast, write_a_number, sequence]
)
def test_what_numpy_refuses(runtime, wrong):
    values = np.arange(12).reshape(3, 4)
    lazy = outhaul.from_array(values.copy(), 2)
    with runtime:
        error, wanted = refused(wrong, lazy), refused(wrong, values)
    assert isinstance(error, type(wanted).__mro__[-3]), (error, wanted)
    np.testing.assert_array_equal(lazy.compute(runtime), values)


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
