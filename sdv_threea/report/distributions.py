"""One column of the real and of the synthetic table, or two, as shares of rows that can be drawn.

Input: columns and their metadata. Output: the shares of rows in common bins (numbers and dates) or
levels (categories). Rare levels are pooled, so that no page shows a value of a few people.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.report.inputs import DAY_ZERO, ONE_DAY, count_days

#: The most bins of a numerical or date column. All bins of a column of whole numbers, or of days,
#: cover equally many numbers.
NUM_BINS = 40

#: The most levels of a category: the most frequent ones of the real table.
NUM_LEVELS = 8

#: A level, or a bin of two columns, with fewer real rows is not shown: it may be one person's.
FEWEST = 5

#: The name of the pool.
OTHERS = 'all others'

#: An axis shows the values between these quantiles, and further values up to ``LONGER`` times the
#: range between them: a few extreme values must not squeeze the others.
CENTRAL = (0.005, 0.995)
LONGER = 0.25

#: The axis also covers the central synthetic values, unless that makes it this many times longer.
MUCH_LONGER = 3.0


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Distribution:
    """Shares of the rows of the real and of the synthetic table. Not differentially private.

    Args:
        labels: Centres of the bins (numbers or times), or names of the levels.
        real: Share of the real rows in each bin or level, between 0 and 1.
        synthetic: Share of the synthetic rows in each bin or level.
        binned: True if the labels are points on an axis.
        beyond: Shares of the real and of the synthetic rows whose number is beyond the bins.
        missing: Shares of the real and of the synthetic rows without a value.
    """

    labels: pd.Index
    real: Floats
    synthetic: Floats
    binned: bool
    beyond: tuple[float, float] = (0.0, 0.0)
    missing: tuple[float, float] = (0.0, 0.0)


class Places(NamedTuple):
    """The bin or the level of each row of both tables, -1 for none; else as in a distribution."""

    labels: pd.Index
    real: NDArray[np.intp]
    synthetic: NDArray[np.intp]
    binned: bool


def compare_distributions(
    real: pd.Series, synthetic: pd.Series, description: Mapping[str, Any]
) -> Distribution:
    """Return the shares of the rows of two columns, of any length, in common bins or levels.

    There are at most ``NUM_BINS`` bins, or ``NUM_LEVELS`` levels and one for the rest. A missing
    category is a level; a missing number or date is in no bin. ``description`` is the entry in SDV
    metadata: ``sdtype`` and, for dates as text, ``datetime_format``.
    """
    places = place_rows(real, synthetic, description, NUM_BINS)
    missing, beyond = [], []
    for column, found in ((real, places.real), (synthetic, places.synthetic)):
        missing.append(float(column.isna().mean()) if len(column) else 0.0)
        placed = float(np.mean(found >= 0)) if len(found) else 1.0
        beyond.append(max(1 - missing[-1] - placed, 0.0) if places.binned else 0.0)
    return Distribution(
        missing=(missing[0], missing[1]),
        beyond=(beyond[0], beyond[1]),
        labels=places.labels,
        real=_share(places.real, len(places.labels)),
        synthetic=_share(places.synthetic, len(places.labels)),
        binned=places.binned,
    )


def place_rows(
    real: pd.Series, synthetic: pd.Series, description: Mapping[str, Any], num_bins: int
) -> Places:
    """Return the common bins or levels of two columns, and the one of each row.

    Numbers and dates have at most ``num_bins`` bins.
    """
    if description['sdtype'] == 'numerical':
        both = [column.to_numpy(float, na_value=np.nan) for column in (real, synthetic)]
        return _place_in_bins(both[0], both[1], num_bins)
    if description['sdtype'] == 'datetime':
        days = [count_days(column, description).to_numpy(float) for column in (real, synthetic)]
        places = _place_in_bins(days[0], days[1], num_bins)
        return places._replace(labels=DAY_ZERO + places.labels * ONE_DAY)
    return _place_in_levels(real, synthetic, _rank_levels(real, description))


def _share(places: NDArray[np.intp], num_places: int) -> Floats:
    counts = np.bincount(places[places >= 0], minlength=num_places)
    shares: Floats = counts / max(len(places), 1)
    return shares


def _place_in_bins(real: Floats, synthetic: Floats, num_bins: int) -> Places:
    edges = _bin_edges(_take_central(real, synthetic), num_bins)
    places = [_find_bins(values, edges) for values in (real, synthetic)]
    centres = pd.Index((edges[:-1] + edges[1:]) / 2)
    return Places(centres, places[0], places[1], binned=True)


def _take_central(real: Floats, synthetic: Floats) -> Floats:
    """Return the values of both columns within the range of the axis."""
    kept = [values[np.isfinite(values)] for values in (real, synthetic)]
    ranges = [np.quantile(values, CENTRAL, method='inverted_cdf') for values in kept if len(values)]
    if not ranges:
        return np.zeros(0)
    low, high = np.min(ranges, axis=0)[0], np.max(ranges, axis=0)[1]
    own = np.ptp(ranges[0])
    if high - low > MUCH_LONGER * own > 0:
        low, high = ranges[0]
    values, span = np.concatenate(kept), LONGER * (high - low)
    central: Floats = values[(values >= low - span) & (values <= high + span)]
    return central


def _find_bins(values: Floats, edges: Floats) -> NDArray[np.intp]:
    """Return the bin of each value, -1 for none; the last bin includes its upper edge."""
    places = edges.searchsorted(values, 'right') - 1
    places[values == edges[-1]] = len(edges) - 2
    return np.where(np.isfinite(values) & (places < len(edges) - 1), places, -1)


def _bin_edges(values: Floats, num_bins: int) -> Floats:
    values = values[np.isfinite(values)]
    if not len(values):
        return np.array([0.0, 1.0])
    low, high = values.min(), values.max()
    # Bins of whole numbers start half a unit below a number, so all cover equally many numbers.
    if np.all(values == np.round(values)):
        width = np.ceil((high - low + 1) / num_bins)
        return np.arange(low - 0.5, high + width, width)
    return np.linspace(low, high, num_bins + 1) if low < high else np.array([low - 0.5, low + 0.5])


def _rank_levels(real: pd.Series, description: Mapping[str, Any]) -> dict[str, int]:
    """Return the place of each level of an ordinal column, in stated or in sorted order."""
    if description['sdtype'] != 'ordinal':
        return {}
    levels = description.get('range_values')
    if levels is None:
        known = list(real.dropna().unique())
        numeric = all(isinstance(each, int | float | np.number) for each in known)
        levels = sorted(known, key=None if numeric else str)
    return {str(level): at for at, level in enumerate(levels)}


def _place_in_levels(real: pd.Series, synthetic: pd.Series, ranks: Mapping[str, int]) -> Places:
    named = [_name_levels(column) for column in (real, synthetic)]
    counts = named[0].value_counts()
    labels = counts.index[counts >= FEWEST][:NUM_LEVELS]
    if ranks:
        labels = pd.Index(sorted(labels, key=lambda each: ranks.get(each, len(ranks))))
    if not all(column.isin(labels).all() for column in named):
        labels = labels.drop(OTHERS, errors='ignore').append(pd.Index([OTHERS], dtype=object))
    places = [labels.get_indexer(column.where(column.isin(labels), OTHERS)) for column in named]
    return Places(labels, places[0], places[1], binned=False)


def _name_levels(column: pd.Series) -> pd.Series:
    return column.astype(object).map(str, na_action='ignore').fillna('missing')


#: The most bins of a numerical or date column.
GRID_BINS = 12


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class JointDistribution:
    """Shares of the rows in each bin of a grid, shape (bins, bins). Not differentially private.

    Labels are as in a :class:`Distribution`, of the rows and of the columns of the grid. Bins of
    fewer than five real rows are 0 on the real side.
    """

    labels: tuple[pd.Index, pd.Index]
    binned: tuple[bool, bool]
    real: Floats
    synthetic: Floats


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


def _count(chosen: list[NDArray[np.intp]], places: list[Places]) -> Wholes:
    """Return the number of rows in each bin of the grid, given their places in both columns."""
    counts = np.zeros([len(each.labels) for each in places], dtype=np.int64)
    inside = np.all([each >= 0 for each in chosen], axis=0)
    np.add.at(counts, tuple(each[inside] for each in chosen), 1)
    return counts
