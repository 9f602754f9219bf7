"""Tiles of arrays in host memory, as GPUs copy them."""

import numpy as np
import pytest

from outhaul.backends.pitched_rows import rows_of


@pytest.mark.parametrize(
    "shape, tile, wanted",
    [
        ((6, 7, 8), np.s_[:5, :3, :4], None),
        ((6, 1, 7, 8), np.s_[:5, :, :3, :4], None),
        ((6, 1, 7, 8), np.s_[:5, :, :, :4], (35, 32, 64)),
        ((6, 7, 8), np.s_[2:3, 1:2, :4], (1, 32, 32)),
        ((6, 7, 8), np.s_[:, :3, :], (6, 192, 448)),
        ((6, 8), np.s_[::-1], None),
        ((1, 1), np.s_[:], (1, 8, 8)),
        ((0, 3), np.s_[:], (1, 0, 0)),
    ],
)
def test_rows_of_tiles(shape, tile, wanted):
    """A tile that a copy of rows would take for another would be filled with what lies beside
    it."""
    assert rows_of(np.zeros(shape)[tile]) == wanted
