"""Post-processing that turns the released moments of each component into a Gaussian mixture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdv_threea.anonymize.constants import AnonymizeConstants
from sdv_threea.anonymize.mixture import Mixture
from sdv_threea.approximate.moments import ScoreMoments
from sdv_threea.maths.positive import bound_eigenvalues
from sdv_threea.maths.shrinkage import shrunk_effects


def mixture_of_components(
    moments: ScoreMoments,
    totals: NDArray[np.float64],
    correlations: NDArray[np.float64],
    variances: NDArray[np.float64],
    constants: AnonymizeConstants,
) -> Mixture:
    """Return the mixture whose components are shrunk toward their class as far as noise requires.

    With little noise a component is the Gaussian of its records, with much noise that of its class.
    Score products have the gain of :func:`~sdv_threea.approximate.gaussian.class_correlations`.

    Args:
        moments: Released moments, ``K`` neighbouring groups per class.
        totals: Number of records of each class, shape (C,).
        correlations: Covariance of the normal variables of each class, shape (C, m, m).
        variances: Variance of the scores, shape (C, m).
        constants: The constants of the stage.
    """
    moments = moments.unclipped(float(totals @ variances.sum(axis=1)), constants.most_unclipped)
    num_components = len(moments.counts) // len(totals)
    weights, means = [], []
    covariances = np.empty((len(totals), num_components, *correlations.shape[1:]))
    for label, variance in enumerate(variances):
        own = moments.select(slice(label * num_components, (label + 1) * num_components))
        # The counts of components only divide the class total, which has less noise.
        shares = _shares(own.counts, constants.least_share)
        weights.append(shares * totals[label])
        own = replace(own, counts=np.maximum(weights[-1], 1.0))
        centres = _centres(own, shares, variance, constants)
        means.append(centres)
        known = own, shares, centres, correlations[label], variance
        _estimate_covariances(*known, constants, out=covariances[label])
    return Mixture(np.stack(weights), np.stack(means), covariances)


def regularize(mixture: Mixture, trust: float) -> Mixture:
    """Return the mixture with covariances times ``trust``, in [0, 1], and unchanged variances.

    Likelihood ratios are most sensitive to model errors in directions of little variance, so
    smaller covariances classify better: regularized discriminant analysis (Friedman 1989).
    """
    # Equal shrinkage of all covariances keeps the matrix positive definite.
    covariances = mixture.covariances * trust
    variances = np.arange(mixture.means.shape[2])
    covariances[..., variances, variances] = mixture.covariances[..., variances, variances]
    return replace(mixture, covariances=covariances)


def _shares(counts: NDArray[np.float64], least_share: float) -> NDArray[np.float64]:
    """Return the shares of the components of a class, shape (K,), with zero for tiny ones."""
    kept = np.where(counts < least_share * counts.max(), 0.0, counts)
    return np.asarray(kept / kept.sum())


def _centres(
    moments: ScoreMoments,
    shares: NDArray[np.float64],
    variance: NDArray[np.float64],
    constants: AnonymizeConstants,
) -> NDArray[np.float64]:
    """Return the shrunken mean normals of each component, (K, m), centred on their class."""
    centred = moments.means - shares @ moments.means
    # Variance of a mean: noise of its sum, plus sampling.
    counts = moments.counts[:, None]
    noises = (moments.sum_scale / counts) ** 2 + variance / counts
    gains = np.ones_like(variance)
    rows = zip(centred, noises, strict=True)
    doubt = constants.doubt if constants.shrink else None
    shrunk = np.stack([shrunk_effects(row, gains, noise, doubt) for row, noise in rows])
    # Shrinkage has moved the mean of the class away from zero.
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
    """Write the shrunken covariances of the normals in each component to ``out``, (K, m, m).

    The class covariance ``R`` minus that between centres ``c_k`` is the covariance inside
    components: ``W = R - sum_k p_k c_k c_k^T``, the prior mean. For scores of variances ``v``, a
    product has the gain ``v_i v_j`` per record, and a square is lower by the variance inside codes,
    ``v - v^2``.
    """
    # Thousands of columns make these matrices large, so few exist at once.
    between = np.tensordot(shares, [np.outer(centre, centre) for centre in centres], 1)
    within = bound_eigenvalues(correlation - between, constants.least_eigenvalue)
    del between
    gains = np.outer(variance, variance)
    doubt = constants.doubt if constants.shrink else None
    lost, diagonal = variance - variance**2, np.diag_indices(len(variance))
    for at, (count, centre) in enumerate(zip(moments.counts, centres, strict=True)):
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
        change = shrunk_effects(surprise.ravel(), gains.ravel(), noises.ravel(), doubt)
        del surprise, noises
        change += within.ravel()
        out[at] = bound_eigenvalues(change.reshape(gains.shape), constants.least_eigenvalue)
        del change
