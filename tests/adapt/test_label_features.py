"""Which features labels are fitted with, and when they are left out again."""

import math

import numpy as np
from label_tasks import (
    draw_independent,
    fit,
    make_task,
    make_xor,
    plan,
)

from sdv_threea.constants import AdaptConstants
from sdv_threea.rows.records import Encoded


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
