"""The private fit of the labels to the logistic loss over the private rows.

For record ``i``, ``x_ic`` in ``R^(1+m+r)`` has a one, the weights of evidence of its ``m`` codes
for class ``c``, and its ``r`` kernel features; ``y_ic`` is one if its class is ``c``, else zero::

    p_ic = softmax_c(w_c . x_ic)          the model
    L(w) = - sum_i sum_c y_ic log p_ic    the loss
    s_c  = sum_i (y_ic - p_ic) x_ic       its slope: the negative gradient in w_c

Noisy slopes move the ``K`` vectors ``w_c`` (one for two classes) by Fisher scoring, first with
evidence alone, then with features. Curvatures and radii come from draws. This is the label solve of
kernel inducing points (Nguyen, Chen, Lee 2020, arXiv 2011.00050), where labels ``Y_S`` of synthetic
records minimise a kernel machine's loss on the private rows: ``K_XS (K_SS + c I)^-1 Y_S = Phi W``,
a ridge regression on features. Here the machine labels all samples itself, and ``softmax(x w)``
replaces ``Phi W``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.evidence import EVIDENCE_UNITS, look_up
from sdv_threea.adapt.features import (
    FEATURE_UNITS,
    MOST_FEATURED,
    KernelFeatures,
    make_features,
    num_features,
)
from sdv_threea.adapt.fit import Draws, Fit
from sdv_threea.adapt.model import LabelModel
from sdv_threea.adapt.moments import add_features, release_feature_moments
from sdv_threea.adapt.ntk import make_kernel
from sdv_threea.adapt.slopes import CHANCE_UNITS, Featured, sum_slopes
from sdv_threea.approximate.scores import NormalScores
from sdv_threea.maths.steps import track
from sdv_threea.privacy.door import release
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.records import Encoded
from sdv_threea.rows.sums import take
from sdv_threea.statistics import registry
from sdv_threea.statistics.sensitivities import slopes

#: Number of draws for a fit. It falls with columns and classes, because the array of evidence has
#: at most ``MOST_ENTRIES`` entries, but not below the fewest.
LEAST_DRAWS, MOST_DRAWS, MOST_ENTRIES = 1000, 10_000, 2**23

#: Largest number of entries of the features of all rows where ``mu n`` is small.
LABEL_ENTRIES = 2**22

#: Largest number of entries of the features of the draws, per class: bounds time and memory.
DRAWN_ENTRIES = 2**26


def num_draws(num_classes: int, num_columns: int) -> int:
    """Return how many records to draw for a fit."""
    fitting = MOST_ENTRIES // (num_classes * (num_columns + 1))
    return min(max(fitting, LEAST_DRAWS), MOST_DRAWS)


def plan_features(  # noqa: PLR0913 (what is known, and the price)
    evidence: tuple[NDArray[np.int64], ...],
    draws: Draws,
    totals: NDArray[np.float64],
    pooled: NormalScores,
    kernel: Callable[..., Any] | None,
    mu: float,
    constants: AdaptConstants,
) -> KernelFeatures | None:
    """Return the kernel features for the labels, or ``None`` if there are none.

    Features need a large enough budget and two columns. Evidence sets the scale of their norm.
    """
    num_records = float(totals.sum())
    wanted = constants.label_features, LABEL_ENTRIES
    rank = num_features(mu * num_records / len(totals), num_records, *wanted, constants)
    width = draws.codes.shape[1]
    if not rank or width < 2:
        return None
    rank = min(rank, DRAWN_ENTRIES // (len(evidence[0]) * len(draws.codes)))
    features = make_features(
        pooled(draws.codes, np.zeros(len(draws.codes), dtype=np.int64)),
        draws.weights,
        make_kernel(kernel, width),
        num_landmarks=max(constants.landmarks, rank),
        rank=rank,
        unclipped=constants.unclipped_features,
        length=constants.feature_length * _length(evidence, draws, constants.unclipped_features),
    )
    return features if features.rank else None


def adapt_labels(  # noqa: PLR0913 (the private rows, the start, the constants and the price)
    rows: Rows[Encoded],
    evidence: tuple[NDArray[np.int64], ...],
    draws: Draws,
    pooled: NormalScores,
    features: KernelFeatures | None,
    constants: AdaptConstants,
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[LabelModel, tuple[Receipt, ...]]:
    """Fit the label model to the loss over the private rows; return it and all receipts.

    Formal guarantees:
        * the rows are read ``T`` times, by :func:`~sdv_threea.adapt.slopes.sum_slopes`, whose sums
          move by at most :func:`~sdv_threea.statistics.sensitivities.slopes`, and with features
          once by :func:`~sdv_threea.adapt.moments.release_feature_moments`
        * the prices of these releases are the roots of parts of ``mu^2`` that add up to it, so they
          compose to ``mu``; weights and radius of a step, and whether it has features, follow from
          the releases before it
    """
    terms: dict[str, Any] = {'neighbors': neighbors, 'noise': noise}
    fit = Fit(evidence, draws, constants)
    fit.start()
    alone, share = rows.map(_without_features), constants.evidence_share
    left = max(1.0 - share - constants.moment_share, 0.0) / constants.feature_steps
    if features is not None:
        drawn = _features_of(draws, pooled, features)
        unit = slopes(radius=1.0, neighbors=neighbors) / (mu * math.sqrt(left))
        if fit.promise(drawn, unit) < constants.least_promise:
            features = None
    first = mu * math.sqrt(1.0 if features is None else share)
    receipts = _take_steps(fit, alone, constants.label_steps, first, terms)
    if features is not None:
        # More rows would only take time.
        part = min(1.0, MOST_FEATURED / draws.weights.sum())
        some = rows.thin(part).map(partial(add_features, pooled, features)).keep()
        moments, receipt = release_feature_moments(
            some,
            features.radius,
            constants,
            mu=mu * math.sqrt(constants.moment_share),
            **terms,
        )
        fit.add_features(drawn, moments, part)
        receipts = (*receipts, receipt)
        for _ in track(range(constants.feature_steps), 'slope with features'):
            read = some if fit.num_features else alone
            receipts += _take_steps(fit, read, 1, mu * math.sqrt(left), terms)
    return fit.model(pooled, features), receipts


def _take_steps(
    fit: Fit, rows: Rows[Featured], num_steps: int, mu: float, terms: dict[str, Any]
) -> tuple[Receipt, ...]:
    """Release ``num_steps`` slopes for a total price ``mu``, and move the weights after each."""
    receipts = []
    for _ in track(range(num_steps), 'slope'):
        radius, model = fit.radius(), fit.whole_model()
        num_weights = len(model.offsets) * (1 + len(fit.evidence)) + model.weights.size
        statistic = registry.SLOPES.state(
            partial(sum_slopes, fit.evidence, model, radius),
            neighbors=terms['neighbors'],
            resolution=1 / (EVIDENCE_UNITS * CHANCE_UNITS),
            weights=num_weights,
            radius=radius,
        )
        price = mu / math.sqrt(num_steps)
        slopes, receipt = release(*take(rows, statistic), mu=price, noise=terms['noise'])
        receipts.append(receipt)
        fit.step(slopes.reshape(len(fit.coordinates), -1), receipt.noise_scale)
    return tuple(receipts)


def _length(evidence: tuple[NDArray[np.int64], ...], draws: Draws, unclipped: float) -> float:
    """Return the norm of (1, evidence) that a share of the draws does not exceed in any class."""
    columns = zip(evidence, draws.codes.T, strict=True)
    squares = sum(np.square(look_up(own, column) / EVIDENCE_UNITS) for own, column in columns)
    return float(np.sqrt(1 + np.quantile(squares, unclipped, axis=0).max()))


def _without_features(chunk: Encoded) -> Featured:
    return Featured(*chunk, np.empty((len(chunk.codes), 0), dtype=np.int16))


def _features_of(
    draws: Draws, pooled: NormalScores, features: KernelFeatures
) -> NDArray[np.float64]:
    chunk = Encoded(draws.codes, draws.labels)
    return add_features(pooled, features, chunk).features / FEATURE_UNITS
