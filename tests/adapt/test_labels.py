"""Labels adapted to the classifier's loss: what is released, what it costs, what is fitted."""

import math

import cloudpickle
import jax.numpy as jnp
import numpy as np
import pytest
from chance import silent
from label_tasks import (
    draw_independent,
    fit,
    make_task,
    make_xor,
    measure_auc,
    plan,
    weigh,
)
from sklearn.linear_model import LogisticRegression
from triangles import pack

from sdv_threea.adapt.design import INPUT_UNITS, scorecard
from sdv_threea.adapt.fit import Fit
from sdv_threea.adapt.labels import LabelModel, _make_model
from sdv_threea.adapt.links import Classes
from sdv_threea.approximate import moments as moments_module
from sdv_threea.audit.doors import record, replay
from sdv_threea.constants import AdaptConstants


def measure_loss(chances, labels):
    return -np.log(chances[np.arange(len(labels)), labels]).mean()


def squared_distance(first, second):
    return jnp.sum((first[:, None] - second[None]) ** 2, axis=-1)


def test_without_noise_it_comes_close_to_a_logistic_regression():
    records, fresh = make_task(), make_task(seed=1)
    tables = [each[0] for each in weigh(records)]
    alone = tuple(np.stack([0 * each, each]) / INPUT_UNITS for each in tables)
    naive = LabelModel(np.log(np.bincount(records.labels)), alone)
    ours, _ = fit(records, math.inf)
    inputs, theirs = (
        np.stack([t[c] for t, c in zip(tables, each.codes.T, strict=True)], axis=1) / INPUT_UNITS
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

    model, _ = fit(records, math.inf, together=True, kernel=gaussian, most_features=64)

    assert measure_auc(model, fresh) > 0.9
    copy = cloudpickle.loads(cloudpickle.dumps(model))
    np.testing.assert_array_equal(copy.log_odds(fresh.codes), model.log_odds(fresh.codes))


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
    _, receipts = fit(make_task(2000), 0.5, together=True, noise=silent)
    shares = [receipt.mu**2 / 0.25 for receipt in receipts]
    made = AdaptConstants()
    early, left = made.early_share, 1 - 2 * made.early_share
    expected = [early / 3] * 3 + [early] + [left / 3] * 3
    assert shares == pytest.approx(expected)


def test_the_whole_model_is_the_model_but_for_rounding():
    records = make_xor()
    draws, constants = draw_independent(records, np.random.default_rng(0)), AdaptConstants()
    interplay = plan(records, draws, 1.0, constants)
    design = scorecard(weigh(records))
    fitted = Fit(Classes(draws, 1, constants), design, draws.codes, constants)
    whole, width = interplay.see(draws.codes), interplay.features.rank
    exact = moments_module.ScoreMoments(
        np.array([20_000.0]), np.zeros((1, width)), pack(np.eye(width)[None] * 20_000), 0.0, 0.0
    )
    fitted.add_features(whole / INPUT_UNITS, exact, 1.0)
    fitted.belief.means[:, 4:] = np.random.default_rng(1).normal(0, 0.3, (1, width))

    tables, weights = fitted.predictor()

    found = whole @ weights.T / 2**12 / INPUT_UNITS
    for term, table in zip(design.terms, tables, strict=True):
        found = found + table[:, term(draws.codes)].T / INPUT_UNITS
    expected = _make_model(fitted, interplay).log_odds(draws.codes)
    assert not expected[:, 0].any()
    np.testing.assert_allclose(found[:, 0], expected[:, 1], atol=0.05)


def test_private_rows_reach_the_model_through_noise_alone():
    """With the same noisy answers, two wholly different tables give one model."""
    terms = {'records': make_xor(), 'mu': 1.0, 'together': True}
    first, transcript = record(lambda: fit(**terms))
    second, _ = replay(lambda: fit(**terms, private=make_task(500)), transcript)
    assert cloudpickle.dumps(first) == cloudpickle.dumps(second)
