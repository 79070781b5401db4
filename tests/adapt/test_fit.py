"""The start of the fit of the labels: weights that draws tell, before any private slope."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

from sdv_threea.adapt.design import INPUT_UNITS, scorecard
from sdv_threea.adapt.fit import Fit
from sdv_threea.adapt.link_functions import Classes, Draws
from sdv_threea.constants import AdaptConstants

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
    whole = tuple(np.rint(table * INPUT_UNITS).astype(np.int64) for table in evidence)
    return whole, Draws(codes, labels, np.full(num_draws, 20.0))


def lose(flat, evidence, draws):
    """The loss of the start at these weights, by another way: a column after another."""
    num_classes = len(evidence[0])
    weights = flat.reshape(num_classes, -1)
    columns = zip(weights.T[1:], evidence, draws.codes.T, strict=True)
    odds = weights[:, 0] + sum(
        own * table[:, column].T / INPUT_UNITS for own, table, column in columns
    )
    shares = np.bincount(draws.labels, minlength=num_classes) / len(draws.labels)
    wanted = 0.95 * np.eye(num_classes)[draws.labels] + 0.05 * shares
    loss = -(draws.weights @ (wanted * log_softmax(odds, axis=1)).sum(axis=1))
    return loss + np.square(flat).sum() / 2


@pytest.mark.parametrize(('num_classes', 'spread'), [(2, 0.3), (2, 2.0), (7, 2.0)])
def test_the_start_is_where_draws_lose_least(num_classes, spread):
    evidence, draws = make_draws(num_classes, 6, spread)
    begun = np.zeros((num_classes, 1 + len(evidence)))
    begun[:, 0] = np.log(np.bincount(draws.labels) / len(draws.labels))

    link = Classes(draws, num_classes, CONSTANTS)
    means = link.begin(scorecard(evidence).matrix(draws.codes), begun.shape[1]).means

    least = minimize(
        lose, begun.ravel(), (evidence, draws), method='L-BFGS-B', options={'maxfun': 10**5}
    )
    found, begun = (lose(each.ravel(), evidence, draws) for each in (means, begun))
    assert found - least.fun < 0.02 * (begun - least.fun)


def test_a_class_that_does_not_occur_is_never_likely():
    """Without noise a class may have no record: its log odds have a limit all the same."""
    evidence, draws = make_draws(3, 6, 0.3)
    draws = draws._replace(weights=draws.weights * (draws.labels != 1))
    fitted = Fit(Classes(draws, 3, CONSTANTS), scorecard(evidence), draws.codes, CONSTANTS)

    assert np.isfinite(fitted.belief.means).all()
    assert np.isfinite(fitted.promise(np.ones((len(draws.codes), 2)), 0.0))
