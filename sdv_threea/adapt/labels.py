"""Adapt the labels: what the classes follow from, fitted to the loss of a classifier.

A mixture that is fitted class by class says which records occur, and says only in passing how their
classes follow from them. Here a model of just that, the
:class:`~sdv_threea.adapt.model.LabelModel`, is fitted to the logistic loss over the private rows.
For record ``i`` let ``x_ic`` in ``R^(1+m+r)`` be a one, the weights of evidence of its ``m`` codes
for class ``c``, and its ``r`` features of the neural tangent kernel; ``w_c`` the weights of class
``c``; and ``y_ic`` one if its class is ``c``, else zero. Then::

    p_ic = softmax_c(w_c . x_ic)          the model
    L(w) = - sum_i sum_c y_ic log p_ic    the loss
    s_c  = sum_i (y_ic - p_ic) x_ic       its slope downhill in w_c

Of two classes the first has log odds of zero: there is one vector of weights, and evidence is that
for the second class against the first. So ``K`` vectors are fitted, one of two classes, ``C`` of
more.

The weights of evidence start as what the mixture implies, those of features at zero. Then come a
few steps of Fisher scoring: the slope of each is released with noise, and moves the weights as far
as it can be believed (:mod:`~sdv_threea.adapt.belief`). The first steps are of evidence alone, and
so are those after a slope that shows nothing of the features. Before features are used their second
moments are released (:mod:`~sdv_threea.adapt.moments`). All else that a step needs is read off
records that are drawn from earlier releases, which costs nothing: curvature, and the radius that
slopes are clipped to.

This is the label solve of kernel inducing points (Nguyen, Chen, Lee 2020, arXiv 2011.00050): the
labels of a set of synthetic records are chosen such that a kernel machine trained on them loses
least on the private rows. There the loss is the squared one, and the labels are ``Y_S`` with ``K_XS
(K_SS + c I)^-1 Y_S = Phi W``, ``W`` the ridge regression of the private targets on the features of
the kernel. Here the loss is the logistic one, and synthetic records, of which there are as many as
are asked for, are labelled by the machine itself: ``softmax(x w)`` in place of ``Phi W``.
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
from sdv_threea.adapt.slopes import CHANCE_UNITS, Featured, slope_sensitivity, sum_slopes
from sdv_threea.approximate.scores import NormalScores
from sdv_threea.encoding.records import Encoded
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.rows import Rows
from sdv_threea.privacy.sums import Statistic, release, take

#: Records that are drawn to fit to. There are fewer where there are more columns and classes: the
#: array of their evidence has at most ``MOST_ENTRIES`` entries, unless records are the fewest.
LEAST_DRAWS, MOST_DRAWS, MOST_ENTRIES = 1000, 10_000, 2**23

#: The features of all rows have no more entries, where little is known.
LABEL_ENTRIES = 2**22

#: The features of the draws have no more entries, once for each class: it bounds time and memory.
DRAWN_ENTRIES = 2**26


def num_draws(num_classes: int, num_columns: int) -> int:
    """Choose how many records to draw for a fit."""
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
    """Choose the features of the kernel that labels are fitted with.

    Args:
        evidence: Weights of evidence in units of ``1 / EVIDENCE_UNITS``, by column, each of shape
            (K, S), by whose length that of features is chosen.
        draws: Records drawn from what is released.
        totals: Number of private records of each class, shape (C,).
        pooled: The normal scores of codes among all classes.
        kernel: A kernel of the user; ``None`` for the neural tangent kernel of a ReLU network.
        mu: The price of the labels, in GDP.
        constants: The constants of the room.

    Returns:
        The features, or ``None`` if the budget carries none, or there is nothing that columns could
        say together.
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
    """Fit the model of the labels to the loss over the private rows.

    Formal guarantees:
        * the rows are read ``T`` times, by :func:`~sdv_threea.adapt.slopes.sum_slopes`, whose sums
          move by at most :func:`~sdv_threea.adapt.slopes.slope_sensitivity`, and with features once
          by :func:`~sdv_threea.adapt.moments.release_feature_moments`
        * the prices of these releases are the roots of parts of ``mu^2`` that add up to it, so they
          compose to ``mu``; weights and radius of a step, and whether it has features, follow from
          the releases before it

    Args:
        rows: Private records.
        evidence: Weights of evidence in units of ``1 / EVIDENCE_UNITS``, by column, each of shape
            (K, S).
        draws: Records drawn from what is released, all classes among them.
        pooled: The normal scores of codes among all classes.
        features: What columns say together, or ``None``.
        constants: How far and how often to step.
        mu: The price, in GDP.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        The model, and a receipt for each release.
    """
    terms: dict[str, Any] = {'neighbors': neighbors, 'noise': noise}
    fit = Fit(evidence, draws, constants)
    fit.start()
    alone, share = rows.map(_without_features), constants.evidence_share
    left = max(1.0 - share - constants.moment_share, 0.0) / constants.feature_steps
    if features is not None:
        drawn = _features_of(draws, pooled, features)
        unit = slope_sensitivity(1.0, neighbors) / (mu * math.sqrt(left))
        if fit.promise(drawn, unit) < constants.least_promise:
            features = None
    first = mu * math.sqrt(1.0 if features is None else share)
    receipts = _take_steps(fit, alone, constants.label_steps, first, terms)
    if features is not None:
        # More rows than are needed would only take time.
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
        for _ in range(constants.feature_steps):
            read = some if fit.num_features else alone
            receipts += _take_steps(fit, read, 1, mu * math.sqrt(left), terms)
    return fit.model(pooled, features), receipts


def _take_steps(
    fit: Fit, rows: Rows[Featured], num_steps: int, mu: float, terms: dict[str, Any]
) -> tuple[Receipt, ...]:
    """Release slopes, and follow them, ``num_steps`` times; ``mu`` is the price of all of them."""
    receipts = []
    for _ in range(num_steps):
        radius, model = fit.radius(), fit.whole_model()
        num_weights = len(model.offsets) * (1 + len(fit.evidence)) + model.weights.size
        statistic = Statistic(
            'adapt',
            f'slopes of the logistic loss in {num_weights} weights',
            partial(sum_slopes, fit.evidence, model, radius),
            slope_sensitivity(radius, terms['neighbors']),
            resolution=1 / (EVIDENCE_UNITS * CHANCE_UNITS),
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
