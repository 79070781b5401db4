"""Formulas of cost: what a fit takes in seconds and in memory, and how they are fitted to runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from cost_jobs import OURS
from scipy.optimize import nnls

from sdv_threea.pipeline import MOST_READ
from sdv_threea.privacy.rows import CHUNK_CELLS, KEPT_BYTES, LEAST_ROWS

#: Classes of the tables: with more groups than that, there are centroids.
CLASSES = 2

#: What the formulas are fitted to: smaller tables. They have to predict the larger ones.
MOST_ROWS, MOST_COLUMNS = 1_000_000, 300
FITTED = ('rows', 'columns')


@dataclass(frozen=True)
class Size:
    """The size of a fit: rows, columns, and groups (classes times cells) of a mixture."""

    rows: int
    columns: int
    groups: int

    @property
    def released(self) -> int:
        """Second moments that are released, of all groups."""
        return self.groups * (self.columns + 1) * (self.columns + 2) // 2

    def work(self) -> dict[str, float]:
        """How much there is to do, by kind."""
        sought = min(self.rows, MOST_READ) if self.groups > CLASSES else 0
        return {
            'a fit': 1.0,
            'a cell of the table': float(self.rows * self.columns),
            'a cell that centroids see': float(sought * self.columns),
            'a product of two scores': float(self.rows * self.columns**2),
            'a step of a matrix inverse': float(self.groups * self.columns**3),
        }

    def room(self) -> dict[str, float]:
        """How much there is to hold, by kind."""
        cells = self.rows * self.columns
        return {
            'a fit': 1.0,
            'a cell that is kept': float(min(cells, KEPT_BYTES)),
            'a cell of a chunk': float(min(cells, max(CHUNK_CELLS, LEAST_ROWS * self.columns))),
            'a released moment': float(self.released),
        }


class Formula:
    """A sum of amounts, each times the cost of one of them, which is never negative.

    Args:
        amounts: Of each point, by kind.
        measured: What each point cost, above 0.
    """

    def __init__(self, amounts: list[dict[str, float]], measured: list[float]) -> None:
        matrix = pd.DataFrame(amounts)
        # What counts is the relative error: each point is measured in units of its own cost.
        relative = matrix.to_numpy() / np.asarray(measured)[:, None]
        scale = relative.max(axis=0)
        costs, _ = nnls(relative / scale, np.ones(len(measured)))
        self.costs = dict(zip(matrix, costs / scale, strict=True))

    def __call__(self, amounts: dict[str, float]) -> float:
        """Predict what a point costs."""
        return sum(self.costs[kind] * amount for kind, amount in amounts.items())


def list_points(runs: pd.DataFrame) -> pd.DataFrame:
    """List what was measured of ours, with its size: one repeat of each.

    Of the second fit, where there was one: the first loads and compiles.
    """
    own = runs[(runs['method'] == OURS) & runs['fit_seconds'].notna()]
    own = own[own['series'].isin([*FITTED, 'adult', 'isolet']) & (own['repeat'] == 0)].copy()
    own['seconds'] = own['refit_seconds'].fillna(own['fit_seconds'])
    own['mib'] = own['refit_peak_mib'].fillna(own['fit_peak_mib'])
    own['size'] = [
        Size(int(n), int(m), int(g))
        for n, m, g in zip(own['rows'], own['columns'], own['groups'], strict=True)
    ]
    small = (own['rows'] <= MOST_ROWS) & (own['columns'] <= MOST_COLUMNS)
    own['fitted'] = small & own['series'].isin(FITTED)
    return own.sort_values(['series', 'rows', 'columns'], kind='stable')


def fit_formulas(points: pd.DataFrame) -> tuple[Formula, Formula]:
    """Fit the formulas of seconds and of MiB to the smaller points."""
    used = points[points['fitted']]
    return (
        Formula([size.work() for size in used['size']], used['seconds'].to_list()),
        Formula([size.room() for size in used['size']], used['mib'].to_list()),
    )
