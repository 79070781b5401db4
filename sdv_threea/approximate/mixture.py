"""The released density: a mixture of Gaussians per class; samples of it are post-processing."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri

from sdv_threea.arrays import Floats, Wholes

#: Largest number of steps that find a quantile: Newton steps double the digits, halvings gain a
#: bit.
MAX_STEPS = 200

#: Relative tolerance of a quantile: of its step or of its probability.
PRECISION = 4e-16


@dataclass(frozen=True)
class Mixture:
    """Released weights, (C, K), means, (C, K, m), and covariances, (C, K, m, m), of Gaussians."""

    weights: Floats
    means: Floats
    covariances: Floats

    def sample(self, num_rows: int, rng: np.random.Generator) -> tuple[Wholes, Floats]:
        """Draw classes, (num_rows,), and quantiles of scores in their class, (num_rows, m)."""
        classes, scores = self.draw(num_rows, rng)
        return classes, self.quantiles(scores, classes)

    def draw(self, num_rows: int, rng: np.random.Generator) -> tuple[Wholes, Floats]:
        """Draw the same rows as :meth:`sample`, as scores, shape (num_rows, m)."""
        num_classes, num_components, width = self.means.shape
        flat = self.weights.ravel() / self.weights.sum()
        components = rng.choice(len(flat), size=num_rows, p=flat)
        scores = rng.standard_normal((num_rows, width))
        for at in np.unique(components):
            rows = components == at
            label, component = divmod(int(at), num_components)
            root = np.linalg.cholesky(self.covariances[label, component])
            scores[rows] = scores[rows] @ root.T + self.means[label, component]
        return components // num_components, scores

    def quantiles(self, scores: Floats, classes: Wholes) -> Floats:
        """Return the quantiles of scores, shape (n, m), in the marginals of their classes."""
        places = np.empty_like(scores)
        deviations = np.sqrt(np.diagonal(self.covariances, axis1=2, axis2=3))
        for label, weights in enumerate(self.weights):
            rows = classes == label
            if not rows.any():
                continue
            shares = weights / weights.sum()
            places[rows] = sum(
                share * ndtr((scores[rows] - mean) / deviation)
                for share, mean, deviation in zip(
                    shares, self.means[label], deviations[label], strict=True
                )
            )
        return np.clip(places, 0.0, 1.0)

    def invert(self, quantiles: Floats) -> Floats:
        """Return the scores at quantiles, both (C, m, n): the inverse of :meth:`quantiles`.

        The smaller tail probability has full relative precision. Scores are infinite at the
        quantiles 0 and 1. All classes need weight.
        """
        shares = (self.weights / self.weights.sum(axis=1, keepdims=True))[:, None, None]
        means = np.swapaxes(self.means, 1, 2)[:, :, None]
        deviations = np.sqrt(np.diagonal(self.covariances, axis1=2, axis2=3))
        deviations = np.swapaxes(deviations, 1, 2)[:, :, None]
        alone = means + deviations * ndtri(quantiles)[..., None]
        # The quantile of a mixture lies between those of its components.
        low = np.where(shares > 0, alone, np.inf).min(axis=-1)
        high = np.where(shares > 0, alone, -np.inf).max(axis=-1)
        # Quantiles of zero and one are infinite in every component.
        inside = np.isfinite(low)
        with np.errstate(divide='ignore'):
            logs = np.log(np.broadcast_to(shares, alone.shape)[inside])
        parts = (np.broadcast_to(each, alone.shape)[inside] for each in (means, deviations))
        low[inside] = _find(quantiles[inside], low[inside], high[inside], (logs, *parts))
        return np.asarray(low)

    def even(self) -> Mixture:
        """Return the mixture with equal weights of all classes that occur."""
        sizes = self.weights.sum(axis=1, keepdims=True)
        shares = np.divide(self.weights, sizes, out=np.zeros_like(self.weights), where=sizes > 0)
        return replace(self, weights=shares)

    def marginal(self, labels: Wholes, columns: Wholes) -> Mixture:
        """Return the mixture of some classes and columns."""
        return Mixture(
            self.weights[labels],
            self.means[labels][:, :, columns],
            self.covariances[labels][:, :, columns[:, None], columns],
        )


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


def class_mixture(totals: Floats, correlations: Floats) -> Mixture:
    """Return the mixture of one zero-mean Gaussian per class."""
    num_classes, width = correlations.shape[:2]
    return Mixture(totals[:, None], np.zeros((num_classes, 1, width)), correlations[:, None])


def _find(
    quantiles: Floats, low: Floats, high: Floats, mixtures: tuple[Floats, Floats, Floats]
) -> Floats:
    """Return the scores at quantiles in (0, 1), given log shares, means and deviations, (n, K)."""
    logs, means, deviations = mixtures
    side = np.where(quantiles <= 0.5, 1.0, -1.0)
    wanted = np.log(np.minimum(quantiles, 1 - quantiles))
    found = (low + high) / 2
    # The log of the smaller tail is nearly linear far out.
    for _ in range(MAX_STEPS):
        places = (found[:, None] - means) / deviations
        tail = np.logaddexp.reduce(logs + log_ndtr(side[:, None] * places), axis=1)
        density = np.logaddexp.reduce(logs - np.square(places) / 2 - np.log(deviations), axis=1)
        miss = side * (tail - wanted)
        low, high = np.where(miss < 0, found, low), np.where(miss > 0, found, high)
        with np.errstate(over='ignore', invalid='ignore'):
            step = found - miss * np.exp(tail - density) * np.sqrt(2 * np.pi)
        # A Newton step outside the bounds is replaced by their middle.
        step = np.where((step > low) & (step < high), step, (low + high) / 2)
        done = (np.abs(miss) <= PRECISION) | (np.abs(step - found) <= PRECISION * np.abs(found))
        found = np.where(done, found, step)
        if done.all():
            break
    return found
