"""Two columns boiled down to shares that can be drawn, so that no page carries a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

#: Most bins of a number or a date. Bins of whole numbers or days hold equally many of them.
NUM_BINS = 40

#: Levels of a category that are told apart; the rarer ones (in the real table) are pooled.
NUM_LEVELS = 8

EPOCH, DAY = pd.Timestamp('2000-01-01'), pd.Timedelta(days=1)


@dataclass(frozen=True, kw_only=True, eq=False)
class Distribution:
    """Shares of the rows of the real and of the synthetic table. Not private.

    Args:
        labels: Centres of the bins (numbers or times), or the names of the levels.
        real: Share of the real rows in each bin or level, between 0 and 1.
        synthetic: Share of the synthetic rows.
        binned: Whether the labels are points on an axis.
    """

    labels: pd.Index
    real: NDArray[np.float64]
    synthetic: NDArray[np.float64]
    binned: bool


def compare_distributions(
    real: pd.Series, synthetic: pd.Series, description: Mapping[str, Any]
) -> Distribution:
    """Share out both columns over the same bins or levels.

    Missing values are a level of their own in a category, and in no bin of a number or a date.

    Args:
        real: The real column, of any length.
        synthetic: The synthetic column, of any length.
        description: The column's entry in SDV metadata: ``sdtype`` and, for text dates,
            ``datetime_format``.

    Returns:
        At most ``NUM_BINS`` bins, or ``NUM_LEVELS`` levels and one for the rest.
    """
    if description['sdtype'] == 'numerical':
        return _share_bins(
            real.to_numpy(float, na_value=np.nan), synthetic.to_numpy(float, na_value=np.nan)
        )
    if description['sdtype'] == 'datetime':
        days = (_days(column, description) for column in (real, synthetic))
        shares = _share_bins(*days)
        times = EPOCH + shares.labels * DAY
        return Distribution(labels=times, real=shares.real, synthetic=shares.synthetic, binned=True)
    return _share_levels(real, synthetic)


def _days(times: pd.Series, description: Mapping[str, Any]) -> NDArray[np.float64]:
    parsed = pd.to_datetime(times, format=description.get('datetime_format'), utc=True)
    days: NDArray[np.float64] = ((parsed - EPOCH.tz_localize('UTC')) / DAY).to_numpy(float)
    return days


def _share_bins(real: NDArray[np.float64], synthetic: NDArray[np.float64]) -> Distribution:
    edges = _bin_edges(np.concatenate([real, synthetic]))
    shares = [
        np.histogram(values[np.isfinite(values)], edges)[0] / max(len(values), 1)
        for values in (real, synthetic)
    ]
    centres = pd.Index((edges[:-1] + edges[1:]) / 2)
    return Distribution(labels=centres, real=shares[0], synthetic=shares[1], binned=True)


def _bin_edges(values: NDArray[np.float64]) -> NDArray[np.float64]:
    values = values[np.isfinite(values)]
    if not len(values):
        return np.array([0.0, 1.0])
    low, high = values.min(), values.max()
    if np.all(values == np.round(values)):
        width = np.ceil((high - low + 1) / NUM_BINS)
        return np.arange(low - 0.5, high + width, width)
    return np.linspace(low, high, NUM_BINS + 1) if low < high else np.array([low - 0.5, low + 0.5])


def _share_levels(real: pd.Series, synthetic: pd.Series) -> Distribution:
    named_real, named_synthetic = (_name_levels(column) for column in (real, synthetic))
    common = named_real.value_counts().index[:NUM_LEVELS]
    shares = [
        column.where(column.isin(common), 'all others').value_counts(normalize=True)
        for column in (named_real, named_synthetic)
    ]
    labels = common.union(shares[0].index.union(shares[1].index, sort=False), sort=False)
    real_shares, synthetic_shares = (each.reindex(labels, fill_value=0.0) for each in shares)
    return Distribution(
        labels=labels,
        real=real_shares.to_numpy(float),
        synthetic=synthetic_shares.to_numpy(float),
        binned=False,
    )


def _name_levels(column: pd.Series) -> pd.Series:
    return column.astype(object).map(str, na_action='ignore').fillna('missing')
