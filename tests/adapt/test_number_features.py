"""Features of a kernel beside the terms of a number: what is read, what it costs, what is found."""

import math
from dataclasses import replace

import numpy as np
import pytest
from chunked import chunk_arrays

from sdv_threea.adapt.features import plan_interplay
from sdv_threea.adapt.links import Draws
from sdv_threea.adapt.numbers import FEATURE_ENTRIES, Expectation, adapt_number
from sdv_threea.adapt.trees import UNITS_PER_SCORE, grow_trees
from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.approximate.scores import normal_scores
from sdv_threea.constants import AdaptConstants
from sdv_threea.privacy.mechanism import discrete_gaussian
from sdv_threea.rows.records import Encoded

#: Eight codes of each column, and of the number; code 0 is the missing value, and the number last.
SIZES, TARGET = (9,) * 5, 4
ORDERED = (True,) * 5
CONSTANTS = AdaptConstants()
SCORES = np.append(0, np.rint(np.linspace(-2, 2, 8) * SCORE_UNITS)).astype(np.int64)


def make_records(num_rows, seed=0, *, follows=True):
    """Records whose number follows from the product of three columns: no two say anything of it."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(1, 9, (num_rows, 5))
    signs = np.sign(codes[:, :3] - 4.5).prod(axis=1)
    number = follows * signs + rng.normal(0, 0.4, num_rows)
    codes[:, TARGET] = 1 + np.clip(np.rint((number + 2) * 7 / 4), 0, 7)
    return Encoded(codes, np.zeros(num_rows, dtype=np.int64))


@pytest.fixture(scope='module')
def pooled():
    shares = np.append(0, np.full(8, 1 / 8))[None]
    return normal_scores((shares,) * 5, (np.arange(9),) * 5, 1)


@pytest.fixture(scope='module')
def start():
    """What a density expects in which the number follows from nothing, and draws of it."""
    codes = make_records(2000, seed=1, follows=False).codes
    draws = Draws(codes, np.zeros(2000, dtype=np.int64), np.full(2000, 10.0))
    grown = codes, SCORES[codes[:, TARGET]], draws.weights, (0, 1, 2, 3), SIZES, ORDERED
    return Expectation(TARGET, SCORES, grow_trees(*grown, seed=0)), draws


def fit(start, records, pooled, mu, neighbors='add_remove', constants=CONSTANTS):
    expectation, draws = start
    bins = [np.append(-1, np.arange(8))] * 5
    known = bins, bins, ORDERED, pooled, None, constants
    terms = {'mu': mu, 'neighbors': neighbors, 'noise': discrete_gaussian}
    return adapt_number(chunk_arrays(records, 3000), expectation, draws, *known, **terms)


def measure(found, records):
    """The share of the scores' variance that is explained."""
    own = SCORES[records.codes[:, TARGET]] * UNITS_PER_SCORE
    return 1 - np.var(own - found.expect(records.codes)) / np.var(own)


def test_what_three_columns_say_together_is_found_by_features_alone(start, pooled):
    records, fresh = make_records(20_000), make_records(5000, 3)
    without, _ = fit(start, records, pooled, 2.0, constants=AdaptConstants(most_features=0))
    found, receipts = fit(start, records, pooled, 2.0)
    exact, _ = fit(start, records, pooled, math.inf)

    assert without is None or measure(without, fresh) < 0.05
    assert measure(found, fresh) > 0.3
    assert measure(exact, fresh) > measure(found, fresh) - 0.02
    assert math.fsum(each.mu**2 for each in receipts) == pytest.approx(4)


def test_the_budget_may_carry_no_features(start, pooled):
    draws, squares = start[1], np.ones((2000, 1))

    def plan(mu, scores=pooled):
        known = mu * draws.weights.sum(), CONSTANTS.number_features, FEATURE_ENTRIES, CONSTANTS
        return plan_interplay(draws, scores, None, squares, *known)

    assert plan(1e-4) is None
    assert plan(0.01).features.rank < 40
    assert plan(math.inf).features.rank > 100
    # Of a single column terms say all.
    alone = tuple(own * (at == 0) for at, own in enumerate(pooled.scores))
    assert plan(2.0, replace(pooled, scores=alone)) is None
