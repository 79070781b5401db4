"""Counts of single columns, and interactions that are given them: against what is known."""

import math

import numpy as np
import pytest
from interactions import interact, make_interactions
from laws import make_dense

from sdv_threea.joint.interactions import Interactions
from sdv_threea.joint.tables import complete, pool_margins


def test_margins_weigh_both_that_is_known_of_a_column_by_precision(rng):
    scale, variances = 5.0, [rng.uniform(10, 1_000, size) for size in (3, 4)]
    counts = [1_000 * rng.dirichlet(np.full(size, 50.0)) for size in (3, 4)]
    again = interact(counts[0] + rng.normal(0, scale, 3))
    released = Interactions({(0,): again}, {(0,): scale})

    margins = pool_margins(list(zip(counts, variances, strict=True)), released, 1_000)

    found = [(counts[0], variances[0]), (again + 1_000 / 3, scale**2)]
    mean = sum(each / variance for each, variance in found) / sum(1 / each for _, each in found)
    assert np.ptp(margins[0] - mean) == pytest.approx(0, abs=1e-9) or (margins[0] == 0).any()
    assert margins[1] == pytest.approx(counts[1])  # nothing more is known of it


@pytest.mark.parametrize('scale', [0.0, 1.0, 1e3, 1e7])
def test_margins_are_counts_of_all_records_whatever_the_noise(rng, scale):
    for _ in range(50):
        sizes = rng.integers(1, 9, 3)
        known = [(rng.normal(0, 100, size), np.full(size, scale**2)) for size in sizes]
        tables = {(at,): rng.normal(0, scale, sizes[at]) for at in range(3)}

        for margin in pool_margins(known, make_interactions(tables, scale), 1_234.5):
            assert (margin >= 0).all()
            assert margin.sum() == pytest.approx(1_234.5)


@pytest.mark.parametrize('scale', [0.0, 30.0])
def test_interactions_with_their_margins_are_the_counts(rng, scale):
    table = np.rint(make_dense(rng, 6, 4))
    table[0, :3] = 0
    total, margins = table.sum(), [table.sum(axis=1), table.sum(axis=0)]
    released = make_interactions({(0,): margins[0], (0, 1): table}, scale)

    found = complete(released, margins, total)

    assert found.scales == {(0, 1): scale}
    assert found.tables[0, 1] == pytest.approx(table)
    if not scale:  # so empty bins are empty
        assert np.array_equal(found.tables[0, 1], table)


def test_noise_of_an_interaction_is_that_of_the_counts_made_of_it(rng):
    """Margins that are known exactly stay so."""
    table, scale = make_dense(rng, 5, 7), 20.0
    margins = [table.sum(axis=1), table.sum(axis=0)]
    released = make_interactions({(0, 1): table + rng.normal(0, scale, (5, 7))}, scale)
    counts = complete(released, margins, table.sum()).tables[0, 1]

    assert counts.sum(axis=1) == pytest.approx(margins[0])
    assert counts.sum(axis=0) == pytest.approx(margins[1])
    assert np.square(counts - table).sum() / scale**2 == pytest.approx(24, abs=4 * math.sqrt(48))
