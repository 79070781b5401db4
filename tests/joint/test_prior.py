"""The tables that normal scores alone give, against integrals of the bivariate normal."""

from itertools import combinations

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import multivariate_normal

from sdv_threea.approximate.scores import normal_scores
from sdv_threea.joint.prior import expect_tables

#: Codes in no bin, bins that are no intervals in the order, and codes without probability.
BINS = [np.array([0, 1, 1, 2, -1]), np.array([1, 0, 1]), np.array([0, 0, 1, 2, 3, 3])]
SIZES = [3, 2, 4]
ORDERS = (np.arange(5), np.array([2, 0, 1]), np.array([5, 3, 4, 0, 1, 2]))
TOTALS = np.array([700.0, 300.0])


@pytest.fixture(scope='module')
def histograms():
    rng = np.random.default_rng(8)
    tables = [rng.dirichlet(np.ones(len(order)), 2) for order in ORDERS]
    tables[2][0, 3] = 0
    return tuple(table / table.sum(axis=1, keepdims=True) for table in tables)


def correlate(*pairs):
    """Correlations by class, each of (0, 1), (0, 2), (1, 2)."""
    found = np.tile(np.eye(3), (len(pairs), 1, 1))
    for matrix, (first, second, third) in zip(found, pairs, strict=True):
        matrix[[0, 1], [1, 0]] = first
        matrix[[0, 2], [2, 0]] = second
        matrix[[1, 2], [2, 1]] = third
    return found


def integrate(histograms, correlations):
    """Integrate the normal over each rectangle of codes, and add up by bin."""
    tables = {}
    for i, j in combinations(range(len(BINS)), 2):
        table = np.zeros((SIZES[i], SIZES[j]))
        for label, total in enumerate(TOTALS):
            cuts = [
                np.append(0, np.cumsum(histograms[at][label][ORDERS[at]])).clip(0, 1)
                for at in (i, j)
            ]
            ends = np.stack(np.meshgrid(*(np.clip(ndtri(c), -9, 9) for c in cuts), indexing='ij'))
            normal = multivariate_normal([0, 0], correlations[label][np.ix_([i, j], [i, j])])
            passed = np.apply_along_axis(normal.cdf, 0, ends.reshape(2, -1)).reshape(ends.shape[1:])
            mass = np.diff(np.diff(passed, axis=0), axis=1)
            for a, one in enumerate(ORDERS[i]):
                for b, other in enumerate(ORDERS[j]):
                    if BINS[i][one] >= 0 and BINS[j][other] >= 0:
                        table[BINS[i][one], BINS[j][other]] += total * mass[a, b]
        tables[i, j] = table
    return tables


def expect(histograms, correlations):
    scores = normal_scores(histograms, ORDERS, 2)
    return expect_tables(TOTALS, scores, correlations, BINS)


@pytest.mark.parametrize(
    ('correlations', 'precision'),
    [
        (correlate((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), 1e-5),
        (correlate((0.3, -0.5, 0.1), (-0.2, 0.0, 0.6)), 1e-5),
        (correlate((0.8, -0.8, -0.7), (0.5, 0.8, 0.8)), 1e-4),
        (correlate((0.97, 0.97, 0.97), (-0.95, 0.95, -0.95)), 0.02),
    ],
)
def test_tables_are_those_of_the_normal_distributions_of_all_classes(
    histograms, correlations, precision
):
    tables = expect(histograms, correlations)

    expected = integrate(histograms, correlations)
    assert tables.keys() == expected.keys()
    for pair, table in tables.items():
        assert (table >= 0).all()
        assert table / 1_000 == pytest.approx(expected[pair] / 1_000, abs=precision)
