"""A numerical target adapted to its loss: what is read, what it costs, what is fitted and drawn."""

import math
from dataclasses import replace

import numpy as np
import pytest
from chunked import chunk_arrays
from threadpoolctl import threadpool_limits

from sdv_threea.adapt.features import plan_interplay
from sdv_threea.adapt.fit import RADII
from sdv_threea.adapt.link_functions import Draws
from sdv_threea.adapt.regression import FEATURE_ENTRIES, Expectation, adapt_number
from sdv_threea.adapt.slopes import TARGET_UNITS
from sdv_threea.adapt.trees import (
    DEPTH,
    LEAF_DRAWS,
    LEAVES,
    NUM_TREES,
    RATE,
    UNITS_PER_SCORE,
    grow_trees,
)
from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.approximate.scores import normal_scores
from sdv_threea.constants import AdaptConstants
from sdv_threea.privacy.mechanism import discrete_gaussian
from sdv_threea.rows.records import Encoded

#: Codes of the columns and of the number, the missing value among them; the number is last.
SIZES = (5, 5, 5, 11)
CONSTANTS = AdaptConstants(most_features=0)
POOLED = normal_scores(
    [np.full((1, size), 1 / size) for size in SIZES], list(map(np.arange, SIZES)), 1
)
SCORES = np.append(0, np.rint(np.linspace(-2, 2, 10) * SCORE_UNITS)).astype(np.int64)


def make_records(num_rows, seed=0, *, alone=1.0, together=0.0, three=0.0):
    """Records whose number follows from one column alone, and from two, or three, together."""
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(1, size, num_rows) for size in SIZES], axis=1)
    first, second = (codes[:, 0] - 2.5) / 1.12, (codes[:, 1] - 2.5) / 1.12
    number = alone * first + together * first * second + rng.normal(0, 0.5, num_rows)
    number += three * np.sign(codes[:, :3] - 2.5).prod(axis=1)
    codes[:, 3] = 1 + np.clip(np.rint((number + 2) * 9 / 4), 0, 9)
    return Encoded(codes.astype(np.int64), np.zeros(num_rows, dtype=np.int64))


@pytest.fixture(scope='module')
def start():
    """What a density expects in which the number follows from nothing, and draws of it."""
    codes = make_records(2000, seed=1).codes
    codes[:, 3] = np.random.default_rng(2).permutation(codes[:, 3])
    draws = Draws(codes, np.zeros(2000, dtype=np.int64), np.full(2000, 10.0))
    ordered = (True, True, False, True)
    grown = codes, SCORES[codes[:, 3]], draws.weights, (0, 1, 2), SIZES, ordered
    return Expectation(3, SCORES, grow_trees(*grown, seed=0)), draws


def cut():
    return [np.append(-1, np.arange(size - 1)) for size in SIZES]


def fit(start, records, mu, neighbors='add_remove', constants=CONSTANTS):
    expectation, draws = start
    rows = chunk_arrays(records, 3000)
    known = cut(), cut(), (True, True, False, True), POOLED, None, constants
    terms = {'mu': mu, 'neighbors': neighbors, 'noise': discrete_gaussian}
    return adapt_number(rows, expectation, draws, *known, **terms)


def measure(found, records):
    """The share of the scores' variance that is explained."""
    own = SCORES[records.codes[:, 3]] * UNITS_PER_SCORE
    return 1 - np.var(own - found.expect(records.codes)) / np.var(own)


def test_what_columns_say_alone_and_together_is_found(start):
    records, fresh = make_records(20_000, together=0.7), make_records(5000, 3, together=0.7)
    private, _ = fit(start, records, 2.0)
    exact, _ = fit(start, records, math.inf)
    own = SCORES[fresh.codes[:, 3]]
    cells = fresh.codes[:, 0] * 5 + fresh.codes[:, 1]
    means = np.bincount(cells, own) / np.maximum(np.bincount(cells), 1)
    best = 1 - np.var(own - means[cells]) / np.var(own)

    assert measure(start[0], fresh) < 0.02
    assert measure(exact, fresh) > best - 0.02
    assert measure(private, fresh) > best - 0.05
    assert (0, 1) in {term.columns for term in private.terms}


def test_what_three_columns_say_together_is_found_by_features_alone(start):
    alone, constants = {'alone': 0.0, 'three': 1.0}, AdaptConstants()
    records, fresh = make_records(20_000, **alone), make_records(5000, 3, **alone)
    without, _ = fit(start, records, 2.0)
    found, receipts = fit(start, records, 2.0, constants=constants)
    exact, _ = fit(start, records, math.inf, constants=constants)

    assert without is None or measure(without, fresh) < 0.05
    assert measure(found, fresh) > 0.3
    assert measure(exact, fresh) > measure(found, fresh) - 0.02
    assert math.fsum(each.mu**2 for each in receipts) == pytest.approx(4)


def test_the_budget_may_carry_no_features(start):
    draws, constants = start[1], AdaptConstants()

    def plan(mu, scores=POOLED):
        known = mu * draws.weights.sum(), constants.number_features, FEATURE_ENTRIES, constants
        return plan_interplay(draws, scores, None, np.ones((2000, 1)), *known)

    assert plan(1e-4) is None
    assert plan(0.01).features.rank < 40
    assert plan(math.inf).features.rank > 60
    # Of a single column terms say all.
    single = tuple(own * (at == 0) for at, own in enumerate(POOLED.scores))
    assert plan(2.0, replace(POOLED, scores=single)) is None


@pytest.mark.parametrize('neighbors', ['add_remove', 'replace_one'])
@pytest.mark.parametrize('mu', [0.012, 2.0])
def test_receipts_add_up_to_the_price(start, mu, neighbors):
    _, receipts = fit(start, make_records(20_000), mu, neighbors)
    assert math.fsum(each.mu**2 for each in receipts) == pytest.approx(mu**2)
    assert len(receipts) == (3 if mu > 1 else 2)
    for each in receipts:
        assert each.stage == 'adapt' and each.charged and not each.delta
        assert 'slopes of the loss' in each.released
        sixteenths = each.sensitivity * RADII / (2 if neighbors == 'replace_one' else 1)
        assert sixteenths == pytest.approx(round(sixteenths))
        assert each.noise_scale >= each.sensitivity / each.mu


def test_what_trees_say_of_a_record_is_the_same_anywhere(start):
    trees, codes = start[0].trees, make_records(20_000, 6).codes
    codes[::7, 0], codes[::5, 2] = -1, -1
    whole = trees(codes)
    assert whole.dtype == np.int64
    assert (trees(codes[::-1])[::-1] == whole).all()
    assert [int(trees(codes[at : at + 1])[0]) for at in range(20)] == whole[:20].tolist()


def test_trees_are_those_that_were_grown():
    """Against scikit-learn's own predictions, on draws in which the number follows from columns."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    codes = make_records(2000, 7).codes
    weights, ordered = np.full(2000, 3.0), (True, True, True, True)
    grown = codes, SCORES[codes[:, 3]], weights, (0, 1, 2), SIZES, ordered
    trees = grow_trees(*grown, seed=0)
    with threadpool_limits(1, 'openmp'):
        same = HistGradientBoostingRegressor(
            max_iter=NUM_TREES,
            learning_rate=RATE,
            max_leaf_nodes=LEAVES,
            max_depth=DEPTH,
            min_samples_leaf=LEAF_DRAWS,
            early_stopping=False,
            random_state=0,
        ).fit(codes[:, :3] + 1, SCORES[codes[:, 3]] / SCORE_UNITS)
        told = same.predict(codes[:, :3] + 1)
    assert np.abs(trees(codes) / TARGET_UNITS - told).max() < (NUM_TREES + 1) / TARGET_UNITS
    assert np.var(told) > 0.3


@pytest.fixture(scope='module')
def adjusted(start):
    records = make_records(20_000, together=0.7)
    found, _ = fit(start, records, math.inf)
    codes = start[1].codes
    shares = np.bincount(records.codes[:, 3], minlength=11) / 20_000
    make = {
        alpha: found.adjusted(start[1], shares, alpha, CONSTANTS, np.random.default_rng(0))
        for alpha in (0.5, 1.0)
    }
    return make, shares, codes


def draw(model, codes, rng, wanted=None):
    """Draw numbers; return their codes, and the chances of wanted ones."""
    found, _, chances = model.draw(codes.copy(), np.zeros(len(codes), np.int64), wanted, rng)
    return found[:, model.expectation.target], chances


def test_numbers_are_as_frequent_as_released_and_follow_from_the_columns(adjusted):
    made, shares, codes = adjusted
    rng, explained = np.random.default_rng(1), []
    codes = np.tile(codes, (10, 1))
    for model in made.values():
        drawn = draw(model, codes, rng)[0]
        assert np.abs(np.bincount(drawn, minlength=11) / len(drawn) - shares).max() < 0.02
        expected = model.expectation.expect(codes)
        explained.append(np.corrcoef(SCORES[drawn], expected)[0, 1] ** 2)
    # The less the density counts, the surer the numbers.
    assert explained[0] > explained[1] + 0.02
    assert explained[1] == pytest.approx(
        np.var(made[1.0].expectation.expect(codes)) / np.var(SCORES[codes[:, 3]] * 16), abs=0.08
    )


def test_missing_numbers_stay_missing(adjusted):
    made, _, codes = adjusted
    codes = codes.copy()
    codes[::3, 3] = 0
    drawn, _ = draw(made[0.5], codes, np.random.default_rng(0))
    assert ((drawn == 0) == (codes[:, 3] == 0)).all()
    wanted = np.tile(np.arange(11) == 0, (len(codes), 1))
    _, chances = draw(made[0.5], codes, np.random.default_rng(0), wanted)
    assert (chances[codes[:, 3] == 0] == 1).all() and (chances[codes[:, 3] > 0] == 0).all()
