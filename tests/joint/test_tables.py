"""Noisy counts of columns and pairs to probabilities: against what is known, and raked."""

import math

import numpy as np
import pytest
from interactions import interact, make_interactions
from laws import make_dense

from sdv_threea.joint.interactions import Interactions
from sdv_threea.joint.joint_constants import JointConstants
from sdv_threea.joint.pairs import PairCounts
from sdv_threea.joint.tables import (
    complete,
    estimate_tables,
    find_filled,
    mutual_information,
    pool_margins,
    rake,
)

CONSTANTS = JointConstants()


def make_counts(tables, scale=0.0):
    return PairCounts(dict(tables), dict.fromkeys(tables, scale))


def estimate(pairs, margins, expected, *, ordered=False):
    return estimate_tables(pairs, margins, expected, [ordered] * len(margins), CONSTANTS)


def make_plain(rows, columns):
    """The table of independent columns."""
    return np.outer(rows, columns) / rows.sum()


# Empty bins


def test_empty_bins_are_told_from_filled_ones_where_noise_allows(rng):
    scale, truth = 20.0, make_dense(rng, 12, 12, 80_000.0)
    truth[rng.random(truth.shape) < 0.4] = 0
    expected = make_plain(truth.sum(axis=1), truth.sum(axis=0))
    counts = truth + rng.normal(0, scale, truth.shape)

    filled = find_filled(make_counts({(0, 1): counts}, scale), {(0, 1): expected})[0, 1]

    empty = filled[(truth == 0) & (expected > 10 * scale)]
    assert len(empty) > 20
    assert np.median(empty) < 0.25
    assert empty.mean() < 0.4
    assert np.median(filled[truth > 6 * scale]) > 0.99
    assert filled[truth > 6 * scale].mean() > 0.95


# All of it


def known_margins(tables, num_columns):
    margins = [None] * num_columns
    for (i, j), table in tables.items():
        margins[i], margins[j] = table.sum(axis=1), table.sum(axis=0)
    return margins


def plain_tables(tables, margins):
    return {(i, j): make_plain(margins[i], margins[j]) for i, j in tables}


def make_three_columns(rng):
    joint = rng.gamma(0.3, size=(4, 3, 5))
    joint *= 10_000 / joint.sum()
    return {(0, 1): joint.sum(axis=2), (0, 2): joint.sum(axis=1), (1, 2): joint.sum(axis=0)}


@pytest.mark.parametrize(
    ('scale', 'precision'), [(0.0, 1e-6), (1.0, 0.01), (80.0, 0.02), (1e6, 1.0)]
)
def test_tables_are_probabilities_with_their_margins_whatever_the_noise(rng, scale, precision):
    """Raking ends with the second columns; where noise is most of a table, the first are off."""
    for _ in range(10):
        truth = make_three_columns(rng)
        margins = known_margins(truth, 3)
        tables = {pair: each + rng.normal(0, scale, each.shape) for pair, each in truth.items()}

        found = estimate(make_counts(tables, scale), margins, plain_tables(tables, margins))

        for (i, j), table in found.items():
            assert (table >= 0).all()
            assert table.sum(axis=0) == pytest.approx(margins[j] / 10_000, abs=1e-6)
            assert table.sum(axis=1) == pytest.approx(margins[i] / 10_000, abs=precision)


def test_what_is_known_from_elsewhere_is_kept_where_counts_do_not_contradict_it(rng):
    scale, mine, raw = 40.0, 0.0, 0.0
    for _ in range(10):
        truth = {(0, 1): make_dense(rng, 10, 10, 50_000.0)}
        counts = truth[0, 1] + rng.normal(0, scale, (10, 10))
        pairs, margins = make_counts({(0, 1): counts}, scale), known_margins(truth, 2)
        found = estimate(pairs, margins, truth)
        mine += abs(found[0, 1] - truth[0, 1] / 50_000).sum()
        raw += abs(counts - truth[0, 1]).sum() / 50_000

    assert mine < 0.4 * raw


# Information


def test_information_is_that_of_the_definition(rng):
    table = rng.dirichlet(np.full(12, 0.5)).reshape(3, 4)
    table[1, 2] = 0
    table /= table.sum()

    expected = sum(
        table[a, b] * math.log(table[a, b] / table[a].sum() / table[:, b].sum())
        for a in range(3)
        for b in range(4)
        if table[a, b]
    )
    assert mutual_information(table) == pytest.approx(expected)


# Margins


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


# Raking


def test_raking_keeps_odds_ratios_and_empty_bins(rng):
    table = make_dense(rng, 4, 5)
    table[1, 2] = 0

    raked = rake(table, *(10_000 * rng.dirichlet(np.full(size, 9.0)) for size in table.shape))

    def odds(counts):
        return counts[2, 0] * counts[3, 4] / (counts[2, 4] * counts[3, 0])

    assert odds(raked) == pytest.approx(odds(table))
    assert raked[1, 2] == 0
    assert (raked > 0).sum() == 19
