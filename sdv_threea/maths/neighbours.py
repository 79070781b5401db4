"""A noisy table of pairs of columns, in which neighbours are alike.

Columns are often in an order that means something: moments of a series, frequencies, months of a
year. What two of them have to do with each other is then about the same for the two next to them,
so the table of all pairs is smooth, and noise is not. In cosines (a discrete cosine transform in
both directions) it is the slow ones that say what is smooth. They come in bands, by the faster of
both directions, each band half an octave wide, and each is shrunk by what its noise leaves of it
(Wiener 1949; by band James and Stein 1961). In a table whose order means nothing all bands are
alike, and nothing would be gained: Stein's unbiased estimate of the error says so.

All of it is post-processing.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dctn, idctn

#: A band is shrunk as if its noise were larger by this many standard deviations of its power.
DOUBT = 2.0


def smooth_pairs(table: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Smooth a noisy symmetric table of pairs, if that is better than to shrink all of it alike.

    Args:
        table: Values of pairs, shape (m, m), changed in place; what is on the diagonal does not
            count.
        scale: Standard deviation of their noise.

    Returns:
        The smoothed table, shape (m, m); zeros if the order of columns seems to mean nothing.
    """
    width = len(table)
    if width < 3:
        return np.zeros_like(table)
    # A column is about as like itself as it is like the next one.
    np.fill_diagonal(table, max(float(np.diag(table, 1).mean()), 0.0))
    waves = dctn(table, norm='ortho', overwrite_x=True)
    noise, gained = scale**2, 0.0
    power = _sum_squares(waves) / waves.size
    alike = max(0.0, 1 - noise / power) if power else 0.0
    for start, end in _cut_bands(width):
        parts = waves[start:end, :end], waves[:start, start:end]
        size = end**2 - start**2
        own = math.fsum(map(_sum_squares, parts)) / size
        doubted = noise * (1 + DOUBT * math.sqrt(4 / size))  # each pair is there twice
        kept = max(0.0, 1 - doubted / own) if own else 0.0
        gained += size * (_risk(alike, own, noise) - _risk(kept, own, noise))
        for part in parts:
            part *= kept
    if gained <= 0:
        waves[:] = 0.0
        return np.asarray(waves)
    return np.asarray(idctn(waves, norm='ortho', overwrite_x=True))


def _cut_bands(width: int) -> list[tuple[int, int]]:
    """Cut frequencies into bands of half an octave: where they start and end."""
    steps = range(2 * math.ceil(math.log2(width + 1)) + 1)
    borders = sorted({min(math.ceil(2 ** (step / 2)) - 1, width) for step in steps})
    return list(zip(borders, borders[1:], strict=False))


def _sum_squares(part: NDArray[np.float64]) -> float:
    """Add up squares, without a copy of what may be large."""
    return float(np.einsum('ij,ij->', part, part))


def _risk(kept: float, power: float, noise: float) -> float:
    """Estimate the squared error of ``kept`` times a noisy value, without bias (Stein 1981)."""
    return (1 - kept) ** 2 * power + (2 * kept - 1) * noise
