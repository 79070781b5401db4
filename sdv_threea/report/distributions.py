"""Columns of two tables in common bins or levels: as shares of rows, and as codes.

Numbers and dates have bins, and categories have levels. Rare levels are pooled, so that no page
shows a value of a few people.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.report.inputs import DAY_ZERO, ONE_DAY, count_days, take_learned

#: The largest number of bins of a numerical or date column. If values are whole numbers or days,
#: all bins cover equally many of them.
NUM_BINS = 40

#: The largest number of levels of a category: the most frequent ones of the real table.
NUM_LEVELS = 8

#: Levels, or bins of two columns, with fewer real rows are not shown: they may be one person's.
FEWEST = 5

#: The name of the pooled levels.
OTHERS = 'all others'

#: An axis shows the values between these quantiles, and values up to ``LONGER`` times their
#: distance further: a few extreme values must not squeeze the others.
CENTRAL = (0.005, 0.995)
LONGER = 0.25

#: The axis also covers the central synthetic values, unless it then gets this many times longer.
MUCH_LONGER = 3.0


#: The largest number of bins of a numerical or date column on a grid of two columns.
GRID_BINS = 12

#: The largest number of levels of a categorical column, and the most bins of a numerical or date
#: column.
MOST_LEVELS, MOST_BINS = 50, 20

#: The codes of other cells: missing ones, pooled rare levels, values that no real row has.
MISSING, POOLED, UNSEEN = 0, 1, 2

NO_LEVELS = ('missing', 'other values', 'values that no real row has')


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
    """The bin or level of each row of both tables, -1 for none; labels as in a distribution."""

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
    """Return common bins (at most ``num_bins``) or levels of two columns, and those of each row."""
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
    # Bins of whole numbers start half a unit below a number, so that all cover equally many.
    if np.all(values == np.round(values)):
        width = np.ceil((high - low + 1) / num_bins)
        return np.arange(low - 0.5, high + width, width)
    return np.linspace(low, high, num_bins + 1) if low < high else np.array([low - 0.5, low + 0.5])


def _rank_levels(real: pd.Series, description: Mapping[str, Any]) -> dict[str, int]:
    if description['sdtype'] != 'ordinal':
        return {}
    levels = description.get('range_values')
    if levels is None:
        known = list(real.dropna().unique())
        numeric = all(isinstance(each, int | float | np.number) for each in known)
        levels = sorted(known, key=None if numeric else str)
    return {str(level): at for at, level in enumerate(levels)}


def _place_in_levels(real: pd.Series, synthetic: pd.Series, ranks: Mapping[str, int]) -> Places:
    named = [
        column.astype(object).map(str, na_action='ignore').fillna('missing')
        for column in (real, synthetic)
    ]
    counts = named[0].value_counts()
    labels = counts.index[counts >= FEWEST][:NUM_LEVELS]
    if ranks:
        labels = pd.Index(sorted(labels, key=lambda each: ranks.get(each, len(ranks))))
    if not all(column.isin(labels).all() for column in named):
        labels = labels.drop(OTHERS, errors='ignore').append(pd.Index([OTHERS], dtype=object))
    places = [labels.get_indexer(column.where(column.isin(labels), OTHERS)) for column in named]
    return Places(labels, places[0], places[1], binned=False)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class JointDistribution:
    """Shares of the rows in each bin of a grid, shape (bins, bins). Not differentially private.

    Rows and columns of the grid have labels as in a :class:`Distribution`. Bins of fewer than five
    real rows are 0 on the real side.
    """

    labels: tuple[pd.Index, pd.Index]
    binned: tuple[bool, bool]
    real: Floats
    synthetic: Floats


def compare_joint(
    real: pd.DataFrame, synthetic: pd.DataFrame, columns: Mapping[str, Mapping[str, Any]]
) -> JointDistribution:
    """Return the shares of the rows of two tables in the bins of a common grid.

    The grid has at most twelve bins, or nine levels, in each direction. A row in which a number is
    missing is in no bin. ``columns`` are the entries of the two columns in SDV metadata, by name.
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
    counts = np.zeros([len(each.labels) for each in places], dtype=np.int64)
    inside = np.all([each >= 0 for each in chosen], axis=0)
    np.add.at(counts, tuple(each[inside] for each in chosen), 1)
    return counts


class Coded(NamedTuple):
    """A column of two tables as codes: values (``exact``) or intervals; not differentially private.

    ``even`` is the share of rows with each code if rows were spread evenly over the values of real
    rows, or over the central range of numbers.
    """

    real: Wholes
    synthetic: Wholes
    labels: tuple[str, ...]
    exact: bool
    even: Floats
    name: str = ''
    is_category: bool = False


def code_tables(
    real: pd.DataFrame, synthetic: pd.DataFrame, columns: Mapping[str, Mapping[str, Any]]
) -> list[Coded]:
    """Return the codes of the cells of two tables, for all columns that a model can learn from.

    Categories, and numbers with few values, are coded by value, other numbers and dates by
    intervals with about equally many real rows. ``columns`` are the entries in SDV metadata, by
    name.
    """
    own, other = (take_learned(table, columns) for table in (real, synthetic))
    return [
        _code(own[name], other[name], columns[name])._replace(
            name=str(name), is_category=columns[name]['sdtype'] not in ('numerical', 'datetime')
        )
        for name in own
    ]


def _code(real: pd.Series, synthetic: pd.Series, description: Mapping[str, Any]) -> Coded:
    counts, is_number = real.value_counts(sort=False), pd.api.types.is_float_dtype(real)
    if is_number and len(counts) > MOST_LEVELS:
        return _code_intervals(real.to_numpy(float), synthetic.to_numpy(float))
    if not is_number:
        # Levels with the same name are one level, as in a distribution.
        real, synthetic = (each.map(str, na_action='ignore') for each in (real, synthetic))
        counts = real.value_counts(sort=False)
    shown = counts[counts >= FEWEST].nlargest(MOST_LEVELS).index
    shown = shown.sort_values() if is_number else shown
    spell = '{:.6g}'.format if description['sdtype'] == 'numerical' else str
    labels = (*NO_LEVELS, *map(spell, shown))
    codes = [_find(column, shown, counts.index) for column in (real, synthetic)]
    used = np.bincount(codes[0], minlength=len(labels)) > 0
    return Coded(codes[0], codes[1], labels, True, used / max(int(used.sum()), 1))


def _find(column: pd.Series, shown: pd.Index, known: pd.Index) -> Wholes:
    places = shown.get_indexer(pd.Index(column))
    others = np.where(column.isin(known), POOLED, UNSEEN)
    found = np.where(places >= 0, places + len(NO_LEVELS), others)
    return np.where(column.isna(), MISSING, found).astype(np.int64)


def _code_intervals(real: Floats, synthetic: Floats) -> Coded:
    """Code numbers by intervals that end at real quantiles.

    An end belongs to the interval below it, so a frequent lowest value has its own interval.
    """
    quantiles = np.arange(1, MOST_BINS) / MOST_BINS
    ends = np.unique(np.nanquantile(real, quantiles, method='inverted_cdf'))
    codes = [
        np.where(np.isnan(values), MISSING, 1 + ends.searchsorted(values, 'left')).astype(np.int64)
        for values in (real, synthetic)
    ]
    labels = ('missing', *(f'interval {at}' for at in range(len(ends) + 1)))
    low, high = np.nanquantile(real, CENTRAL)
    widths = np.diff(np.concatenate([[low], ends.clip(low, high), [high]]))
    missing = float(np.isnan(real).mean())
    even = np.array([missing, *((1 - missing) * widths / (high - low or 1))])
    return Coded(codes[0], codes[1], labels, False, even)
