"""Raked tables have the margins that they are to have, and keep everything else."""

import numpy as np
import pytest

from sdv_threea.joint.tables import rake


def make_dense(rng, rows, columns):
    """A table in which every bin is filled."""
    return 10_000 * rng.dirichlet(np.full(rows * columns, 2.0)).reshape(rows, columns) + 1


def test_raking_keeps_odds_ratios_and_empty_bins(rng):
    table = make_dense(rng, 4, 5)
    table[1, 2] = 0

    raked = rake(table, *(10_000 * rng.dirichlet(np.full(size, 9.0)) for size in table.shape))

    def odds(counts):
        return counts[2, 0] * counts[3, 4] / (counts[2, 4] * counts[3, 0])

    assert odds(raked) == pytest.approx(odds(table))
    assert raked[1, 2] == 0
    assert (raked > 0).sum() == 19
