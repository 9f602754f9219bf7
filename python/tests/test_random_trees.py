"""Random chains of functions of elements on pretended GPUs; gpu/test_elements_cuda.py has GPUs."""

import random_trees
import pytest


@pytest.mark.parametrize("seed", range(0, 100, 20))
def test_chains_are_as_numpy_has_them(runtime, seed):
    for each in range(seed, seed + 20):
        random_trees.run(each, runtime)
