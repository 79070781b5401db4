"""Two columns at once, as shares of rows on a coarse grid that both tables share.

A *bin* is a field of the grid: a bin or level of the first column and one of the second.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.report.distributions import FEWEST, Places, place_rows

#: The most bins of a number or a date.
GRID_BINS = 12


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class JointDistribution:
    """Shares of the rows in each bin of a grid. Not differentially private.

    Args:
        labels: Names of the levels, or centres of the bins, of the first column (the rows of the
            grid) and of the second one (its columns).
        binned: For both columns, True if the labels are points on an axis.
        real: Shares of the real rows, shape (grid rows, grid columns). Bins of fewer than five rows
            are 0.
        synthetic: Shares of the synthetic rows, same shape.
    """

    labels: tuple[pd.Index, pd.Index]
    binned: tuple[bool, bool]
    real: NDArray[np.float64]
    synthetic: NDArray[np.float64]


def compare_joint(
    real: pd.DataFrame, synthetic: pd.DataFrame, columns: Mapping[str, Mapping[str, Any]]
) -> JointDistribution:
    """Return the shares of the rows of two tables in the bins of the same grid.

    The grid has at most twelve bins, or nine levels, each way. A row in which a number is missing
    is in no bin. ``columns`` are the entries of the two columns in SDV metadata, by name.
    """
    places = [place_rows(real[name], synthetic[name], columns[name], GRID_BINS) for name in columns]
    counts = _count([each.real for each in places], places)
    told = _count([each.synthetic for each in places], places)
    return JointDistribution(
        labels=(places[0].labels, places[1].labels),
        binned=(places[0].binned, places[1].binned),
        real=np.where(counts >= FEWEST, counts, 0) / max(len(real), 1),
        synthetic=told / max(len(synthetic), 1),
    )


def _count(chosen: list[NDArray[np.intp]], places: list[Places]) -> NDArray[np.int64]:
    """Return the number of rows in each bin of the grid, given their places in both columns."""
    counts = np.zeros([len(each.labels) for each in places], dtype=np.int64)
    inside = np.all([each >= 0 for each in chosen], axis=0)
    np.add.at(counts, tuple(each[inside] for each in chosen), 1)
    return counts
