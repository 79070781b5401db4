"""The records of a component are replaced by a Gaussian: that of their noisy moments.

The release is made by :func:`sdv_threea.approximate.moments.release_score_moments`, whose groups
are the components. Here its answer becomes a density, so all of it is post-processing: components
are shrunk toward their class by what the noise can tell, and made positive definite.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdv_threea.anonymize.constants import AnonymizeConstants
from sdv_threea.anonymize.mixture import Mixture
from sdv_threea.approximate.moments import ScoreMoments
from sdv_threea.maths.positive import bound_eigenvalues
from sdv_threea.maths.shrinkage import ratio, shrunk_effects


def mixture_of_components(
    moments: ScoreMoments,
    totals: NDArray[np.float64],
    correlations: NDArray[np.float64],
    variances: NDArray[np.float64],
    constants: AnonymizeConstants,
) -> Mixture:
    """Make a mixture of the noisy moments of components.

    The mean and covariance of a component start from those of its class and move toward those of
    its own records, as far as noise and number of records can tell. With little noise it is the
    Gaussian of its records, with much that of its class. Scores stand for their normals: their
    means as they are, their products with the gain of
    :func:`~sdv_threea.approximate.gaussian.class_correlations`.

    Args:
        moments: Released moments, ``K`` neighbouring groups per class.
        totals: Number of records of each class, shape (C,).
        correlations: Covariance of the normal variables of each class, shape (C, m, m).
        variances: Variance of the scores, shape (C, m).
        constants: The constants of the stage.

    Returns:
        The mixture.
    """
    moments = moments.unclipped(float(totals @ variances.sum(axis=1)), constants.most_unclipped)
    num_components = len(moments.counts) // len(totals)
    weights, means = [], []
    covariances = np.empty((len(totals), num_components, *correlations.shape[1:]))
    for label, variance in enumerate(variances):
        own = moments.select(slice(label * num_components, (label + 1) * num_components))
        # Only how a class divides is taken from the counts of its components.
        shares = _shares(own.counts, constants.least_share)
        weights.append(shares * totals[label])
        # The size of a class is known better than those of its components.
        own = replace(own, counts=np.maximum(weights[-1], 1.0))
        centres = _centres(own, shares, variance, constants)
        means.append(centres)
        known = own, shares, centres, correlations[label], variance
        _estimate_covariances(*known, constants, out=covariances[label])
    return Mixture(np.stack(weights), np.stack(means), covariances)


def regularize(mixture: Mixture, trust: float) -> Mixture:
    """Return the mixture with smaller covariances inside components, and the same variances.

    A likelihood ratio is most sensitive to directions in which records hardly vary, and there
    errors of the model weigh most. Trusting covariances less makes better classifiers: regularized
    discriminant analysis (Friedman 1989).

    Args:
        mixture: The mixture.
        trust: What is left of the covariances, in [0, 1].

    Returns:
        The mixture.
    """
    # Shrinking all covariances alike keeps the matrix positive definite.
    covariances = mixture.covariances * trust
    variances = np.arange(mixture.means.shape[2])
    covariances[..., variances, variances] = mixture.covariances[..., variances, variances]
    return replace(mixture, covariances=covariances)


def _shares(counts: NDArray[np.float64], least_share: float) -> NDArray[np.float64]:
    """Return the shares of the components of a class, shape (K,): those too small get none."""
    kept = np.where(counts < least_share * counts.max(), 0.0, counts)
    return np.asarray(kept / kept.sum())


def _centres(
    moments: ScoreMoments,
    shares: NDArray[np.float64],
    variance: NDArray[np.float64],
    constants: AnonymizeConstants,
) -> NDArray[np.float64]:
    """Estimate the means of the normals in each component, (K, m); their mixture has mean zero."""
    centred = moments.means - shares @ moments.means
    # A mean varies by the noise of its sum, and by sampling.
    counts = moments.counts[:, None]
    noises = (moments.sum_scale / counts) ** 2 + variance / counts
    # Means are shrunk in units of the normals, whose variance is one: their gain is one.
    gains = np.ones_like(variance)
    rows = zip(centred, noises, strict=True)
    shrunk = np.stack([_effects(row, gains, noise, constants) for row, noise in rows])
    # Shrinking has moved the mean of the class away from zero.
    return np.asarray(shrunk - shares @ shrunk)


def _estimate_covariances(  # noqa: PLR0913 (moments, and what is known of them)
    moments: ScoreMoments,
    shares: NDArray[np.float64],
    centres: NDArray[np.float64],
    correlation: NDArray[np.float64],
    variance: NDArray[np.float64],
    constants: AnonymizeConstants,
    *,
    out: NDArray[np.float64],
) -> None:
    """Estimate the covariances of the normals in each component, into an array (K, m, m).

    Those of a class divide into what varies between the centres ``c_k`` of its components, and what
    is left inside them: ``W = R - sum_k p_k c_k c_k^T``. From ``W`` a component departs as far as
    its products tell. With variances ``v`` of the scores, the products of two scores have the gain
    ``v_i v_j`` per record, and each square is short of that by what its code hides, ``v - v^2``.
    """
    # There may be thousands of columns, so few of their matrices are kept at once.
    between = np.tensordot(shares, [np.outer(centre, centre) for centre in centres], 1)
    within = bound_eigenvalues(correlation - between, constants.least_eigenvalue)
    del between
    gains = np.outer(variance, variance)
    lost, diagonal = variance - variance**2, np.diag_indices(len(variance))
    for at, (count, centre) in enumerate(zip(moments.counts, centres, strict=True)):
        # What the products show beyond what the class explains.
        surprise = np.outer(centre, centre)
        surprise += within
        surprise *= -gains
        products = moments.select(slice(at, at + 1)).products[0]
        products /= count
        surprise += products
        del products
        surprise[diagonal] -= lost
        noises = gains / count
        noises += (moments.product_scale / count) ** 2
        change = _effects(surprise.ravel(), gains.ravel(), noises.ravel(), constants)
        del surprise, noises
        change += within.ravel()
        out[at] = bound_eigenvalues(change.reshape(gains.shape), constants.least_eigenvalue)
        del change


def _effects(
    values: NDArray[np.float64],
    gains: NDArray[np.float64],
    variances: NDArray[np.float64],
    constants: AnonymizeConstants,
) -> NDArray[np.float64]:
    """Return how components depart from their class; noisy multiples of it are the values."""
    if not constants.shrink:
        return ratio(values, gains)
    return shrunk_effects(values, gains, variances, doubt=constants.doubt)
