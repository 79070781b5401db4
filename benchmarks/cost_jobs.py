"""The measurements of cost: which method on which table, series by series."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

OURS, COPULA, MST = 'ClustMix', 'GaussianCopula', 'dpmm MST'
METHODS = [OURS, COPULA, MST]

#: Sizes of each series: of all methods, and the largest that a peer is asked for.
ROWS = (10_000, 100_000, 1_000_000, 10_000_000)
COLUMNS = (10, 30, 100, 300, 1_000)
VALUES = (2, 10, 100, 1_000)
EPSILONS = (0.5, 1.0, 3.0, 8.0, math.inf)
MOST_ROWS = {OURS: ROWS[-1], COPULA: 1_000_000, MST: 1_000_000}

#: Rows and columns of a made table, where they are not what is varied.
MADE_ROWS, CATEGORY_ROWS, CATEGORY_COLUMNS, MADE_VALUES = 10_000, 100_000, 20, 5

Job = dict[str, Any]


def list_adult(method: str, small: bool) -> Iterator[Job]:
    """The official training part."""
    for repeat in range(1 if small or method == MST else 3):
        yield {'rows': 32_561, 'columns': 15, 'epsilon': 1.0, 'repeat': repeat}


def list_rows(method: str, small: bool) -> Iterator[Job]:
    """Rows of Adult, drawn with replacement."""
    for rows in ROWS[: 2 if small else None]:
        if rows <= MOST_ROWS[method]:
            yield {'rows': rows, 'columns': 15, 'epsilon': 1.0}


def list_columns(method: str, small: bool) -> Iterator[Job]:
    """Made tables of ever more columns, half of them numbers."""
    for columns in COLUMNS[: 3 if small else None]:
        yield {'rows': MADE_ROWS, 'columns': columns, 'values': MADE_VALUES, 'epsilon': 1.0}


def list_categories(method: str, small: bool) -> Iterator[Job]:
    """Made tables of categories with ever more values."""
    for values in VALUES[: 3 if small else None]:
        shape = {'rows': CATEGORY_ROWS, 'columns': CATEGORY_COLUMNS, 'values': values}
        if method != MST:
            yield shape | {'epsilon': 1.0}


def list_epsilons(method: str, small: bool) -> Iterator[Job]:
    """The official training part of Adult at several budgets."""
    for epsilon in EPSILONS[:: 4 if small else 1]:
        if method == OURS:
            yield {'rows': 32_561, 'columns': 15, 'epsilon': epsilon}


def list_isolet(method: str, small: bool) -> Iterator[Job]:
    """A real table of many columns, all of them numbers but the target."""
    if not small:
        yield {'rows': 3_119, 'columns': 618, 'epsilon': 1.0}


#: The series; ours comes first in each, and the slowest peer last.
SERIES = {
    'adult': list_adult,
    'rows': list_rows,
    'columns': list_columns,
    'categories': list_categories,
    'epsilon': list_epsilons,
    'isolet': list_isolet,
}


def list_jobs(names: list[str], methods: list[str], *, small: bool) -> Iterator[Job]:
    """List measurements, ours first: what takes longest comes last.

    Args:
        names: Of the series.
        methods: Of those that are measured.
        small: Whether it may take minutes only.

    Yields:
        Each with its ``series``, ``method``, ``rows``, ``columns``, ``values`` (of a made table,
        else 0), ``epsilon`` and ``repeat``.
    """
    for method in METHODS:
        if method not in methods or (small and method == MST):
            continue
        for name in names:
            for job in SERIES[name](method, small):
                yield {'series': name, 'method': method, 'values': 0, 'repeat': 0} | job
