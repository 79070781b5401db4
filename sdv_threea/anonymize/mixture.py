"""The released density: a mixture of Gaussians per class, to draw from for ever."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr


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
        num_classes, num_components, width = self.means.shape
        flat = self.weights.ravel() / self.weights.sum()
        components = rng.choice(len(flat), size=num_rows, p=flat)
        scores = rng.standard_normal((num_rows, width))
        for at in np.unique(components):
            rows = components == at
            label, component = divmod(int(at), num_components)
            root = np.linalg.cholesky(self.covariances[label, component])
            scores[rows] = scores[rows] @ root.T + self.means[label, component]
        classes = components // num_components
        return classes, self.quantiles(scores, classes)

    def quantiles(
        self, scores: NDArray[np.float64], classes: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Place scores, shape (n, m), in the marginals of their classes' mixtures."""
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


def class_mixture(totals: NDArray[np.float64], correlations: NDArray[np.float64]) -> Mixture:
    """Make the mixture of one Gaussian per class: shapes (C,) and (C, m, m)."""
    num_classes, width = correlations.shape[:2]
    return Mixture(totals[:, None], np.zeros((num_classes, 1, width)), correlations[:, None])
