r"""What columns say of a number only together: a ridge regression on the features of a kernel.

What trees and terms leave of a record's number is expected to follow from its
:mod:`features <sdv_threea.adapt.features>` ``phi`` of a neural tangent kernel. With ``s`` the
standard deviation of what is left::

    r_i = t_i - g_i                                    what is left
    L(w) = sum_i (r_i - w . phi_i)^2 / (2 s^2)         the loss
    (Phi^T Phi + (s / tau)^2 I) w = Phi^T r            where it is least, if w ~ N(0, tau^2 I)

That is the solve of kernel inducing points (Nguyen, Chen, Lee 2020, arXiv 2011.00050, section 3).
Both sides are sums over private rows: the second moments of the features
(:mod:`~sdv_threea.adapt.moments`), and the slope ``Phi^T r``, which is believed as far as its noise
allows (:mod:`~sdv_threea.adapt.belief`). How large weights are expected to be, ``tau``, is what
makes the slope likeliest. Noise hides some of the moments, so the first step misses; the slope
where it ends is released in turn, and says by how much.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import SQUARED_DISTANCE, Receipt
from sdv_threea.adapt.belief import Slopes, log_likelihoods, pool, update
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
from sdv_threea.encoding.records import Encoded
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.rows import Rows
from sdv_threea.privacy.sums import Statistic, release, take

#: Features are made of so many draws, at most: more would only take time.
MOST_DRAWS = 10_000

#: The features of all rows have no more entries, where little is known.
RIDGE_ENTRIES = 2**24

#: Weights of features are whole multiples of ``1 / WEIGHT_UNITS`` where private rows meet them, and
#: no larger than the largest.
WEIGHT_UNITS, LARGEST_WEIGHT = 2**20, 2**4

#: What weights say of a number, in the units of weights times features, in those of numbers.
TOLD_UNITS = FEATURE_UNITS * WEIGHT_UNITS // NUMBER_UNITS


class Remainders(NamedTuple):
    """Private records: what is left of their numbers, whole, (n,), and features, (n, r)."""

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
    """Fit the weights of features to what is left of a number.

    Formal guarantees:
        * the rows, or some of them that chance chooses, are read once by
          :func:`~sdv_threea.adapt.moments.release_feature_moments`, and ``ridge_steps`` times by
          :func:`sum_products`, whose sums move by at most :func:`product_sensitivity`; before that
          each of them is mapped by itself
        * the prices of these releases are the roots of parts of ``mu^2`` that add up to it, so
          they compose to ``mu``; weights of a step follow from the releases before it

    Args:
        rows: Private records.
        expected: What is expected of the number so far.
        interplay: The features, of any weights.
        draws: Records that have a number, drawn from what is released.
        deviation: The standard deviation ``s`` of what is left, in scores.
        constants: The constants of the room.
        mu: The price, in GDP.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        The features with their weights, or ``None`` if slopes show nothing of them; and the
        receipts.
    """
    # More rows than are needed would only take time.
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
    receipts, looks, spread = [receipt], [], 0.0
    weights, covariance = np.zeros(len(curvature)), np.zeros_like(curvature)
    for _ in range(constants.ridge_steps):
        slopes, receipt = _release_slopes(left, weights, largest, radius, mu=price, **terms)
        receipts.append(receipt)
        slopes = slopes.over(deviation)
        if not spread:  # no weight has moved, so all looks were at the same slope
            looks.append(slopes)
            slopes = pool(looks)
            spread = _choose_spread(curvature, *slopes, constants)
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
    """Release the slope of the loss at some weights, times ``s^2``, and the receipt."""
    bound = LARGEST_WEIGHT * WEIGHT_UNITS
    whole = np.clip(np.rint(weights * WEIGHT_UNITS), -bound, bound).astype(np.int64)
    statistic = Statistic(
        'adapt',
        f'products of residuals of the target with {len(weights)} kernel features',
        partial(sum_products, largest, whole),
        product_sensitivity(largest, radius, neighbors),
        resolution=1 / (NUMBER_UNITS * FEATURE_UNITS),
    )
    sums, receipt = release(*take(rows, statistic), mu=mu, noise=noise)
    return Slopes(sums, receipt.noise_scale), receipt


def _choose_spread(
    curvature: NDArray[np.float64],
    slopes: NDArray[np.float64],
    scale: float,
    constants: AdaptConstants,
) -> float:
    """Choose the standard deviation of weights with which such slopes are likeliest; 0 for none."""
    spreads, nothing = constants.ridge_spreads, np.zeros_like(curvature)
    more = np.eye(len(curvature))
    gains = log_likelihoods(curvature, slopes, scale, nothing, more, spreads)
    return spreads[int(np.argmax(gains - constants.feature_doubt * np.sign(spreads)))]


def _leave(expected: Expectation, interplay: Interplay, chunk: Encoded) -> Remainders:
    """Map private records to what is left of their numbers, and to features; some have none."""
    codes = chunk.codes[chunk.codes[:, expected.target] > 0]
    left = expected.start(codes) - add_terms(expected.terms, expected.values, codes)
    return Remainders(left, interplay.see(codes))


def sum_products(largest: int, weights: NDArray[np.int64], chunk: Remainders) -> NDArray[np.int64]:
    """Sum what weights leave of numbers, cut to ``largest`` either way, times features: shape (r,).

    Formal guarantees:
        * the sums of the chunks of a table add up to the sums of the table, bit for bit
        * a record adds its features times a whole number of at most ``largest``, either way: a
          vector of whole numbers whose norm is at most ``largest`` times theirs

    Args:
        largest: In units of ``1 / NUMBER_UNITS``.
        weights: Of the features, in units of ``1 / WEIGHT_UNITS``, shape (r,).
        chunk: Private records.
    """
    told = np.einsum('ij,j->i', chunk.features, weights, dtype=np.int64)
    left = np.clip(chunk.left - told // TOLD_UNITS, -largest, largest)
    return np.asarray(np.einsum('i,ij->j', left, chunk.features, dtype=np.int64))


def product_sensitivity(largest: int, radius: int, neighbors: str = 'add_remove') -> float:
    """Bound the L2 distance of the sums of neighbouring tables, for :func:`sum_products`.

    Formal guarantees:
        * a record moves the sums by at most ``largest * radius``, if no feature vector is longer
          than ``radius``; two records may pull opposite ways, so replacing one by another moves
          them by at most twice that
    """
    return float(largest * radius) * SQUARED_DISTANCE[neighbors]


def plan_interplay(
    draws: Draws,
    target: int,
    pooled: NormalScores,
    kernel: Callable[..., Any] | None,
    mu: float,
    constants: AdaptConstants,
) -> Interplay | None:
    """Choose the features of the kernel that a number is fitted with.

    Args:
        draws: Records drawn from what is released.
        target: The column of the number, of which features know nothing.
        pooled: The normal scores of codes among all classes.
        kernel: A kernel of the user; ``None`` for the neural tangent kernel of a ReLU network.
        mu: The price of the number, in GDP.
        constants: The constants of the room.

    Returns:
        The features, their weights zero; or ``None`` if the budget carries none, or there is
        nothing that columns could say together.
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
