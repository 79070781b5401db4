"""Smooth a noisy table of pairs of ordered columns, if their order means something.

Dependence varies slowly along a series of columns (such as months), and noise does not. Each
half-octave band of a cosine transform is shrunk by its noise (Wiener 1949; James and Stein 1961),
if Stein's unbiased risk estimate then falls. The whole module is post-processing.
"""

import math

import numpy as np
from scipy.fft import dctn, idctn

from sdv_threea.arrays import Floats


def smooth_pairs(table: Floats, scale: float, doubt: float) -> Floats:
    """Return a smoothed symmetric table, shape (m, m); zeros if the order seems meaningless.

    ``table`` is changed in place, and its diagonal is ignored. A band is shrunk as if its noise
    were larger by ``doubt`` standard deviations of the noise power.
    """
    width = len(table)
    if width < 3:
        return np.zeros_like(table)
    # The diagonal gets the mean of adjacent pairs, so that it is smooth.
    np.fill_diagonal(table, max(float(np.diag(table, 1).mean()), 0.0))
    waves = dctn(table, norm='ortho', overwrite_x=True)
    noise, gained = scale**2, 0.0
    power = _sum_squares(waves) / waves.size
    alike = max(0.0, 1 - noise / power) if power else 0.0
    for start, end in _cut_bands(width):
        parts = waves[start:end, :end], waves[:start, start:end]
        size = end**2 - start**2
        own = math.fsum(map(_sum_squares, parts)) / size
        doubted = noise * (1 + doubt * math.sqrt(4 / size))  # each pair is there twice
        kept = max(0.0, 1 - doubted / own) if own else 0.0
        gained += size * (_risk(alike, own, noise) - _risk(kept, own, noise))
        for part in parts:
            part *= kept
    if gained <= 0:
        waves[:] = 0.0
        return np.asarray(waves)
    return np.asarray(idctn(waves, norm='ortho', overwrite_x=True))


def _cut_bands(width: int) -> list[tuple[int, int]]:
    steps = range(2 * math.ceil(math.log2(width + 1)) + 1)
    borders = sorted({min(math.ceil(2 ** (step / 2)) - 1, width) for step in steps})
    return list(zip(borders, borders[1:], strict=False))


def _sum_squares(part: Floats) -> float:
    return float(np.einsum('ij,ij->', part, part))


def _risk(kept: float, power: float, noise: float) -> float:
    """Return an unbiased estimate of the squared error of ``kept`` times the value (Stein 1981)."""
    return (1 - kept) ** 2 * power + (2 * kept - 1) * noise
