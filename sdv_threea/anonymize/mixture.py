"""The released density: a mixture of Gaussians per class.

Whatever is drawn from it is post-processing, so it costs nothing, however many rows are drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr, ndtri

#: The most steps that find a quantile. Steps of Newton's double the digits, halvings gain a bit.
MAX_STEPS = 200

#: A quantile is found if a step moves it, or if its probability is off, by less than this share.
PRECISION = 4e-16


@dataclass(frozen=True)
class Mixture:
    """``C`` classes, each a mixture of ``K`` Gaussians in ``m`` normal scores: publishable.

    Args:
        weights: Number of records of each component, at least zero, shape (C, K).
        means: Shape (C, K, m).
        covariances: Positive definite, shape (C, K, m, m).
    """

    weights: NDArray[np.float64]
    means: NDArray[np.float64]
    covariances: NDArray[np.float64]

    def sample(
        self, num_rows: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Draw rows.

        Args:
            num_rows: How many.
            rng: Source of randomness; it needs no secrecy.

        Returns:
            Classes, shape (num_rows,), and quantiles in [0, 1], shape (num_rows, m): uniform in
            each column and class, as each score is replaced by its place in its own marginal.
        """
        classes, scores = self.draw(num_rows, rng)
        return classes, self.quantiles(scores, classes)

    def draw(
        self, num_rows: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Draw the same rows as :meth:`sample`, as scores, shape (num_rows, m)."""
        num_classes, num_components, width = self.means.shape
        flat = self.weights.ravel() / self.weights.sum()
        # Classes and components are drawn together, by their number of records.
        components = rng.choice(len(flat), size=num_rows, p=flat)
        scores = rng.standard_normal((num_rows, width))
        for at in np.unique(components):
            rows = components == at
            label, component = divmod(int(at), num_components)
            # With A = L L^T, the vector L z has covariance A.
            root = np.linalg.cholesky(self.covariances[label, component])
            scores[rows] = scores[rows] @ root.T + self.means[label, component]
        return components // num_components, scores

    def quantiles(
        self, scores: NDArray[np.float64], classes: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the quantiles of scores, shape (n, m), in the marginals of their classes."""
        places = np.empty_like(scores)
        # Each column of a mixture of Gaussians is a mixture of normals.
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

    def invert(self, quantiles: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores at quantiles of the marginals: the inverse of :meth:`quantiles`.

        The smaller of the probabilities below and above is met with full relative precision, in
        tails as in the middle.

        Args:
            quantiles: In each class and column, shape (C, m, n); all classes have weight.

        Returns:
            Scores, shape (C, m, n): infinite at 0 and 1.
        """
        shares = (self.weights / self.weights.sum(axis=1, keepdims=True))[:, None, None]
        means = np.swapaxes(self.means, 1, 2)[:, :, None]
        deviations = np.sqrt(np.diagonal(self.covariances, axis1=2, axis2=3))
        deviations = np.swapaxes(deviations, 1, 2)[:, :, None]
        alone = means + deviations * ndtri(quantiles)[..., None]
        # The quantile of a mixture lies between those of its components.
        low = np.where(shares > 0, alone, np.inf).min(axis=-1)
        high = np.where(shares > 0, alone, -np.inf).max(axis=-1)
        # Quantiles of zero and one lie at infinity, in every component.
        inside = np.isfinite(low)
        with np.errstate(divide='ignore'):
            logs = np.log(np.broadcast_to(shares, alone.shape)[inside])
        parts = (np.broadcast_to(each, alone.shape)[inside] for each in (means, deviations))
        low[inside] = _find(quantiles[inside], low[inside], high[inside], (logs, *parts))
        return np.asarray(low)

    def even(self) -> Mixture:
        """Return the mixture in which all classes that occur have the same weight."""
        sizes = self.weights.sum(axis=1, keepdims=True)
        shares = np.divide(self.weights, sizes, out=np.zeros_like(self.weights), where=sizes > 0)
        return replace(self, weights=shares)

    def marginal(self, labels: NDArray[np.int64], columns: NDArray[np.int64]) -> Mixture:
        """Return the mixture of some classes and columns."""
        return Mixture(
            self.weights[labels],
            self.means[labels][:, :, columns],
            self.covariances[labels][:, :, columns[:, None], columns],
        )


def class_mixture(totals: NDArray[np.float64], correlations: NDArray[np.float64]) -> Mixture:
    """Return the mixture of one Gaussian per class, of mean zero: shapes (C,) and (C, m, m)."""
    num_classes, width = correlations.shape[:2]
    return Mixture(totals[:, None], np.zeros((num_classes, 1, width)), correlations[:, None])


def _find(
    quantiles: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    mixtures: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Find scores between bounds by Newton's method, kept inside the bounds by halving.

    The logarithm of the nearer tail is what is solved for: it is nearly linear far out.

    Args:
        quantiles: Probabilities inside (0, 1), each of a mixture of its own.
        low: Lower bounds.
        high: Upper bounds.
        mixtures: Logarithms of shares, means and deviations, shape (n, K) each.

    Returns:
        The scores, shape (n,).
    """
    logs, means, deviations = mixtures
    side = np.where(quantiles <= 0.5, 1.0, -1.0)
    wanted = np.log(np.minimum(quantiles, 1 - quantiles))
    # Start in the middle of the bounds.
    found = (low + high) / 2
    for _ in range(MAX_STEPS):
        places = (found[:, None] - means) / deviations
        tail = np.logaddexp.reduce(logs + log_ndtr(side[:, None] * places), axis=1)
        density = np.logaddexp.reduce(logs - np.square(places) / 2 - np.log(deviations), axis=1)
        # Positive if the score is too high.
        miss = side * (tail - wanted)
        # The answer lies between the last score that was too low and the last too high.
        low, high = np.where(miss < 0, found, low), np.where(miss > 0, found, high)
        with np.errstate(over='ignore', invalid='ignore'):
            step = found - miss * np.exp(tail - density) * np.sqrt(2 * np.pi)
        # A step that leaves the bounds is replaced by halving them.
        step = np.where((step > low) & (step < high), step, (low + high) / 2)
        done = (np.abs(miss) <= PRECISION) | (np.abs(step - found) <= PRECISION * np.abs(found))
        found = np.where(done, found, step)
        if done.all():
            break
    return found
