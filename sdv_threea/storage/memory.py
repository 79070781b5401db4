"""Checks that a fit or a sample fits into the memory of the machine."""

from __future__ import annotations

import math
import os
from pathlib import Path

from sdv_threea.cost import CELL_BYTES, GIGABYTE, expect_memory
from sdv_threea.errors import ShortageError

#: Files of Linux with the memory limit of a container.
LIMITS = ('/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes')


def find_memory() -> float:
    """Return the bytes of memory that the machine has, or the container; infinite if unknown."""
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
            f'{needed / GIGABYTE:,.1f} GB, and may take {has / GIGABYTE:,.1f} GB. Leave columns '
            'out; or say by memory_limit that it may take more. Nothing was read, and nothing was '
            'spent.'
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
        f'{num_rows:,.0f} rows {problem}, and may take {has / GIGABYTE:,.1f} GB. Write them to '
        'files by sample_to_parquet, or ask for fewer; or say by memory_limit that they may take '
        'more.'
    )


def _allow(limit: float | None) -> float:
    return find_memory() if limit is None else limit * GIGABYTE
