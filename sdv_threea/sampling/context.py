"""Draws from the released density where the scores of some columns are known: the context.

The density is one of normals, but of a known column only its code is known, and so the score of
that code. How scores vary with the normals is what
:func:`~sdv_threea.approximate.gaussian.class_correlations` says. Given the scores, classes and
components are weighed by Bayes' rule, and the other normals follow by linear regression. All of it
is vectorised over rows, each of which has a context of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.anonymize.mixture import Mixture
from sdv_threea.maths.positive import bound_eigenvalues

#: Smallest variance that a context leaves to another column: none follows from it exactly.
SMALLEST_VARIANCE = 0.02


@dataclass(frozen=True)
class Context:
    """What is known of ``n`` rows that will be drawn.

    Args:
        columns: Which of the ``m`` columns are known, shape (q,).
        scores: Their scores, in each class, shape (C, n, q).
        chances: Sum of the logarithms of the probabilities of their codes in each class, (C, n).
        variances: Variance of the scores of all columns, by class, shape (C, m).
    """

    columns: NDArray[np.int64]
    scores: NDArray[np.float64]
    chances: NDArray[np.float64]
    variances: NDArray[np.float64]


@dataclass(frozen=True)
class Shared:
    """What rows that will be drawn have in common with others.

    Args:
        effects: What is added to the normals of the ``r`` columns that are not known, shape (n, r).
        covariance: Covariance of the effects, shape (r, r).
        places: Numbers in [0, 1] by which rows pick their class and component, shape (n,). Rows
            with the same number pick the same; those with NaN pick for themselves.
    """

    effects: NDArray[np.float64]
    covariance: NDArray[np.float64]
    places: NDArray[np.float64]

    def __getitem__(self, rows: NDArray[np.int64]) -> Shared:
        return Shared(self.effects[rows], self.covariance, self.places[rows])


class Regression(NamedTuple):
    """How the other normals of a component follow from the known scores.

    Args:
        precision: Inverse covariance of the known scores, shape (q, q).
        slope: What one unit of a known score adds to the mean of the others, shape (r, q).
        rest: Covariance that is left of the others, positive definite, shape (r, r).
    """

    precision: NDArray[np.float64]
    slope: NDArray[np.float64]
    rest: NDArray[np.float64]


def draw_in_context(
    mixture: Mixture,
    context: Context,
    rng: np.random.Generator,
    shared: Shared | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Draw the columns that are not known.

    Args:
        mixture: The released density.
        context: What is known.
        rng: Source of randomness; it needs no secrecy.
        shared: What rows have in common with others in the ``r = m - q`` other columns, in order;
            nothing by default.

    Returns:
        Classes, shape (n,), and quantiles of the other columns in order, shape (n, r).
    """
    num_classes, num_components, width = mixture.means.shape
    other = np.setdiff1d(np.arange(width), context.columns)
    places = np.asarray(rng.random(context.chances.shape[1]))
    if shared is not None:
        places = np.asarray(np.where(np.isnan(shared.places), places, shared.places))
    # Components are picked by one number per row, which siblings may have in common.
    picked = _pick(weigh_components(mixture, context), places)
    classes = picked // num_components
    normals = np.empty((len(picked), len(other)))
    for at in np.unique(picked):
        label, component = divmod(int(at), num_components)
        rows = np.flatnonzero(picked == at)
        mean = mixture.means[label, component]
        covariance = mixture.covariances[label, component]
        fit = regress(covariance, context.columns, context.variances[label])
        rest = fit.rest
        if shared is not None:
            # What siblings share comes on top, so that it is left out here.
            rest = bound_eigenvalues(rest - shared.covariance, SMALLEST_VARIANCE)
        centred = context.scores[label][rows] - mean[context.columns]
        drawn = rng.standard_normal((len(rows), len(other))) @ _root(rest).T
        normals[rows] = mean[other] + centred @ fit.slope.T + drawn
    if shared is not None:
        normals += shared.effects
    # Quantiles are those of the class, so a context moves where in the histogram a row lies.
    drawn_columns = Mixture(
        mixture.weights,
        mixture.means[:, :, other],
        mixture.covariances[:, :, other[:, None], other],
    )
    return classes, drawn_columns.quantiles(normals, classes)


def weigh_components(mixture: Mixture, context: Context) -> NDArray[np.float64]:
    """Return the probabilities of all components given the context, (n, C * K): Bayes' rule.

    The codes have the probabilities that the histograms of the class say. What a component adds is
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
        # Minus twice the logarithm of that ratio, but for determinants.
        surprise = np.einsum('np,pq,nq->n', centred, precision, centred)
        surprise -= (np.square(known) / np.maximum(variance, SMALLEST_VARIANCE)).sum(axis=1)
        logs[:, at] = weights[label, component] + context.chances[label] - surprise / 2
        logs[:, at] += np.linalg.slogdet(precision)[1] / 2
        logs[:, at] += np.log(np.maximum(variance, SMALLEST_VARIANCE)).sum() / 2
    # So that exponentials neither overflow nor all vanish.
    logs -= logs.max(axis=1, keepdims=True)
    chances = np.exp(logs)
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def explain(
    mixture: Mixture, columns: NDArray[np.int64], variances: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return what known scores explain of the other normals, in the mean over all components.

    Args:
        mixture: The released density.
        columns: Which columns are known, shape (q,).
        variances: Variance of the scores of all columns, by class, shape (C, m).

    Returns:
        The covariance that they explain, the one that they leave, and the one between the means of
        the components of a class, all of shape (r, r).
    """
    other = np.setdiff1d(np.arange(mixture.means.shape[2]), columns)
    explained = np.zeros((len(other), len(other)))
    rest = np.zeros_like(explained)
    shares = mixture.weights / mixture.weights.sum()
    for (label, component), share in np.ndenumerate(shares):
        covariance = mixture.covariances[label, component][np.ix_(other, other)]
        left = regress(mixture.covariances[label, component], columns, variances[label]).rest
        rest += share * left
        explained += share * (covariance - left)
    # How the means of the components spread around the mean of their class.
    means = mixture.means[:, :, other]
    totals = shares.sum(axis=1, keepdims=True)
    inside = np.divide(shares, totals, out=np.zeros_like(shares), where=totals > 0)
    centred = means - np.einsum('ck,ckr->cr', inside, means)[:, None]
    between = np.einsum('ck,ckr,cks->rs', shares, centred, centred)
    return explained, rest, np.asarray(between)


def regress(
    covariance: NDArray[np.float64], columns: NDArray[np.int64], variances: NDArray[np.float64]
) -> Regression:
    """Regress the other normals of a component on the known scores.

    Args:
        covariance: Of all its normals, shape (m, m).
        columns: Which columns are known, shape (q,).
        variances: Variance of the scores of all columns, shape (m,).

    Returns:
        The regression.
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
