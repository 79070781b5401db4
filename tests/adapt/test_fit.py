"""The start of the fit of the labels: weights that draws tell, before any private slope."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.evidence import EVIDENCE_UNITS
from sdv_threea.adapt.fit import Draws, Fit

CONSTANTS = AdaptConstants()


def make_draws(num_classes, num_columns, spread, seed=0, num_draws=600):
    """Draws whose classes follow from three columns; evidence exaggerates, and has noise."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 6, (num_draws, num_columns))
    truth = rng.normal(0, 1, (num_columns, num_classes, 6))
    truth[3:] = 0
    odds = sum(table[:, column].T for table, column in zip(truth, codes.T, strict=True))
    odds = odds - np.linspace(0, 3, num_classes)
    labels = (odds + rng.gumbel(size=odds.shape)).argmax(axis=1)
    evidence = np.clip(2 * truth + rng.normal(0, spread, truth.shape), -5, 5)
    whole = tuple(np.rint(table * EVIDENCE_UNITS).astype(np.int64) for table in evidence)
    return whole, Draws(codes, labels, np.full(num_draws, 20.0))


def lose(flat, evidence, draws):
    """The loss of the start at these weights, by another way: a column after another."""
    num_classes = len(evidence[0])
    weights = flat.reshape(num_classes, -1)
    columns = zip(weights.T[1:], evidence, draws.codes.T, strict=True)
    odds = weights[:, 0] + sum(
        own * table[:, column].T / EVIDENCE_UNITS for own, table, column in columns
    )
    shares = np.bincount(draws.labels, minlength=num_classes) / len(draws.labels)
    wanted = 0.95 * np.eye(num_classes)[draws.labels] + 0.05 * shares
    loss = -(draws.weights @ (wanted * log_softmax(odds, axis=1)).sum(axis=1))
    return loss + np.square(flat).sum() / 2 / CONSTANTS.start_weight_spread**2


@pytest.mark.parametrize(
    ('num_classes', 'spread'), [(2, 0.3), (2, 2.0), (7, 0.3), (7, 2.0), (7, 4.0)]
)
def test_the_start_is_where_draws_lose_least(num_classes, spread):
    evidence, draws = make_draws(num_classes, 6, spread)
    fitted = Fit(evidence, draws, CONSTANTS)
    begun = lose(fitted.coordinates.ravel(), evidence, draws)

    fitted.start()

    least = minimize(
        lose,
        fitted.coordinates.ravel(),
        (evidence, draws),
        method='L-BFGS-B',
        options={'maxfun': 10**5},
    )
    found = lose(fitted.coordinates.ravel(), evidence, draws)
    assert found - least.fun < 0.02 * (begun - least.fun)


def test_the_promise_of_features_is_how_much_a_slope_would_tell_of_them():
    evidence, draws = make_draws(2, 6, 0.5)
    evidence = tuple(each[1:] - each[:1] for each in evidence)  # of two classes, for the second
    fitted = Fit(evidence, draws, CONSTANTS)
    fitted.start()
    features = np.random.default_rng(1).normal(size=(600, 5)) * [3, 2, 1, 1, 0.1]

    exact = fitted.promise(features, 0.0)

    chances = fitted.model(None, None).chances(draws.codes)[:, 1]
    own = np.maximum(
        chances * (1 - chances), 0.02 * draws.labels.mean() * (1 - draws.labels.mean())
    )
    curvature = (features * (20 * own)[:, None]).T @ features
    variance = 1 / np.square(features).sum(axis=1).mean()
    slopes = variance * curvature @ curvature + curvature
    told = np.linalg.slogdet(slopes)[1] - np.linalg.slogdet(curvature)[1]
    assert exact == pytest.approx(told / 2, rel=1e-6)
    assert fitted.promise(9 * features, 0.0) == pytest.approx(exact)  # whatever their unit is
    promises = [fitted.promise(features, noise) for noise in (0.0, 1.0, 10.0, 100.0, 1e4)]
    assert promises == sorted(promises, reverse=True)
    assert 0 < promises[-1] < 1e-3
    more = Fit(evidence, draws._replace(weights=10 * draws.weights), CONSTANTS)
    more.start()
    assert more.promise(features, 10.0) > promises[2] + 1
    assert fitted.promise(np.zeros((600, 5)), 1.0) == pytest.approx(0, abs=1e-3)


def test_the_first_draws_stand_for_all():
    _, draws = make_draws(2, 3, 0.5)
    draws = draws._replace(weights=np.linspace(1, 30, 600))
    first = draws.first(100)
    assert (first.codes == draws.codes[:100]).all() and (first.labels == draws.labels[:100]).all()
    assert first.weights.sum() == pytest.approx(draws.weights.sum())
    assert first.weights[1] / first.weights[0] == pytest.approx(draws.weights[1] / draws.weights[0])
    assert all((own == each).all() for own, each in zip(draws.first(1000), draws, strict=True))
