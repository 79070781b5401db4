"""Estimate the time and the memory of a fit and of a sample from public numbers.

A fit or a sample beyond the memory is refused. Time is only reported: a fit that fits into 250 GB
of memory takes less than a day, unless rows are read from or written to files.
"""

import math
import os
from dataclasses import dataclass
from pathlib import Path

from sdv_threea.errors import InputError, ShortageError

GIGABYTE = 1e9

#: Bytes of a cell of a table in memory, at least.
CELL_BYTES = 8

#: Memory of a fit: bytes of the package with SDV; the number of matrices, with an entry per pair of
#: columns, in memory at once; and such matrices for each class. Measured at 1,500 columns, and at
#: 5,000 with and without two classes.
PACKAGE_BYTES, MATRICES, CLASS_MATRICES = 4e8, 7, 5

#: Seconds of one processor: for any fit; for each cell, column, and pair of columns; and for each
#: sampled cell. All measured times are within a factor of three: 10 to 5,000 columns of 10,000
#: rows, 10,000 to 1,000,000 rows of 15 columns, with and without a target.
FIT, FIT_CELL, FIT_COLUMN, FIT_PAIR, SAMPLE_CELL = 0.2, 4e-7, 6e-3, 1e-6, 5e-7

#: Additional seconds for labels: in total, and for each column.
LABELS, LABELS_COLUMN = 0.3, 1e-2

#: Files of Linux with the memory limit of a container.
LIMITS = ('/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes')


@dataclass(frozen=True, kw_only=True)
class ExpectedCost:
    """The cost of a fit, without the given table, and of a sample of as many rows.

    Seconds are those of one processor, within a factor of three; ``fit_bytes`` is an upper bound,
    ``sample_bytes`` a lower one.
    """

    fit_seconds: float
    fit_bytes: float
    sample_seconds: float
    sample_bytes: float

    def __str__(self) -> str:
        return (
            f'A fit takes about {_spell(self.fit_seconds)} of one processor and '
            f'{self.fit_bytes / GIGABYTE:,.1f} GB; sampling as many rows about '
            f'{_spell(self.sample_seconds)} and {self.sample_bytes / GIGABYTE:,.1f} GB or more, '
            'give or take a factor of three.'
        )


def expected_cost(num_rows: int, num_columns: int, *, num_classes: int = 1) -> ExpectedCost:
    """Estimate the cost of a fit and of a sample of equally many rows, before anything is read.

    Args:
        num_rows: About how many rows the table has.
        num_columns: Number of modelled columns, the target included.
        num_classes: Number of values of a categorical target; 1 without a target.

    Raises:
        ValueError: If a number is below 1.

    Examples:
        >>> from sdv_threea.cost import expected_cost
        >>> expected_cost(10_000, 1_000, num_classes=2).fit_seconds < 60
        True
    """
    if min(num_rows, num_columns, num_classes) < 1:
        raise InputError('A table has at least one row, column and class.')
    cells, pairs = num_rows * num_columns, num_columns**2
    seconds = FIT + FIT_CELL * cells + FIT_COLUMN * num_columns + FIT_PAIR * pairs
    if num_classes > 1:
        seconds += LABELS + LABELS_COLUMN * num_columns
    return ExpectedCost(
        fit_seconds=seconds,
        fit_bytes=expect_memory(num_columns, num_classes),
        sample_seconds=SAMPLE_CELL * cells,
        sample_bytes=CELL_BYTES * cells,
    )


def expect_memory(num_columns: int, num_classes: int) -> float:
    """Return the most bytes that a fit takes, without the given table."""
    matrices = MATRICES + CLASS_MATRICES * num_classes
    return PACKAGE_BYTES + CELL_BYTES * num_columns**2 * matrices


def _spell(seconds: float) -> str:
    for unit, size in (('days', 86_400), ('hours', 3_600), ('minutes', 60)):
        if seconds >= 2 * size:
            return f'{seconds / size:,.0f} {unit}'
    return f'{seconds:.1f} seconds'


def find_memory() -> float:
    """Return the bytes of memory of the machine or the container; infinite if unknown."""
    found = [math.inf]
    if hasattr(os, 'sysconf') and {'SC_PHYS_PAGES', 'SC_PAGE_SIZE'} <= os.sysconf_names.keys():
        found.append(os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE'))
    for limit in map(Path, LIMITS):
        text = limit.read_text().strip() if limit.is_file() else ''
        found += [float(text)] if text.isdigit() else []
    return min(found)


def check_fit(num_columns: int, num_classes: int, limit: float | None) -> None:
    """Raise ``MemoryError`` unless a fit fits into ``limit`` gigabytes, or the machine's memory."""
    has = _allow(limit)
    needed = expect_memory(num_columns, num_classes)
    if needed > has:
        raise ShortageError(
            f'A fit of {num_columns:,} columns and {num_classes:,} classes would take about '
            f'{needed / GIGABYTE:,.1f} GB, but may take only {has / GIGABYTE:,.1f} GB. Leave out '
            'columns, or raise memory_limit. Nothing was read, and nothing was spent.'
        )


def check_rows(num_rows: float, num_cells: float, limit: float | None) -> None:
    """Raise ``MemoryError`` unless sampled rows fit into ``limit``, as :func:`check_fit` does."""
    needed, has = num_cells * CELL_BYTES, _allow(limit)
    if needed > has:
        raise tell_shortage(num_rows, f'take {needed / GIGABYTE:,.1f} GB or more', has)


def tell_shortage(
    num_rows: float, problem: str = 'do not fit into memory', has: float | None = None
) -> MemoryError:
    """Return the error for rows that exceed their memory, by default that of the machine."""
    has = find_memory() if has is None else has
    return ShortageError(
        f'{num_rows:,.0f} rows {problem}, but may take only {has / GIGABYTE:,.1f} GB. Write them '
        'to files by sample_to_parquet, ask for fewer rows, or raise memory_limit.'
    )


def _allow(limit: float | None) -> float:
    return find_memory() if limit is None else limit * GIGABYTE
