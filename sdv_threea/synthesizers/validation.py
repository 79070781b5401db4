"""Checks of the private table. A complaint names a column and a rule, and never shows a value.

SDV's own checks print the values that break a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.domain import Category, Number
from sdv_threea.encoding.values import LARGEST_NUMBER, find_distinct
from sdv_threea.rows import Rows
from sdv_threea.synthesizers.cells import to_numbers, to_scalar, to_seconds
from sdv_threea.synthesizers.schema import MODELLED, Description, describe

#: What is said of a key.
REPEATED = "Key column '{key}' has repeated values."

#: Error of a decimal fraction that was computed, absolute and relative.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Findings:
    """What was found in a part of a table; parts add up.

    Args:
        num_rows: Number of rows.
        num_targets: Number of rows in which the target is not missing.
        problems: One sentence per problem.
    """

    num_rows: int
    num_targets: int
    problems: tuple[str, ...]

    def __add__(self, other: Findings) -> Findings:
        return Findings(
            self.num_rows + other.num_rows,
            self.num_targets + other.num_targets,
            tuple(dict.fromkeys(self.problems + other.problems)),
        )


def find_problems(
    rows: Rows[pd.DataFrame],
    names: Sequence[Hashable],
    columns: Mapping[str, Description],
    keys: Sequence[str],
    target: str | None,
) -> list[str]:
    """Find what keeps a private table from being fitted.

    Args:
        rows: The private table.
        names: Its columns.
        columns: What the metadata says about each column.
        keys: The columns whose values must be present and unique: where they lie in parts, they are
            unique in each.
        target: The target column, if any.

    Returns:
        One sentence per problem, with names of columns and public facts only.
    """
    problems = _compare_columns(list(names), list(columns))
    if problems:
        return problems
    found = rows.sum(partial(_inspect, columns, keys, target))
    if not found.num_rows:
        return ['The table has no rows: there is nothing to learn from.']
    if target is not None and not found.num_targets:
        return [*found.problems, f"The target column '{target}' has no values at all."]
    return list(found.problems)


def find_repeated_keys(table: pd.DataFrame, keys: Sequence[str]) -> list[str]:
    """Find the keys of a table whose values are not unique, one sentence for each."""
    return [REPEATED.format(key=key) for key in keys if table[key].duplicated().any()]


def _inspect(
    columns: Mapping[str, Description],
    keys: Sequence[str],
    target: str | None,
    chunk: pd.DataFrame,
) -> Findings:
    gaps = [key for key in keys if chunk[key].isna().any()]
    problems = [f"Key column '{key}' has missing values." for key in gaps]
    problems += find_repeated_keys(chunk, keys)
    for name, description in columns.items():
        if description['sdtype'] in MODELLED:
            problems += _check_column(chunk[name], name, description)
    num_targets = 0 if target is None else int(chunk[target].notna().sum())
    return Findings(len(chunk), num_targets, tuple(problems))


def _compare_columns(found: list[Hashable], expected: list[str]) -> list[str]:
    missing = [name for name in expected if name not in found]
    unknown = [name for name in found if name not in expected]
    problems = []
    if missing:
        problems.append(f'The columns {missing} of the metadata are not in the table.')
    if unknown:
        problems.append(f'The columns {unknown} of the table are not in the metadata.')
    if len(set(found)) < len(found):
        problems.append('The table has several columns of the same name.')
    return problems


def _check_column(column: pd.Series, name: str, description: Description) -> list[str]:
    sdtype = description['sdtype']
    present = column[column.notna()]
    problem = _CHECKS.get(sdtype, _check_category)(present, description)
    problems = [f"Column '{name}' ({sdtype}) {problem}"] if problem else []
    if description.get('range_is_nullable') is False and len(present) < len(column):
        problems.append(f"Column '{name}' has missing values, and its metadata allows none.")
    return problems


def _check_number(present: pd.Series, description: Description) -> str | None:
    dtype = present.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return 'is stored as a category: convert it to numbers, or change the sdtype.'
    types = pd.api.types
    odd = types.is_bool_dtype(dtype) or types.is_complex_dtype(dtype)
    stored_as_numbers = types.is_numeric_dtype(dtype) and not odd
    if not stored_as_numbers and not all(map(_is_number, present)):
        return 'has values that are not numbers: convert them, or change the sdtype.'
    try:
        numbers = to_numbers(present)
    except OverflowError:
        return 'has integers that are too large for a float: rescale them, or change the sdtype.'
    if not np.isfinite(numbers).all():
        return 'has infinite values: replace them or set them to missing.'
    places = description.get('decimal_places')
    if places is not None and not _has_places(numbers, places):
        return f'has values with more than {places} decimal places, which its metadata rules out.'
    return _check_range(numbers, description, dtype)


def _has_places(numbers: np.ndarray, places: int) -> bool:
    # Larger numbers are multiples as far as rounding can tell, and would overflow.
    small = numbers[np.abs(numbers) < 10.0**-places / ROUNDING]
    return not len(small) or np.allclose(small, small.round(places), ROUNDING, ROUNDING)


def _check_date(present: pd.Series, description: Description) -> str | None:
    template = description.get('datetime_format')
    try:
        seconds = to_seconds(present, template)
    except (TypeError, ValueError):
        seconds = np.full(len(present), np.nan)
    if np.isnan(seconds).any():
        expected = f"in the format '{template}'" if template else 'that can be read'
        return f'has values that are not dates {expected} (years 1678 to 2261).'
    return _check_range(seconds, description, present.dtype)


def _check_range(numbers: np.ndarray, description: Description, dtype: Any) -> str | None:
    column = describe({'': description}, dtypes={'': dtype})['']
    low = column.low if isinstance(column, Number) else None
    high = column.high if isinstance(column, Number) else None
    if max(abs(low or 0.0), abs(high or 0.0)) > LARGEST_NUMBER:
        return f'has a range in its metadata that goes beyond {LARGEST_NUMBER:g}: rescale it.'
    below = low is not None and bool((numbers < low).any())
    above = high is not None and bool((numbers > high).any())
    return 'has values outside the range in its metadata.' if below or above else None


def _check_boolean(present: pd.Series, description: Description) -> str | None:
    distinct = find_distinct(present).listed
    valid = all(isinstance(value, (bool, np.bool_)) for value in distinct)
    return None if valid else 'has values other than True, False and missing.'


def _check_category(present: pd.Series, description: Description) -> str | None:
    values = list(map(to_scalar, find_distinct(present).listed))
    if not all(isinstance(value, Hashable) for value in values):
        return 'has values that cannot be categories, as they are not hashable.'
    column = describe({'': description})['']
    known = column.values if isinstance(column, Category) else None  # noqa: PD011 (not pandas)
    if known is not None and not set(values) <= set(known):
        return "has values that are not among the 'range_values' of its metadata."
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, Decimal) or bool(
        pd.api.types.is_integer(value) or pd.api.types.is_float(value)
    )


_CHECKS: Mapping[str, Callable[[pd.Series, Description], str | None]] = {
    'numerical': _check_number,
    'datetime': _check_date,
    'boolean': _check_boolean,
}
