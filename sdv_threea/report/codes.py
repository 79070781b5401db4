"""Two tables as whole numbers: a code for each cell, in bins or levels that both tables share.

Levels of few real rows are pooled, so that no level on a page belongs to a few people.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.report.distributions import CENTRAL, FEWEST
from sdv_threea.report.inputs import take_learned

#: The most levels of a categorical column, and the most bins of a numerical or date column.
MOST_LEVELS, MOST_BINS = 50, 20

#: The codes of other cells: missing ones, pooled rare levels, values that no real row has.
MISSING, POOLED, UNSEEN = 0, 1, 2

NO_LEVELS = ('missing', 'other values', 'values that no real row has')


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Coded:
    """The cells of two tables as codes; not differentially private.

    Args:
        names: Names of the columns.
        real: Codes of the real rows, shape (columns, rows).
        synthetic: Codes of the synthetic rows, shape (columns, rows).
        labels: For each column, the name of each code.
        exact: For each column, True if codes are values, False if they are intervals.
        categories: For each column, True if it is neither numerical nor a date.
        even: For each column, the share of rows with each code if rows were spread evenly: over the
            values of real rows, or over the central range of numbers.
    """

    names: tuple[str, ...]
    real: Wholes
    synthetic: Wholes
    labels: tuple[tuple[str, ...], ...]
    exact: tuple[bool, ...]
    categories: tuple[bool, ...]
    even: tuple[Floats, ...]


def code_tables(
    real: pd.DataFrame, synthetic: pd.DataFrame, columns: Mapping[str, Mapping[str, Any]]
) -> Coded:
    """Return the codes of the cells of two tables, for all columns that a model can learn from.

    Categories, and numbers with few values, are coded by value. Other numbers and dates are coded
    by intervals with about equally many real rows. ``columns`` are the entries in SDV metadata, by
    name.
    """
    tables = [take_learned(table, columns) for table in (real, synthetic)]
    names = list(tables[0])
    coded = [_code(tables[0][name], tables[1][name], columns[name]) for name in names]
    own, other, labels, exact, even = zip(*coded, strict=True) if coded else [()] * 5
    return Coded(
        names=tuple(map(str, names)),
        real=np.array(own, dtype=np.int64).reshape(len(names), len(real)),
        synthetic=np.array(other, dtype=np.int64).reshape(len(names), len(synthetic)),
        labels=labels,
        exact=exact,
        categories=tuple(
            columns[name]['sdtype'] not in ('numerical', 'datetime') for name in names
        ),
        even=even,
    )


_Codes = tuple[Wholes, Wholes, tuple[str, ...], bool, Floats]


def _code(real: pd.Series, synthetic: pd.Series, description: Mapping[str, Any]) -> _Codes:
    counts = real.value_counts(sort=False)
    if pd.api.types.is_float_dtype(real) and len(counts) > MOST_LEVELS:
        return _code_intervals(real.to_numpy(float), synthetic.to_numpy(float))
    if not pd.api.types.is_float_dtype(real):
        # Levels are distinguished by their names, as in the module distributions.
        real, synthetic = (each.map(str, na_action='ignore') for each in (real, synthetic))
        counts = real.value_counts(sort=False)
    shown = counts[counts >= FEWEST].nlargest(MOST_LEVELS).index
    if pd.api.types.is_float_dtype(real):
        shown = shown.sort_values()
    spell = _spell if description['sdtype'] == 'numerical' else str
    labels = (*NO_LEVELS, *map(spell, shown))
    codes = [_find(column, shown, counts.index) for column in (real, synthetic)]
    used = np.bincount(codes[0], minlength=len(labels)) > 0
    return codes[0], codes[1], labels, True, used / max(int(used.sum()), 1)


def _find(column: pd.Series, shown: pd.Index, known: pd.Index) -> Wholes:
    places = shown.get_indexer(pd.Index(column))
    others = np.where(column.isin(known), POOLED, UNSEEN)
    found = np.where(places >= 0, places + len(NO_LEVELS), others)
    return np.where(column.isna(), MISSING, found).astype(np.int64)


def _code_intervals(real: Floats, synthetic: Floats) -> _Codes:
    """Code numbers by intervals that end at real quantiles.

    An end belongs to the interval below it, so a frequent lowest value has its own interval.
    """
    quantiles = np.arange(1, MOST_BINS) / MOST_BINS
    ends = np.unique(np.nanquantile(real, quantiles, method='inverted_cdf'))
    codes = [
        np.where(np.isnan(values), MISSING, 1 + ends.searchsorted(values, 'left')).astype(np.int64)
        for values in (real, synthetic)
    ]
    names = tuple(f'interval {at}' for at in range(len(ends) + 1))
    low, high = np.nanquantile(real, CENTRAL)
    widths = np.diff(np.concatenate([[low], ends.clip(low, high), [high]]))
    missing = float(np.isnan(real).mean())
    even = np.array([missing, *((1 - missing) * widths / (high - low or 1))])
    return codes[0], codes[1], ('missing', *names), False, even


def _spell(value: float) -> str:
    return f'{value:.6g}'
