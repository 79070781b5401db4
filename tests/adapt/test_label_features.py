"""Which features labels are fitted with, and when they are left out again."""

from __future__ import annotations

import math

import numpy as np
import pytest
from label_tasks import (
    draw_independent,
    fit,
    make_task,
    make_xor,
    measure_auc,
    no_noise,
    plan,
    weigh,
)

from sdv_threea.adapt import labels as labels_module
from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.fit import Fit
from sdv_threea.approximate import moments as moments_module
from sdv_threea.encoding.records import Encoded
from sdv_threea.maths.triangles import pack
from sdv_threea.privacy.rows import Rows


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


def test_a_single_column_has_nothing_to_say_together_and_neither_have_linear_kernels():
    records, constants = make_task(5000), AdaptConstants()
    draws = draw_independent(records, np.random.default_rng(0))
    alone = draws._replace(codes=draws.codes[:, :1])
    assert plan(Encoded(records.codes[:, :1], records.labels), alone, 1.0, constants) is None

    def linear(first, second):
        return 1 + first @ second.T

    assert plan(records, draws, 1.0, constants, linear) is None
    assert plan(records, draws, 1.0, constants) is not None


def test_features_of_draws_take_no_more_than_a_bounded_memory(monkeypatch):
    """They are kept once for each class, and of many classes there are fewer."""
    records = make_task(5000)
    draws = draw_independent(records, np.random.default_rng(0))
    known = records, draws, 1.0, AdaptConstants()
    many = plan(*known).rank

    monkeypatch.setattr(labels_module, 'DRAWN_ENTRIES', 20 * len(draws.codes) + 1)

    assert many > 20
    assert plan(*known).rank == 20


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
