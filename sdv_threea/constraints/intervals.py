"""Intervals of numbers, one per row: ranges that known numbers leave for other numbers."""

from __future__ import annotations

from typing import cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.domain import Domain, Number


def spread_out(known: pd.DataFrame, name: str) -> NDArray[np.float64]:
    """Return the ends of a column, shape (n, 2): infinite where its number is not known."""
    own = known[name].to_numpy(dtype=np.float64) if name in known else np.full(len(known), np.nan)
    ends = np.stack([own, own], axis=1)
    return np.where(np.isnan(ends), [-np.inf, np.inf], ends)


def find_released(domain: Domain, name: str) -> NDArray[np.float64]:
    """Return the ends of the released range of a numerical column, shape (1, 2)."""
    column = cast(Number, domain[name])
    return np.array([[column.low, column.high]], dtype=np.float64)


def intersect(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the common part of intervals, shape (n, 2)."""
    low, high = np.maximum(one[:, 0], other[:, 0]), np.minimum(one[:, 1], other[:, 1])
    return np.stack([low, high], axis=1)


def reach(
    ends: NDArray[np.float64], gap: NDArray[np.float64], upwards: bool
) -> NDArray[np.float64]:
    """Return the ends of numbers that are a difference above or below others."""
    return ends + gap if upwards else ends - gap[:, ::-1]
