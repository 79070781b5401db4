"""Chances of classes along a column: what counts show is kept, and what noise makes of them not."""

from functools import partial

import numpy as np
import pytest

from sdv_threea.approximate import logits
from sdv_threea.approximate.logits import Effects, Prior, Seen, class_rates, smooth_effects
from sdv_threea.constants import ApproximateConstants

CONSTANTS = ApproximateConstants()
class_rates = partial(class_rates, constants=CONSTANTS)


def see(rng, truth, scale, *, whole_scale=None, ordered=False, sampled=True):
    """Counts of bins, of which ``truth`` has what is expected of each class, shape (C, G)."""
    exact = rng.poisson(truth).astype(float) if sampled else truth
    whole_scale = scale if whole_scale is None else whole_scale
    size = truth.shape[1]
    linked = np.full(size, ordered)
    linked[0] = False
    whole = exact.sum(axis=0)
    return Seen(
        exact + rng.normal(0, scale, exact.shape),
        np.full(size, float(scale)),
        whole + rng.normal(0, whole_scale, size),
        np.full(size, float(whole_scale) ** 2),
        np.maximum(whole, 1.0),
        linked,
    )


def lean(sizes, effects, share=0.3):
    """Expected counts of two classes in bins of these sizes, by their effects on log odds."""
    rate = 1 / (1 + np.exp(-(np.log(share / (1 - share)) + effects)))
    return np.stack([sizes * (1 - rate), sizes * rate])


def log_odds(rates):
    return np.log(rates[1]) - np.log(rates[0])


@pytest.mark.parametrize('num_classes', [2, 3, 7])
@pytest.mark.parametrize('ordered', [False, True])
def test_with_hardly_any_noise_chances_are_those_of_the_counts(rng, num_classes, ordered):
    truth = rng.uniform(2e5, 9e5, (num_classes, 6))

    (found,) = class_rates([see(rng, truth, 1e-3, ordered=ordered)], truth.sum(axis=1))

    assert found.sum(axis=0) == pytest.approx(np.ones(6))
    assert found == pytest.approx(truth / truth.sum(axis=0), rel=0.01)


@pytest.mark.parametrize('scale', [0.0, 30.0])
def test_what_chance_explains_is_smoothed_away_and_what_is_clear_is_kept(rng, scale):
    """Beside noise, records are a sample: fine codes of few records differ by chance."""
    alike = lean(np.full(200, 5.0 + 2 * scale), np.zeros(200))
    apart = lean(np.full(200, 100.0 + 20 * scale), np.tile([1.0, -1.0], 100))
    of_chance, clear = see(rng, alike, scale), see(rng, apart, scale)

    one, other = class_rates([of_chance, clear], np.array([0.7, 0.3]) * 1e5)

    raw = of_chance.by_class[1] / of_chance.expected
    assert np.abs(one[1] - 0.3).mean() < 0.4 * np.abs(raw - 0.3).mean()
    assert np.abs(np.diff(log_odds(other))).mean() == pytest.approx(2, abs=0.5)


def test_the_order_of_columns_and_how_many_are_computed_at_once_do_not_matter(rng, monkeypatch):
    totals = np.array([700.0, 200.0, 100.0])
    columns = [
        see(rng, np.outer(totals, rng.dirichlet(np.ones(size))), 8.0, ordered=ordered)
        for size, ordered in ((3, False), (40, True), (9, True), (1, False), (17, False))
    ]
    once = class_rates(columns, totals)
    monkeypatch.setattr(logits, 'MOST_EFFECTS', 100)
    again = class_rates(columns[::-1], totals)[::-1]

    for one, other in zip(once, again, strict=True):
        assert one == pytest.approx(other, rel=1e-9)


# The smoother


def make_effects(linked, curve, size):
    nothing = np.zeros(len(linked))
    return Effects(
        nothing, nothing, nothing, np.ones((3, len(linked))), nothing, nothing + 0.5, size,
        linked, curve,
    )  # fmt: skip


def test_effects_and_likelihoods_are_those_of_the_joint_normal_law(rng):
    """Against matrices: runs of 1, 5 and 4 bins, the last two of one curve."""
    lengths, curve = [1, 5, 4], np.repeat([0, 1, 1], [1, 5, 4])
    linked = np.ones(10, dtype=bool)
    linked[[0, 1, 6]] = False
    size = np.repeat([1.0, 9.0, 9.0], lengths)
    prior = Prior(
        np.array([0.9, 0.0, 3.0]), np.array([0.1, 0.5, 1e-3]), np.array([0.5, 1.0, 2.0]),
        np.full(3, 1 / 3),
    )  # fmt: skip
    observed, variances = rng.normal(0, 2, 10), rng.uniform(0.1, 4, 10)

    effects, likelihoods = smooth_effects(
        make_effects(linked, curve, size), observed, variances, prior
    )

    runs = np.cumsum(~linked)
    together = runs[:, None] == runs
    apart = np.abs(np.subtract.outer(np.arange(10), np.arange(10)))
    for at in range(3):
        smooth = prior.smooth[at] * np.exp(-apart / (size[:, None] * prior.length[at])) * together
        covariance = smooth + prior.rough[at] * np.eye(10)
        law = covariance + np.diag(variances)
        assert effects[:, at] == pytest.approx(covariance @ np.linalg.solve(law, observed))
        for own in (0, 1):
            some = np.flatnonzero(curve == own)
            part, values = law[np.ix_(some, some)], observed[some]
            likely = -0.5 * (values @ np.linalg.solve(part, values) + np.linalg.slogdet(part)[1])
            assert likelihoods[own, at] == pytest.approx(likely)
