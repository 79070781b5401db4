"""Draw from the released density given the scores of some columns: the context.

The density is one of normals, and the context gives scores of codes; their relation is that of
:func:`~sdv_threea.approximate.gaussian.class_correlations`. Classes and components are weighed by
Bayes' rule given the scores, and the other normals follow by linear regression. Each row has its
own context, and all rows are computed at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.approximate.mixture import Mixture
from sdv_threea.maths.positive import bound_eigenvalues

#: The least variance that a context leaves to another column: no column is determined exactly.
SMALLEST_VARIANCE = 0.02


@dataclass(frozen=True)
class Context:
    """The known columns of ``n`` rows.

    Args:
        columns: Which of the ``m`` columns are known, shape (q,).
        scores: Their scores, in each class, shape (C, n, q).
        chances: Summed log probabilities of their codes in each class, shape (C, n).
        variances: Variance of the scores of all columns, by class, shape (C, m).
    """

    columns: NDArray[np.int64]
    scores: NDArray[np.float64]
    chances: NDArray[np.float64]
    variances: NDArray[np.float64]


class Regression(NamedTuple):
    """The regression of the unknown normals of a component on the known scores.

    Args:
        precision: Inverse covariance of the known scores, shape (q, q).
        slope: Change of the means of the others per unit of a known score, shape (r, q).
        rest: Residual covariance of the others, positive definite, shape (r, r).
    """

    precision: NDArray[np.float64]
    slope: NDArray[np.float64]
    rest: NDArray[np.float64]


def draw_in_context(
    mixture: Mixture, context: Context, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Draw classes, shape (n,), and quantiles of the ``r = m - q`` other columns, shape (n, r)."""
    num_classes, num_components, width = mixture.means.shape
    other = np.setdiff1d(np.arange(width), context.columns)
    places = np.asarray(rng.random(context.chances.shape[1]))
    picked = _pick(weigh_components(mixture, context), places)
    classes = picked // num_components
    normals = np.empty((len(picked), len(other)))
    for at in np.unique(picked):
        label, component = divmod(int(at), num_components)
        rows = np.flatnonzero(picked == at)
        mean = mixture.means[label, component]
        covariance = mixture.covariances[label, component]
        fit = regress(covariance, context.columns, context.variances[label])
        centred = context.scores[label][rows] - mean[context.columns]
        drawn = rng.standard_normal((len(rows), len(other))) @ _root(fit.rest).T
        normals[rows] = mean[other] + centred @ fit.slope.T + drawn
    # Quantiles are those of the class, so a context changes the quantile of a row.
    drawn_columns = Mixture(
        mixture.weights,
        mixture.means[:, :, other],
        mixture.covariances[:, :, other[:, None], other],
    )
    return classes, drawn_columns.quantiles(normals, classes)


def weigh_components(mixture: Mixture, context: Context) -> NDArray[np.float64]:
    """Return the posterior probabilities of all components given the context, shape (n, C * K).

    The codes have the probabilities of the histograms of the class. A component multiplies these by
    the density of the scores, relative to that of independent scores.
    """
    num_classes, num_components, _ = mixture.means.shape
    columns, logs = context.columns, np.empty((context.chances.shape[1], mixture.weights.size))
    with np.errstate(divide='ignore'):
        weights = np.log(mixture.weights)
    for at in range(mixture.weights.size):
        label, component = divmod(at, num_components)
        known, variance = context.scores[label], context.variances[label, columns]
        centred = known - mixture.means[label, component, columns]
        covariance = mixture.covariances[label, component]
        precision = regress(covariance, columns, context.variances[label]).precision
        # Minus twice the logarithm of that ratio, except for determinants.
        surprise = np.einsum('np,pq,nq->n', centred, precision, centred)
        surprise -= (np.square(known) / np.maximum(variance, SMALLEST_VARIANCE)).sum(axis=1)
        logs[:, at] = weights[label, component] + context.chances[label] - surprise / 2
        logs[:, at] += np.linalg.slogdet(precision)[1] / 2
        logs[:, at] += np.log(np.maximum(variance, SMALLEST_VARIANCE)).sum() / 2
    logs -= logs.max(axis=1, keepdims=True)
    chances = np.exp(logs)
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def regress(
    covariance: NDArray[np.float64], columns: NDArray[np.int64], variances: NDArray[np.float64]
) -> Regression:
    """Regress the unknown normals of a component on the known scores.

    The covariance is that of all normals, shape (m, m), and ``variances`` are those of all scores,
    (m,).
    """
    other = np.setdiff1d(np.arange(len(covariance)), columns)
    gain = np.maximum(variances[columns], SMALLEST_VARIANCE)
    known = covariance[np.ix_(columns, columns)] * np.outer(gain, gain)
    # A score of variance v has the gain v of its normal; v - v^2 of its variance is no signal.
    known += np.diag(gain - gain**2)
    precision = np.asarray(
        np.linalg.inv(bound_eigenvalues(known, SMALLEST_VARIANCE)), dtype=np.float64
    )
    # Between a normal and a score the gain enters once.
    across = covariance[np.ix_(other, columns)] * gain
    slope = across @ precision
    rest = covariance[np.ix_(other, other)] - slope @ across.T
    return Regression(precision, np.asarray(slope), bound_eigenvalues(rest, SMALLEST_VARIANCE))


def _pick(weights: NDArray[np.float64], places: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return one column per row, picked by its weight at a place in [0, 1]."""
    passed = (np.cumsum(weights, axis=1) < places[:, None]).sum(axis=1)
    return np.asarray(np.minimum(passed, weights.shape[1] - 1), dtype=np.int64)


def _root(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.linalg.cholesky(matrix))
