"""Ridge regression of a number on kernel features, for joint effects of several columns.

Residuals of trees and terms, of standard deviation ``s``, are regressed on features ``phi``::

    r_i = t_i - g_i                                    residual
    L(w) = sum_i (r_i - w . phi_i)^2 / (2 s^2)         loss
    (Phi^T Phi + (s / tau)^2 I) w = Phi^T r            minimum if w ~ N(0, tau^2 I)

This is the solve of kernel inducing points (Nguyen, Chen, Lee 2020, arXiv 2011.00050, section 3).
Second moments of features and the slope ``Phi^T r`` are released; the slope's likelihood sets
``tau``, its posterior ``w``. Noisy moments make a step inexact, so further slopes follow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.adapt.belief import Slopes, choose_spread, log_likelihoods, update
from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.features import FEATURE_UNITS, MOST_FEATURED, make_features, num_features
from sdv_threea.adapt.fit import Draws
from sdv_threea.adapt.model import Interplay
from sdv_threea.adapt.moments import match_moments, release_feature_moments
from sdv_threea.adapt.ntk import make_kernel
from sdv_threea.adapt.numbers import Expectation
from sdv_threea.adapt.terms import add_terms
from sdv_threea.adapt.trees import NUMBER_UNITS
from sdv_threea.approximate.scores import NormalScores
from sdv_threea.maths.steps import track
from sdv_threea.privacy.door import release
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.records import Encoded
from sdv_threea.rows.sums import take
from sdv_threea.statistics import registry

#: Draws used to make features: more would only take time.
MOST_DRAWS = 10_000

#: Largest number of entries of the features of all rows where ``mu n`` is small.
RIDGE_ENTRIES = 2**24

#: Weights of features are whole multiples of ``1 / WEIGHT_UNITS`` on private rows, and bounded.
WEIGHT_UNITS, LARGEST_WEIGHT = 2**20, 2**4

#: Units of weights times features per unit of numbers.
TOLD_UNITS = FEATURE_UNITS * WEIGHT_UNITS // NUMBER_UNITS


class Remainders(NamedTuple):
    """Private records: integer residuals of their numbers, (n,), and features, (n, r)."""

    left: NDArray[np.int64]
    features: NDArray[np.integer]


def fit_ridge(  # noqa: PLR0913 (the private rows, what is known, and the price)
    rows: Rows[Encoded],
    expected: Expectation,
    interplay: Interplay,
    draws: Draws,
    deviation: float,
    constants: AdaptConstants,
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[Interplay | None, tuple[Receipt, ...]]:
    """Fit feature weights to the residuals of a number; return them and all receipts.

    The weights are ``None`` if no slope is significant. ``deviation`` is ``s``, in scores.

    Formal guarantees:
        * the rows, or some of them that chance chooses, are read once by
          :func:`~sdv_threea.adapt.moments.release_feature_moments`, and ``ridge_steps`` times by
          :func:`sum_products`, whose sums move by at most
          :func:`~sdv_threea.statistics.sensitivities.products`; before that each of them is mapped
          by itself
        * the prices of these releases are the roots of parts of ``mu^2`` that add up to it, so they
          compose to ``mu``; weights of a step follow from the releases before it
    """
    # More rows would only take time.
    part = min(1.0, MOST_FEATURED / draws.weights.sum())
    left = rows.thin(part).map(partial(_leave, expected, interplay)).keep()
    radius, share = interplay.features.radius, constants.ridge_moment_share
    terms: dict[str, Any] = {'neighbors': neighbors, 'noise': noise}
    price = mu * math.sqrt(share)
    moments, receipt = release_feature_moments(left, radius, constants, mu=price, **terms)
    draws = draws.first(MOST_DRAWS)
    records = draws.weights * part
    features = match_moments(interplay.see(draws.codes) / FEATURE_UNITS, records, moments)
    curvature = features.T @ (features * records[:, None])
    largest = math.ceil(constants.largest_residual * deviation * NUMBER_UNITS)
    price = mu * math.sqrt((1 - share) / constants.ridge_steps)
    receipts, spread = [receipt], 0.0
    seen: Slopes | None = None
    weights, covariance = np.zeros(len(curvature)), np.zeros_like(curvature)
    for _ in track(range(constants.ridge_steps), 'slope'):
        slopes, receipt = _release_slopes(left, weights, largest, radius, mu=price, **terms)
        receipts.append(receipt)
        slopes = slopes.over(deviation)
        if not spread:  # no weight has moved, so all releases were of the same slope
            slopes = seen = slopes if seen is None else seen.average(slopes)
            law = curvature, *slopes, np.zeros_like(curvature), np.eye(len(curvature))
            spreads = constants.ridge_spreads
            likely = log_likelihoods(*law, spreads)
            spread, gain = choose_spread(likely, spreads)
            spread *= gain > constants.feature_doubt
            covariance = spread**2 * np.eye(len(curvature))
        way, covariance, _ = update(curvature, *slopes, covariance)
        weights = weights + deviation * way
    found = replace(interplay, weights=weights[None]) if spread else None
    return found, tuple(receipts)


def _release_slopes(  # noqa: PLR0913 (the private rows, where on the way, and the price)
    rows: Rows[Remainders],
    weights: NDArray[np.float64],
    largest: int,
    radius: int,
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[Slopes, Receipt]:
    """Release the slope of the loss at some weights, times ``s^2``; return it and the receipt."""
    bound = LARGEST_WEIGHT * WEIGHT_UNITS
    whole = np.clip(np.rint(weights * WEIGHT_UNITS), -bound, bound).astype(np.int64)
    statistic = registry.PRODUCTS.state(
        partial(sum_products, largest, whole),
        neighbors=neighbors,
        resolution=1 / (NUMBER_UNITS * FEATURE_UNITS),
        features=len(weights),
        largest=largest,
        radius=radius,
    )
    sums, receipt = release(*take(rows, statistic), mu=mu, noise=noise)
    return Slopes(sums, receipt.noise_scale), receipt


def _leave(expected: Expectation, interplay: Interplay, chunk: Encoded) -> Remainders:
    """Return residuals and features of the private records that have a number."""
    codes = chunk.codes[chunk.codes[:, expected.target] > 0]
    left = expected.start(codes) - add_terms(expected.terms, expected.values, codes)
    return Remainders(left, interplay.see(codes))


def sum_products(largest: int, weights: NDArray[np.int64], chunk: Remainders) -> NDArray[np.int64]:
    """Sum the products of residuals, cut to ``largest`` either way, with features: shape (r,).

    ``largest`` is in units of ``1 / NUMBER_UNITS``, ``weights``, (r,), in ``1 / WEIGHT_UNITS``.

    Formal guarantees:
        * the sums of the chunks of a table add up to the sums of the table, bit for bit
        * a record adds its features times a whole number of at most ``largest``, either way: a
          vector of whole numbers whose norm is at most ``largest`` times theirs
    """
    told = np.einsum('ij,j->i', chunk.features, weights, dtype=np.int64)
    left = np.clip(chunk.left - told // TOLD_UNITS, -largest, largest)
    return np.asarray(np.einsum('i,ij->j', left, chunk.features, dtype=np.int64))


def plan_interplay(
    draws: Draws,
    target: int,
    pooled: NormalScores,
    kernel: Callable[..., Any] | None,
    mu: float,
    constants: AdaptConstants,
) -> Interplay | None:
    """Return the kernel features for a number, with zero weights, or ``None`` if there are none.

    Features ignore the target and need two other columns; ``kernel=None`` is the kernel of a ReLU
    network.
    """
    draws, width = draws.first(MOST_DRAWS), draws.codes.shape[1]
    num_records = float(draws.weights.sum())
    wanted = constants.ridge_features, RIDGE_ENTRIES
    rank = num_features(mu * num_records, num_records, *wanted, constants)
    if not rank or width < 3:
        return None
    scores = tuple(own * (at != target) for at, own in enumerate(pooled.scores))
    blind = replace(pooled, scores=scores)
    features = make_features(
        blind(draws.codes, np.zeros(len(draws.codes), dtype=np.int64)),
        draws.weights,
        make_kernel(kernel, width),
        num_landmarks=max(constants.landmarks, rank),
        rank=rank,
        unclipped=constants.unclipped_features,
    )
    weights = np.zeros((1, features.rank))
    return Interplay(blind, features, weights) if features.rank else None
