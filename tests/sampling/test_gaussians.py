"""Draws where each row meets a condition of its own: the law is that of rejection."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, ks_2samp

from sdv_threea.approximate.mixture import Mixture
from sdv_threea.approximate.scores import normal_scores
from sdv_threea.sampling.asked import CodeCondition, RowConditions, cut_pools, pick
from sdv_threea.sampling.gaussians import draw_within, find_codes

#: A false alarm less than once in a million runs, were they not seeded.
ALARM = 1e-7

SIZES, WIDTH, CLASSES = (5, 4, 6, 3), 4, 3
NUM_ROWS = 6_000


@pytest.fixture(scope='module')
def density():
    rng = np.random.default_rng(7)
    roots = rng.normal(size=(CLASSES, 2, WIDTH, WIDTH))
    covariances = roots @ np.swapaxes(roots, 2, 3) / WIDTH + 0.2 * np.eye(WIDTH)
    means = rng.normal(size=(CLASSES, 2, WIDTH))
    mixture = Mixture(rng.uniform(1, 9, (CLASSES, 2)), means, covariances)
    histograms = tuple(rng.dirichlet(np.ones(size), CLASSES) for size in SIZES)
    orders = tuple(rng.permutation(size) for size in SIZES)
    return mixture, normal_scores(histograms, orders, CLASSES)


@pytest.fixture(scope='module')
def population(density):
    mixture, scores = density
    classes, quantiles = mixture.sample(300_000, np.random.default_rng(3))
    return classes, quantiles, find_codes(scores, quantiles, classes)


def make_asked(columns, mine):
    """Rows that are mine ask for these codes, and the others each time for another."""
    asked = {}
    for at, codes in columns.items():
        size = SIZES[at]
        mask = np.isin(np.arange(size), codes)[None]
        own = np.arange(len(mine)) // 2 % size
        own[mine] = codes if isinstance(codes, int) else -1
        asked[at] = CodeCondition(own, mask, np.ones((CLASSES, size), dtype=bool))
    return asked


@pytest.mark.parametrize(
    ('columns', 'classes'),
    [
        ({1: 2}, [0, 1, 2]), ({2: [0, 3, 4]}, [0, 1, 2]), ({0: 1, 2: 4}, [0, 2]),
        ({0: [0, 2, 3], 1: 1, 3: [0, 2]}, [0, 1, 2]), ({}, [1]),
    ],
    ids=str,
)  # fmt: skip
def test_each_row_has_the_law_of_its_own_condition(density, population, rng, columns, classes):
    mixture, scores = density
    mine = np.arange(NUM_ROWS) % 2 == 0
    asked = make_asked(columns, mine)
    allowed = np.ones((NUM_ROWS, CLASSES), dtype=bool)
    allowed[mine] = np.isin(np.arange(CLASSES), classes)

    own_classes, own = draw_within(mixture, scores, RowConditions(asked, allowed), rng)

    codes = find_codes(scores, own, own_classes)
    for at, each in asked.items():
        assert np.array_equal(codes[~mine, at], each.codes[~mine])
        assert np.isin(codes[mine, at], columns[at]).all()
    all_classes, quantiles, all_codes = population
    kept = np.isin(all_classes, classes)
    for at, wanted in columns.items():
        kept &= np.isin(all_codes[:, at], wanted)
    counts = [
        np.bincount(each, minlength=CLASSES)[classes]
        for each in (all_classes[kept], own_classes[mine])
    ]
    assert len(classes) == 1 or chi2_contingency(counts).pvalue > ALARM
    for at in range(WIDTH):
        assert ks_2samp(quantiles[kept, at], own[mine, at]).pvalue > ALARM
    expected, found = np.corrcoef(quantiles[kept].T), np.corrcoef(own[mine].T)
    assert np.abs(expected - found).max() < 6 / np.sqrt(min(kept.sum(), mine.sum()))


def test_groups_are_whole_and_draws_have_room():
    rng = np.random.default_rng(1)
    keys = [rng.integers(0, 40, 5_000), rng.integers(0, 3, 5_000)]
    pools = list(cut_pools(keys, 5_000, 30, 400, (10, 2)))

    assert np.array_equal(np.sort(np.concatenate([each.rows for each in pools])), np.arange(5_000))
    for each in pools:
        group = np.repeat(each.first, each.counts)
        assert all(np.array_equal(key[each.rows], key[group]) for key in keys)
        assert each.counts.max() <= 30
        assert np.maximum(10, 2 * each.counts).sum() <= 2 * 400


def test_records_are_picked_from_their_pool_by_weight(rng):
    pool = np.repeat([0, 1, 2], [2, 3, 1])
    weights = np.array([1.0, 3.0, 0.0, 1e-300, 0.0, 7.0])
    counts = np.array([40_000, 100, 5])

    found = pick(weights, pool, counts, rng)

    assert np.array_equal(pool[found], np.repeat([0, 1, 2], counts))
    assert abs(np.mean(found[:40_000] == 1) - 0.75) < 0.012
    assert (found[40_000:40_100] == 3).all()
