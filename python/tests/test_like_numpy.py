"""Programs that look like NumPy's: the same results from lazy arrays, however they are cut."""

import numpy_cases
import pytest


@pytest.mark.parametrize("noun", numpy_cases.NOUNS)
@pytest.mark.parametrize("cut", numpy_cases.ROWS)
def test_like_numpy(runtime, noun, cut):
    numpy_cases.check(noun, numpy_cases.ROWS[cut], runtime)
