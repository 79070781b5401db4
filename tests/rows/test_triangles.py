"""A symmetric matrix and its upper triangle say the same, in the order of NumPy."""

import numpy as np
import pytest
from triangles import pack

from sdv_threea.rows.statistics import diagonal, mask, width_of


@pytest.mark.parametrize('width', [0, 1, 2, 7, 40])
@pytest.mark.parametrize('lead', [(), (3,)])
def test_triangles_are_those_of_numpy(width, lead):
    matrices = np.random.default_rng(width).normal(size=(*lead, width, width))
    matrices = matrices + matrices.swapaxes(-1, -2)
    rows, columns = np.triu_indices(width)

    packed = pack(matrices)

    np.testing.assert_array_equal(packed, matrices[..., rows, columns])
    assert width_of(packed) == width
    np.testing.assert_array_equal(diagonal(width), np.flatnonzero(rows == columns))


def test_a_mask_need_not_be_square():
    np.testing.assert_array_equal(mask(2, 4), np.triu(np.ones((2, 4), dtype=bool)))
