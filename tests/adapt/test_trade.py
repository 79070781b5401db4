"""What ``alpha`` does: the weight of the density against the loss, for every kind of target."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_threea.adapt.trade import counts_loss, stretch


def test_the_weight_of_the_density_says_how_often_what_is_told_counts():
    for wanted in (1.0, 1.24, 9.0):
        assert stretch(1.0, wanted) == 1.0
        assert stretch(0.0, wanted) == wanted
        tried = np.linspace(1, wanted, 1001)
        for alpha in (0.25, 0.5, 0.8):
            costs = alpha * (tried - 1) ** 2 + (1 - alpha) * (tried - wanted) ** 2
            assert stretch(alpha, wanted) == pytest.approx(tried[np.argmin(costs)], abs=0.01)
    assert [counts_loss(alpha) for alpha in (0.0, 0.5, 0.999, 1.0)] == [True] * 3 + [False]
