"""The private table as canonical columns, and reasons why it cannot be fitted.

The reasons are sentences that name only columns and public facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.intake.columns import find_strange_zones, make_table
from sdv_threea.rows.intake.dates import has_zone
from sdv_threea.rows.intake.facts import Facts, read_column
from sdv_threea.rows.intake.keys import has_repeats
from sdv_threea.rows.intake.parts import MERGED, holds_nul

REPEATED = "Key column '{key}' has repeated values."

ZONED = (
    'has dates in a time zone that neither its dtype nor its format states: convert them by '
    "pd.to_datetime(..., utc=True), or state a 'datetime_format' with %z."
)
ZONELESS = (
    'has dates without a time zone, but its format has one: add the zone by tz_localize, or '
    "state another 'datetime_format'."
)


@dataclass(frozen=True)
class Findings:
    """The problems of a part of a table, its rows and targets. Findings of parts add up."""

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
    """Return the modelled columns of a part of the private table; rows are numbered from 0.

    Columns are float64 with NaN (dates in seconds since 2000), or canonical scalars with ``None``.

    Formal guarantees: a row of the result is a function of the same row of the table, of the dtypes
    and of the facts, whatever the other rows hold.
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
    """Return one sentence for each reason why a private table cannot be fitted.

    ``facts`` are public facts of the modelled columns, and ``target`` is the target column, if any.
    The values of ``keys`` must be present, and unique inside each part. With ``coerce``, cells that
    break a fact are replaced, so only an empty table is a problem.
    """
    if coerce:
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
    """Return the findings in a part of a table."""
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
    """Return a sentence if samples could not show a time zone, because dates are read in UTC."""
    if facts.sdtype != 'datetime' or not find_strange_zones(column, facts.template).any():
        return []
    return [f"Column '{facts.name}' (datetime) {ZONELESS if has_zone(facts.template) else ZONED}"]


def find_repeated_keys(table: pd.DataFrame, keys: Sequence[str]) -> list[str]:
    """Return a sentence for each key whose values are not unique."""
    return [REPEATED.format(key=key) for key in keys if has_repeats(table[[key]])]


def find_merged(header: pd.DataFrame, names: Iterable[str]) -> list[str]:
    """Return a sentence for each category column whose values pandas may have merged."""
    dtypes = header.dtypes.to_dict()
    return [MERGED.format(name=name) for name in names if holds_nul(dtypes[name])]


def _has_gaps(column: pd.Series) -> bool:
    gaps: NDArray[np.bool_] = np.asarray(column.isna(), dtype=np.bool_)
    return bool(gaps.any())
