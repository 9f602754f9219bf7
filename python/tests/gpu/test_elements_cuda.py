"""Chains of functions of elements on CUDA devices: one generated kernel each, and NumPy's bits."""

import os
import sys

import numpy as np
import pytest

import outhaul
from outhaul.arrays import elementwise
from outhaul.subtasks import generated_kernels

sys.path.append(os.path.join(os.path.dirname(__file__), ".."))
import random_trees  # noqa: E402


@pytest.mark.parametrize(
    "seed",
    # Most of the time passes until the kernels are compiled.
    [0, 10, pytest.param(20, marks=pytest.mark.soak), pytest.param(30, marks=pytest.mark.soak)],
)
def test_chains_are_as_numpy_has_them(runtime, seed):
    for each in range(seed, seed + 10):
        random_trees.run(each, runtime)


@pytest.fixture
def no_other_kernel(monkeypatch):
    """Fails where functions are evaluated one by one."""

    def refuse(tree, inputs, out):
        raise AssertionError(f"{tree} has no kernel of its own")

    monkeypatch.setattr(elementwise, "evaluate_into", refuse)


CHAINS = {
    "arithmetic": lambda a, b: (a * 2 + 1) / 3 - b,
    "choices": lambda a, b: np.where((a > 0) & (b % 3 == 1), a, -1).clip(-2, 1) // 0.3,
    "functions": lambda a, b: np.sqrt(abs(a)) * np.floor(b / 7) ** 2 + np.rint(a * 10),
    "types": lambda a, b: (a.astype("f8") + b.astype("i2")).astype("f4"),
    "wrapped": lambda a, b: (a * 30).astype("u1") + (a * 1e5 - 2).astype("u8") % 251,
    "beyond": lambda a, b: (b.astype("u1") < 300) & (-1 < b.astype("u1")),
}


@pytest.mark.parametrize("name", CHAINS)
def test_a_chain_is_one_kernel(runtime, no_other_kernel, name):
    random = np.random.default_rng(3)
    a, b = random.standard_normal((300, 40)).astype("f4"), random.integers(-99, 99, (300, 40))
    lazy = CHAINS[name](outhaul.from_array(a, 100), outhaul.from_array(b, 100))
    before = generated_kernels.compiled.cache_info()
    np.testing.assert_array_equal(lazy.compute(runtime), CHAINS[name](a, b))
    after = generated_kernels.compiled.cache_info()
    assert after.misses == before.misses + 1 and after.hits >= before.hits + 2


def test_other_numbers_need_no_other_kernel(runtime, no_other_kernel):
    a = np.arange(10, dtype="f4")
    misses = []
    for number in (2, 3, 2.5):
        lazy = (outhaul.from_array(a) * number + 1) / number
        np.testing.assert_array_equal(lazy.compute(runtime), (a * number + 1) / number)
        misses.append(generated_kernels.compiled.cache_info().misses)
    assert len(set(misses)) == 1


def test_products_are_not_fused_into_sums(runtime, no_other_kernel):
    """Which would be more exact, and other numbers than NumPy's."""
    a, b, c = np.random.default_rng(4).standard_normal((3, 2000))
    lazy = [outhaul.from_array(each, 500) for each in (a, b, c)]
    np.testing.assert_array_equal((lazy[0] * lazy[1] + lazy[2]).compute(runtime), a * b + c)


def test_what_has_no_kernel_is_evaluated(runtime):
    a = np.arange(12).reshape(3, 4)
    lazy = outhaul.from_array(a)
    np.testing.assert_array_equal(
        (np.gcd(lazy, 6) + (lazy << 2)).compute(runtime), np.gcd(a, 6) + (a << 2)
    )
    wide = (lazy * 1j + 2).conj() * lazy
    np.testing.assert_array_equal(wide.compute(runtime), (a * 1j + 2).conj() * a)
