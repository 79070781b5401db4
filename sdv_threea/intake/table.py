"""The private table, read: canonical columns, and reasons why it cannot be fitted.

In go rows as the user stores them, and what is public of their columns. Out come tables of
canonical columns, or sentences about what is wrong, which name columns and public facts only.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.intake.columns import find_strange_zones, make_table
from sdv_threea.intake.dates import has_zone
from sdv_threea.intake.facts import Facts, read_column
from sdv_threea.intake.keys import has_repeats
from sdv_threea.intake.parts import MERGED, holds_nul
from sdv_threea.privacy.rows import Rows

#: The sentence about a key that two rows have.
REPEATED = "Key column '{key}' has repeated values."

#: What is said of dates whose samples could not tell in which time zone they are.
ZONED = (
    'has dates in a time zone, which neither its dtype nor its format tells: convert them by '
    "pd.to_datetime(..., utc=True), or state a 'datetime_format' with %z."
)
ZONELESS = (
    'has dates without a time zone, and its format has one: give them theirs by tz_localize, or '
    "state another 'datetime_format'."
)


@dataclass(frozen=True)
class Findings:
    """What was found in a part of a table. The findings of two parts can be added.

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


def read_table(facts: Sequence[Facts], table: pd.DataFrame) -> pd.DataFrame:
    """Read the modelled columns of a part of the private table.

    Formal guarantees:
        * a row of the result is a function of the same row of the table, of the dtypes and of the
          facts, whatever the other rows hold

    Args:
        facts: What is public of the columns to be read.
        table: Rows as the user stores them.

    Returns:
        A column for each of ``facts``: float64 with NaN (dates in seconds since 2000), or canonical
        scalars with ``None``. Its rows are numbered from 0.
    """
    cells = {each.name: read_column(table[each.name], each).cells for each in facts}
    return make_table(cells, pd.RangeIndex(len(table)))


def find_problems(
    rows: Rows[pd.DataFrame],
    facts: Sequence[Facts],
    keys: Sequence[str],
    target: str | None,
    *,
    coerce: bool = False,
) -> list[str]:
    """Find the reasons why a private table cannot be fitted.

    Args:
        rows: The private table.
        facts: What is public of its modelled columns.
        keys: The columns whose values must be present and unique. In a table that comes in parts,
            they are only compared inside each part.
        target: The target column, if any.
        coerce: Whether cells that break a rule are replaced, so that they are no problem.

    Returns:
        One sentence per problem, with names of columns and public facts only.
    """
    if coerce:
        # Then the number of rows is all that matters.
        facts, keys, target = (), (), None
    found = rows.sum(partial(inspect, facts, keys, target))
    if not found.num_rows:
        return ['The table has no rows: there is nothing to learn from.']
    if target is not None and not found.num_targets and not found.problems:
        return [f"The target column '{target}' has no values at all."]
    return list(found.problems)


def inspect(
    facts: Sequence[Facts], keys: Sequence[str], target: str | None, table: pd.DataFrame
) -> Findings:
    """Find the problems of a part of a table."""
    problems = [f"Key column '{key}' has missing values." for key in keys if _has_gaps(table[key])]
    problems += find_repeated_keys(table, keys)
    num_targets = 0
    for each in facts:
        cells, broken = read_column(table[each.name], each)
        problems += [*broken, *find_lost_zones(table[each.name], each)]
        if each.name == target:
            num_targets = int(pd.Series(cells, dtype=cells.dtype).notna().sum())
    return Findings(len(table), num_targets, tuple(problems))


def find_lost_zones(column: pd.Series, facts: Facts) -> list[str]:
    """Return a sentence if samples of a column could not tell the time zone of some of its dates.

    Such dates are read all the same, in UTC: a sample would show another time of day.
    """
    if facts.sdtype != 'datetime' or not find_strange_zones(column, facts.template).any():
        return []
    return [f"Column '{facts.name}' (datetime) {ZONELESS if has_zone(facts.template) else ZONED}"]


def find_repeated_keys(table: pd.DataFrame, keys: Sequence[str]) -> list[str]:
    """Return a sentence for each key whose values are not unique."""
    return [REPEATED.format(key=key) for key in keys if has_repeats(table[[key]])]


def find_misstored(header: pd.DataFrame, facts: Sequence[Facts]) -> list[str]:
    """Return a sentence for each numerical column that is stored as a category.

    It depends on the dtypes and the sdtypes alone, which are public.
    """
    dtypes = header.dtypes.to_dict()
    return [
        f"Column '{each.name}' (numerical) is stored as a category: convert it to numbers, or "
        'change the sdtype.'
        for each in facts
        if each.sdtype == 'numerical' and isinstance(dtypes[each.name], pd.CategoricalDtype)
    ]


def find_merged(header: pd.DataFrame, names: Iterable[str]) -> list[str]:
    """Return a sentence for each column of a category whose values pandas may have mixed up."""
    dtypes = header.dtypes.to_dict()
    return [MERGED.format(name=name) for name in names if holds_nul(dtypes[name])]


def compare_columns(found: list[Hashable], expected: list[str]) -> list[str]:
    """Return sentences on how the columns of a table differ from the metadata's; all are public."""
    there, wanted = set(found), set(expected)
    missing = [name for name in expected if name not in there]
    unknown = [name for name in found if name not in wanted]
    problems = []
    if missing:
        problems.append(f'The columns {missing} of the metadata are not in the table.')
    if unknown:
        problems.append(f'The columns {unknown} of the table are not in the metadata.')
    if len(there) < len(found):
        problems.append('The table has several columns of the same name.')
    return problems


def _has_gaps(column: pd.Series) -> bool:
    gaps: NDArray[np.bool_] = np.asarray(column.isna(), dtype=np.bool_)
    return bool(gaps.any())
