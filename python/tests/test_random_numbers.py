"""Random arrays: the generator's known answers, the same numbers however they are cut, and the
right distributions."""

import numpy as np
import pytest

import outhaul
from outhaul.random.philox import words

# From the known answers that come with Random123, for Philox 4x32-10: counters, keys, words.
KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@pytest.mark.parametrize("counters, keys, wanted", KNOWN)
def test_known_answers(counters, keys, wanted):
    assert tuple(int(word) for word in words(counters, keys)) == wanted


DRAWS = {
    "random": lambda g, **k: g.random((60, 40), **k),
    "float32": lambda g, **k: g.random((60, 40), dtype="f4", **k),
    "normal": lambda g, **k: g.normal(3, 2, (60, 40), **k),
    "exponential": lambda g, **k: g.exponential(2, (60, 40), **k),
    "integers": lambda g, **k: g.integers(-3, 4, (60, 40), **k),
    "bytes": lambda g, **k: g.integers(0, 255, (60, 40), dtype="u1", endpoint=True, **k),
}


@pytest.mark.parametrize("draw", DRAWS)
def test_the_same_however_cut(runtime, draw):
    drawn = [
        DRAWS[draw](outhaul.random.default_rng(5), chunks=chunks).compute(runtime)
        for chunks in (None, 7, (11, 13))
    ]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    np.testing.assert_array_equal(drawn[0], drawn[2])
    assert (drawn[0] != DRAWS[draw](outhaul.random.default_rng(6)).compute(runtime)).any()


def test_one_draw_is_not_the_next(runtime):
    generator = outhaul.random.default_rng(5)
    first, second = (generator.random((30, 20)).compute(runtime) for _ in range(2))
    assert not (first == second).any()


def test_distributions(runtime):
    """A million numbers of a fixed seed, within six standard errors."""
    runtime = outhaul.Runtime("host", memory="100 MB")
    generator, n = outhaul.random.default_rng(9), 1_000_000
    uniform, normal, whole = (
        generator.random(n).compute(runtime),
        generator.standard_normal(n).compute(runtime),
        generator.integers(-3, 4, n).compute(runtime),
    )
    assert (
        abs(uniform.mean() - 0.5) < 6 * np.sqrt(1 / 12 / n)
        and 0 <= uniform.min()
        and uniform.max() < 1
    )
    assert abs(normal.mean()) < 6 / np.sqrt(n) and abs(normal.var() - 1) < 6 * np.sqrt(2 / n)
    counts = np.bincount(whole + 3, minlength=7)
    assert len(counts) == 7 and abs(counts - n / 7).max() < 6 * np.sqrt(n / 7)


def test_what_no_type_holds():
    with pytest.raises(ValueError, match="no number in the range of uint8"):
        outhaul.random.default_rng(1).integers(0, 300, 4, dtype="u1")
