"""Labels adapted to the classifier's loss: what is released, what it costs, what is fitted."""

import math

import cloudpickle
import jax.numpy as jnp
import numpy as np
import pytest
from label_tasks import draw_independent, fit, make_task, make_xor, measure_auc, plan, weigh
from sklearn.linear_model import LogisticRegression

from sdv_threea.adapt.design import INPUT_UNITS
from sdv_threea.adapt.labels import LabelModel
from sdv_threea.audit.doors import record, replay
from sdv_threea.constants import AdaptConstants
from sdv_threea.rows.records import Encoded


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
    _, receipts = fit(make_task(2000), mu, steps=2, **terms)

    slopes = ['slopes' in receipt.released for receipt in receipts]
    assert slopes == [True] * 2 + ([False, True, True] if together else [])
    # Without a price there is no noise to be drawn.
    assert len(drawn) == (len(receipts) if mu < math.inf else 0)
    assert math.hypot(*(each.mu for each in receipts)) == pytest.approx(mu)
    for receipt in receipts:
        assert receipt.stage == 'adapt' and receipt.charged and not receipt.delta
        if mu < math.inf:
            assert receipt.noise_scale == pytest.approx(receipt.sensitivity / receipt.mu, rel=1e-3)
        else:
            assert receipt.mu == math.inf and not receipt.noise_scale


def test_private_rows_reach_the_model_through_noise_alone():
    """With the same noisy answers, two wholly different tables give one model."""
    terms = {'records': make_xor(), 'mu': 1.0, 'together': True}
    first, transcript = record(lambda: fit(**terms))
    second, _ = replay(lambda: fit(**terms, private=make_task(500)), transcript)
    assert cloudpickle.dumps(first) == cloudpickle.dumps(second)


# Features


def test_a_record_of_no_use_for_features_moves_nothing():
    """What a class is to follow from are codes: rows without any have no say."""
    records = make_xor(3000)
    nothing = Encoded(np.full((5, 3), -1), np.zeros(5, np.int64))
    both = Encoded(*(np.concatenate(pair) for pair in zip(records, nothing, strict=True)))
    found = fit(records, math.inf, together=True, private=both)[0]
    assert np.isfinite(found.log_odds(np.full((2, 3), -1))).all()


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
