"""Labels adapted to the classifier's loss: what is released, what it costs, what is fitted."""

from __future__ import annotations

import math

import cloudpickle
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from sdv_threea.accounting import Receipt
from sdv_threea.adapt import labels as labels_module
from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.evidence import EVIDENCE_UNITS, weigh_evidence
from sdv_threea.adapt.features import FEATURE_UNITS, whole_features
from sdv_threea.adapt.fit import Draws, Fit
from sdv_threea.adapt.labels import adapt_labels, num_draws, plan_features
from sdv_threea.adapt.model import LabelModel
from sdv_threea.adapt.slopes import slope_sensitivity
from sdv_threea.approximate import moments as moments_module
from sdv_threea.approximate.moments import constant_weight
from sdv_threea.approximate.scores import normal_scores
from sdv_threea.encoding.records import Encoded
from sdv_threea.maths.triangles import pack
from sdv_threea.privacy.mechanism import discrete_gaussian
from sdv_threea.privacy.rows import Rows, chunk_arrays
from sdv_threea.privacy.statistics import moment_sensitivity

NUM_CODES = 5


def no_noise(size, scale):
    return np.zeros(size, dtype=np.int64)


def make_task(num_rows=20_000, seed=0):
    """A table whose columns repeat each other: evidence counts for less than it says."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(num_rows) < 0.3).astype(np.int64)
    one = np.clip(rng.normal(2 + labels, 1), 0, 4).round().astype(np.int64)
    codes = np.stack(
        [one, np.where(rng.random(num_rows) < 0.8, one, 2), rng.integers(0, 3, num_rows)]
    )
    return Encoded(codes.T, labels)


def make_xor(num_rows=20_000, seed=0):
    """A table of which no column says anything, and two together all."""
    rng = np.random.default_rng(seed)
    codes = rng.choice([0, 1, 3, 4], (num_rows, 3))
    return Encoded(codes, ((codes[:, 0] > 2) ^ (codes[:, 1] > 2)).astype(np.int64))


def weigh(records):
    totals = np.bincount(records.labels).astype(np.float64)
    tables = []
    for column in records.codes.T:
        counts = [np.bincount(column[records.labels == at], minlength=NUM_CODES) for at in (0, 1)]
        tables.append(np.stack(counts) / totals[:, None])
    return weigh_evidence(tables, totals, AdaptConstants())


def score(records):
    """The normal scores of codes among all classes."""
    tables = [np.bincount(column, minlength=NUM_CODES) for column in records.codes.T]
    chances = [table[None] / len(records.codes) for table in tables]
    return normal_scores(chances, [np.arange(NUM_CODES)] * len(tables), 1)


def draw_independent(records, rng, size=4000):
    """Draw columns independently in each class: the evidence looks better than it is."""
    labels = rng.integers(0, 2, size)
    codes = np.empty((size, records.codes.shape[1]), dtype=np.int64)
    for label in (0, 1):
        own, theirs = np.flatnonzero(labels == label), records.codes[records.labels == label]
        for at, column in enumerate(theirs.T):
            codes[own, at] = rng.choice(column, len(own))
    weights = np.bincount(records.labels) / np.bincount(labels)
    return Draws(codes, labels, weights[labels])


def plan(records, draws, mu, constants, kernel=None):
    totals = np.bincount(records.labels).astype(np.float64)
    known = weigh(records), draws, totals, score(records)
    return plan_features(*known, kernel, mu, constants)


def fit(
    records,
    mu,
    *,
    together=False,
    kernel=None,
    private=None,
    noise=discrete_gaussian,
    neighbors='add_remove',
    **constants,
):
    """Fit to private rows, with all that was released before made of ``records``."""
    draws, chosen = draw_independent(records, np.random.default_rng(0)), AdaptConstants(**constants)
    features = plan(records, draws, mu, chosen, kernel) if together else None
    assert together == (features is not None)
    rows = chunk_arrays(records if private is None else private, chunk_rows=3000)
    terms = {'mu': mu, 'neighbors': neighbors, 'noise': noise}
    return adapt_labels(rows, weigh(records), draws, score(records), features, chosen, **terms)


def measure_auc(model, records):
    return roc_auc_score(records.labels, model.log_odds(records.codes)[:, 1])


def measure_loss(chances, labels):
    return -np.log(chances[np.arange(len(labels)), labels]).mean()


def squared_distance(first, second):
    return jnp.sum((first[:, None] - second[None]) ** 2, axis=-1)


def test_without_noise_it_comes_close_to_a_logistic_regression():
    records, fresh = make_task(), make_task(seed=1)
    tables = [each[0] for each in weigh(records)]
    alone = tuple(np.stack([0 * each, each]) / EVIDENCE_UNITS for each in tables)
    naive = LabelModel(np.log(np.bincount(records.labels)), alone)
    ours, _ = fit(records, math.inf)
    inputs, theirs = (
        np.stack([t[c] for t, c in zip(tables, each.codes.T, strict=True)], axis=1) / EVIDENCE_UNITS
        for each in (records, fresh)
    )
    oracle = LogisticRegression(C=1e3).fit(inputs, records.labels).predict_proba(theirs)
    losses = [
        measure_loss(each, fresh.labels)
        for each in (oracle, ours.chances(fresh.codes), naive.chances(fresh.codes))
    ]
    assert losses[1] < losses[0] + 0.1 * (losses[2] - losses[0])


@pytest.mark.parametrize('mu', [math.inf, 2.0])
def test_labels_see_what_two_columns_say_only_together(mu):
    records, fresh = make_xor(), make_xor(seed=1)

    alone, together = (fit(records, mu, together=each)[0] for each in (False, True))

    assert abs(measure_auc(alone, fresh) - 0.5) < 0.05
    assert measure_auc(together, fresh) > 0.9


def test_a_kernel_that_a_user_wrote_in_jax_sees_it_too_and_travels():
    records, fresh = make_xor(), make_xor(2000, seed=1)

    def gaussian(first, second):
        return jnp.exp(-squared_distance(first, second) / 4)

    model, _ = fit(records, math.inf, together=True, kernel=gaussian, landmarks=64)

    assert measure_auc(model, fresh) > 0.9
    copy = cloudpickle.loads(cloudpickle.dumps(model))
    np.testing.assert_array_equal(copy.log_odds(fresh.codes), model.log_odds(fresh.codes))


def test_where_columns_say_all_one_by_one_features_cost_little():
    records, fresh = make_task(), make_task(seed=1)
    losses = [
        measure_loss(fit(records, 1.0, together=each)[0].chances(fresh.codes), fresh.labels)
        for each in (False, True)
    ]
    assert losses[1] < losses[0] + 0.01


@pytest.mark.parametrize('neighbors', ['add_remove', 'replace_one'])
@pytest.mark.parametrize('together', [False, True])
@pytest.mark.parametrize('mu', [0.5, math.inf])
def test_each_step_is_released_and_all_compose_to_the_price(mu, together, neighbors):
    drawn = []

    def listen(size, scale):
        drawn.append(size)
        return np.zeros(size, dtype=np.int64)

    terms = {'noise': listen, 'neighbors': neighbors, 'together': together}
    _, receipts = fit(make_task(2000), mu, label_steps=5, feature_steps=2, **terms)

    slopes = ['slopes' in receipt.released for receipt in receipts]
    assert slopes == [True] * 5 + ([False, True, True] if together else [])
    # Without a price there is no noise to be drawn.
    assert len(drawn) == (len(receipts) if mu < math.inf else 0)
    assert math.hypot(*(each.mu for each in receipts)) == pytest.approx(mu)
    for receipt in receipts:
        assert receipt.stage == 'adapt' and receipt.charged and not receipt.delta
        if mu < math.inf:
            assert receipt.noise_scale == pytest.approx(receipt.sensitivity / receipt.mu, rel=1e-3)
        else:
            assert receipt.mu == math.inf and not receipt.noise_scale


def test_the_parts_of_the_price_are_those_of_the_constants():
    _, receipts = fit(make_task(2000), 0.5, together=True, noise=no_noise)
    shares = [receipt.mu**2 / 0.25 for receipt in receipts]
    made = AdaptConstants()
    left = 1 - made.evidence_share - made.moment_share
    expected = [made.evidence_share / 3] * 3 + [made.moment_share] + [left / 3] * 3
    assert shares == pytest.approx(expected)


def test_replacing_a_record_costs_more_noise():
    one, two = (
        fit(make_task(2000), 0.5, together=True, neighbors=each, noise=no_noise)[1]
        for each in ('add_remove', 'replace_one')
    )
    # The first slopes, and the moments: later radii follow from the noise of those before.
    for at, factor in ((0, 2), (3, math.sqrt(2))):
        assert two[at].sensitivity == pytest.approx(factor * one[at].sensitivity)


def test_sensitivities_are_those_of_the_radii(monkeypatch):
    """What the receipts say is what the sums were clipped to."""
    radii, sum_slopes = [], labels_module.sum_slopes

    def listen(evidence, model, radius, chunk):
        radii.append(radius)
        return sum_slopes(evidence, model, radius, chunk)

    monkeypatch.setattr(labels_module, 'sum_slopes', listen)
    records = make_task(2000)
    draws = draw_independent(records, np.random.default_rng(0))
    features = plan(records, draws, 0.5, AdaptConstants())
    _, receipts = fit(records, 0.5, together=True, noise=no_noise)

    slopes = [each for each in receipts if 'slopes' in each.released]
    assert len(radii) == len(slopes) == 6  # the rows are one chunk
    for radius, receipt in zip(radii, slopes, strict=True):
        bound = slope_sensitivity(radius) / 2**20
        assert receipt.sensitivity == pytest.approx(bound)
    (moments,) = (each for each in receipts if 'slopes' not in each.released)
    norm = math.hypot(features.radius, constant_weight(features.radius, 0.3)) / FEATURE_UNITS
    assert moments.sensitivity == pytest.approx(moment_sensitivity(norm))


def test_private_rows_reach_the_model_through_noise_alone(monkeypatch):
    """With constants in place of what is released, two wholly different tables give one model."""

    def answer(values, *, sensitivity, mu, stage, released, resolution=1.0, noise):
        rng = np.random.default_rng(values.size)
        receipt = Receipt(
            stage=stage, released=released, sensitivity=sensitivity, noise_scale=1.0, mu=mu
        )
        return np.abs(rng.normal(0, 300, values.shape)), receipt

    for module in (labels_module, moments_module):
        monkeypatch.setattr(module, 'add_noise', answer)
    records, other = make_xor(), make_task(500)

    models = [fit(records, 1.0, together=True, private=each) for each in (records, other)]

    assert models[0][1] == models[1][1]
    assert cloudpickle.dumps(models[0][0]) == cloudpickle.dumps(models[1][0])


def test_much_noise_leaves_what_the_draws_say():
    records = make_task()
    quiet, loud = (fit(records, mu)[0] for mu in (math.inf, 1e-4))
    other = Encoded(records.codes, 1 - records.labels)
    lost, _ = fit(records, 1e-4, private=other)
    odds = [each.log_odds(records.codes)[:, 1] for each in (quiet, loud, lost)]
    assert np.corrcoef(odds[1], odds[2])[0, 1] > 0.99
    assert np.corrcoef(odds[0], odds[1])[0, 1] > 0.9


def test_only_some_of_many_rows_are_read_for_features_chosen_by_coins_of_their_own(monkeypatch):
    """The share follows from released totals, and no coin sees a row."""
    shares, thin = [], Rows.thin
    monkeypatch.setattr(Rows, 'thin', lambda rows, share: shares.append(share) or thin(rows, share))
    monkeypatch.setattr(labels_module, 'MOST_FEATURED', 5000)
    records, fresh = make_xor(), make_xor(seed=1)

    model, receipts = fit(records, math.inf, together=True)
    fit(records, 1.0, together=True, private=make_task(300), noise=no_noise)

    assert shares == pytest.approx([0.25, 0.25])
    assert measure_auc(model, fresh) > 0.9
    assert len(receipts) == 7


def test_a_record_of_no_use_for_features_moves_nothing():
    """What a class is to follow from are codes: rows without any have no say."""
    records = make_xor(3000)
    nothing = Encoded(np.full((5, 3), -1), np.zeros(5, np.int64))
    both = Encoded(*(np.concatenate(pair) for pair in zip(records, nothing, strict=True)))
    found = fit(records, math.inf, together=True, private=both)[0]
    assert np.isfinite(found.log_odds(np.full((2, 3), -1))).all()


@pytest.mark.parametrize('mu', [1e-9, 1e-3, 0.03])
def test_small_budgets_carry_none(mu):
    records = make_task(1000)
    draws = draw_independent(records, np.random.default_rng(0))
    assert plan(records, draws, mu, AdaptConstants()) is None


def test_a_single_column_has_nothing_to_say_together_and_neither_have_linear_kernels():
    records, constants = make_task(5000), AdaptConstants()
    draws = draw_independent(records, np.random.default_rng(0))
    alone = draws._replace(codes=draws.codes[:, :1])
    assert plan(Encoded(records.codes[:, :1], records.labels), alone, 1.0, constants) is None

    def linear(first, second):
        return 1 + first @ second.T

    assert plan(records, draws, 1.0, constants, linear) is None
    assert plan(records, draws, 1.0, constants) is not None


def test_features_that_say_nothing_are_left_out_and_slopes_without_them_need_less_noise():
    """The classes follow from columns one by one, but for their noise."""
    found = [fit(make_task(3000, seed), 0.5, together=True) for seed in range(6)]
    dropped = [receipts for model, receipts in found if model.interplay is None]
    assert len(dropped) >= 3
    for receipts in dropped:
        with_features, without, last = receipts[-3:]
        assert with_features.mu == without.mu == last.mu
        assert without.released.endswith(' 4 weights') and last.released == without.released
        assert not with_features.released.endswith(' 4 weights')
        assert without.noise_scale < with_features.noise_scale / 2


def test_steps_without_features_are_of_all_rows_again(monkeypatch):
    """Features were of a part of them; the curvature is that of the rows that are read."""
    monkeypatch.setattr(labels_module, 'MOST_FEATURED', 5000)
    read, sum_slopes = [], labels_module.sum_slopes

    def listen(evidence, model, radius, chunk):
        read.append((len(chunk.codes), chunk.features.shape[1]))
        return sum_slopes(evidence, model, radius, chunk)

    monkeypatch.setattr(labels_module, 'sum_slopes', listen)
    doubtful = {'feature_doubt': 1e9, 'label_steps': 1}
    fit(make_xor(), 1.0, together=True, noise=no_noise, **doubtful)

    alone = sum(rows for rows, width in read if not width)
    some = sum(rows for rows, width in read if width)
    assert alone == 3 * 20_000 and 4500 < some < 5500
    records = make_xor()
    draws = draw_independent(records, np.random.default_rng(0))
    features = plan(records, draws, 1.0, AdaptConstants())
    fitted = Fit(weigh(records), draws, AdaptConstants(feature_doubt=1e9))
    width = features.rank
    exact = moments_module.ScoreMoments(
        np.array([5000.0]), np.zeros((1, width)), pack(np.eye(width)[None] * 5000), 0.0, 0.0
    )
    before = fitted.radius()
    fitted.add_features(np.random.default_rng(0).normal(size=(4000, width)), exact, 0.25)
    assert fitted.num_features == width and fitted.radius() > before
    fitted.step(np.zeros((1, 4 + width)), 1.0)
    assert not fitted.num_features and fitted.radius() == before
    assert fitted.coordinates.shape == (1, 4)


def test_most_draws_of_each_class_have_slopes_within_the_radius():
    records = make_task()
    draws, constants = draw_independent(records, np.random.default_rng(0)), AdaptConstants()
    fitted = Fit(weigh(records), draws, constants)
    fitted.start()
    model = fitted.model(score(records), None)
    left = np.abs(draws.labels - model.chances(draws.codes)[:, 1])
    looked = [own[:, column] for own, column in zip(weigh(records), draws.codes.T, strict=True)]
    squares = 1 + sum(np.square(each / EVIDENCE_UNITS) for each in looked)
    norms = left * np.sqrt(squares[0])
    shorter = [(norms[draws.labels == at] <= fitted.radius() / 2**20).mean() for at in (0, 1)]
    assert min(shorter) == pytest.approx(0.9, abs=0.06)
    assert min(shorter) >= 0.9


def test_the_whole_model_is_the_model_but_for_rounding():
    records = make_xor()
    draws, constants = draw_independent(records, np.random.default_rng(0)), AdaptConstants()
    pooled, features = score(records), plan(records, draws, 1.0, constants)
    fitted = Fit(weigh(records), draws, constants)
    fitted.start()
    scores = pooled(draws.codes, np.zeros(len(draws.codes), np.int64))
    whole = whole_features(scores, features)
    width = features.rank
    exact = moments_module.ScoreMoments(
        np.array([20_000.0]), np.zeros((1, width)), pack(np.eye(width)[None] * 20_000), 0.0, 0.0
    )
    fitted.add_features(whole / FEATURE_UNITS, exact, 1.0)
    fitted.coordinates[:, 4:] = np.random.default_rng(1).normal(0, 0.3, (1, width))

    offsets, tables, weights = fitted.whole_model()

    found = offsets / EVIDENCE_UNITS + whole @ weights.T / 2**12 / EVIDENCE_UNITS
    for table, column in zip(tables, draws.codes.T, strict=True):
        found = found + table[:, column].T / EVIDENCE_UNITS
    expected = fitted.model(pooled, features).log_odds(draws.codes)
    assert not expected[:, 0].any()
    np.testing.assert_allclose(found[:, 0], expected[:, 1], atol=0.05)


def test_wide_tables_and_many_classes_are_drawn_less_often():
    assert num_draws(2, 14) == 10_000
    assert 1000 < num_draws(2, 1000) < 10_000
    assert num_draws(26, 617) == 1000
