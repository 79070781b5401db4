"""Tables of two numbers of which one is a linear function of the other.

If ``y = a x + b``, the table of codes is known except for ``a`` and ``b``: the line says which part
of each interval of ``x`` falls into which interval of ``y``. Both are fitted to all counts at once,
so their error is much smaller than that of a count. All of it is post-processing.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

#: The search starts with lines through two of these quantiles of both columns.
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)

#: Counts in the tables of all lines that are tried, and bounds of the number of lines.
COUNTS_TRIED, LEAST_TRIED, MOST_TRIED = 2**25, 40, 250

#: The smallest difference of two lines, as a share of the range of the second number.
NEAR = 1e-3

#: The narrowest interval: a spike is as wide as one float.
NARROWEST = 1e-12


def fit_line(
    counts: NDArray[np.float64],
    scale: NDArray[np.float64],
    rows: NDArray[np.float64],
    columns: NDArray[np.float64],
    edges: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Return the likeliest table of two numbers on a line, with the row sums ``rows``.

    ``counts`` are noisy counts of codes, shape (S_i, S_j), and ``scale`` their noise scales, or
    ones without noise. ``rows`` and ``columns`` are the records of each code. ``edges`` are the
    borders of the codes of both numbers, without code 0, shape (S_i,) and (S_j,).
    """
    precision = 1 / np.square(scale)

    def score(ends: NDArray[np.float64]) -> float:
        table = _lay(ends, counts, rows, columns, edges)
        return float(((table / 2 - counts) * table * precision).sum())

    quantiles = [_find_quantiles(*each) for each in zip((rows, columns), edges, strict=True)]
    first, last = edges[0][0], edges[0][-1]
    starts = [
        _draw_through(quantiles[0][[i, j]], way[[i, j]], first, last)
        for way in (quantiles[1], quantiles[1][::-1])
        for i, j in combinations(range(len(QUANTILES)), 2)
        if quantiles[0][i] < quantiles[0][j]
    ]
    if not starts:
        return _lay(np.zeros(2), counts, rows, columns, edges)
    best = min(starts, key=score)
    near = NEAR * max(float(np.ptp(quantiles[1])), NARROWEST)
    moves = 20 * near * np.array([[0.0, 0.0], [1.0, 1.0], [1.0, -1.0]])
    tried = int(np.clip(COUNTS_TRIED / counts.size, LEAST_TRIED, MOST_TRIED))
    options = {'initial_simplex': best + moves, 'maxfev': tried, 'xatol': near / 20}
    found = minimize(score, best, method='Nelder-Mead', options=options | {'fatol': 1e-6})
    return _lay(found.x, counts, rows, columns, edges)


def _find_quantiles(held: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return quantiles of a number whose records are spread evenly in each interval."""
    passed = np.append(0.0, np.cumsum(held[1:]))
    return np.asarray(np.interp(np.array(QUANTILES) * passed[-1], passed, edges))


def _draw_through(
    x: NDArray[np.float64], y: NDArray[np.float64], first: float, last: float
) -> NDArray[np.float64]:
    """Return the heights of a line through two points, at both ends of the first number's range."""
    slope = (y[1] - y[0]) / (x[1] - x[0])
    return np.asarray(y[0] + slope * (np.array([first, last]) - x[0]))


def _lay(
    ends: NDArray[np.float64],
    counts: NDArray[np.float64],
    rows: NDArray[np.float64],
    columns: NDArray[np.float64],
    edges: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Return the table in which a line divides the records of each code of the first number."""
    first, last = edges[0][0], edges[0][-1]
    heights = ends[0] + (edges[0] - first) / (last - first) * (ends[1] - ends[0])
    low, high = np.minimum(heights[:-1], heights[1:]), np.maximum(heights[:-1], heights[1:])
    widths = np.maximum(high - low, NARROWEST)[:, None]
    # Values outside the range belong to the outermost codes.
    passed = np.clip((edges[1][1:-1] - low[:, None]) / widths, 0, 1)
    table = np.zeros(counts.shape)
    table[0, counts[0].argmax()] = rows[0]
    present = max(float(rows[1:].sum()), 1e-300)
    missing = np.clip((columns[0] - table[0, 0]) / present, 0, 1)
    table[1:, 0] = missing * rows[1:]
    shares = np.diff(passed, axis=1, prepend=0.0, append=1.0)
    table[1:, 1:] = (1 - missing) * rows[1:, None] * shares
    return table
