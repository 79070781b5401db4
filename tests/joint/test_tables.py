"""Noisy counts of pairs to probabilities: against loops, and against noise that is known."""

import math

import numpy as np
import pytest
from laws import make_dense

from sdv_threea.joint.constants import JointConstants
from sdv_threea.joint.pairs import PairCounts
from sdv_threea.joint.tables import (
    estimate_tables,
    find_filled,
    mutual_information,
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
