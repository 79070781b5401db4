"""Keys: which rows have the same one, and which row another one refers to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.intake.cells import INVALID_PLACE, MISSING_PLACE, Distinct
from sdv_threea.intake.columns import find_distinct, find_numbers
from sdv_threea.intake.scalars import Scalar, spell

#: Whole numbers from here on do not fit into 64 bits.
LARGEST = 2.0**63


def has_repeats(keys: pd.DataFrame) -> bool:
    """Whether two rows have the same key; rows in which a part of it is missing have none.

    Args:
        keys: The columns of the key.

    Returns:
        Whether a key occurs twice: equal numbers are the same, whatever their storage.
    """
    places = number_keys([keys])[0]
    present = places[places >= 0]
    return bool((np.bincount(present) > 1).any())


def find_rows(wanted: pd.DataFrame, known: pd.DataFrame) -> NDArray[np.int64]:
    """Find the rows that have a key.

    Args:
        wanted: The keys that are looked for, n rows.
        known: The columns of the key, in the same order; the keys are distinct.

    Returns:
        Rows of ``known``, shape (n,); :data:`~sdv_threea.intake.cells.MISSING_PLACE` where a part
        of the key is missing, :data:`~sdv_threea.intake.cells.INVALID_PLACE` where no row has it.
    """
    of_known, of_wanted = number_keys([known, wanted])
    rows = np.full(max(of_known.max(initial=-1), of_wanted.max(initial=-1)) + 3, INVALID_PLACE)
    rows[MISSING_PLACE] = MISSING_PLACE
    present = np.flatnonzero(of_known >= 0)
    rows[of_known[present]] = present
    return np.asarray(rows[of_wanted], dtype=np.int64)


def number_keys(tables: Sequence[pd.DataFrame]) -> list[NDArray[np.int64]]:
    """Number the keys of several tables: the same number for the same key, and for no other.

    Formal guarantees:
        * whether two rows have the same number depends on their keys alone

    Args:
        tables: The columns of a key, as many in each table.

    Returns:
        By table a number per row: -1 where a part of the key is missing, -2 where one cannot be
        read.
    """
    numbers = number_values([table.iloc[:, 0] for table in tables])
    for at in range(1, tables[0].shape[1]):
        columns = number_values([table.iloc[:, at] for table in tables])
        together = np.concatenate(numbers), np.concatenate(columns)
        worst = np.minimum(*together)
        # Two numbers below as many as there are rows each: their pairs fit into 64 bits.
        _, combined = np.unique(
            together[0] * (together[1].max(initial=0) + 1) + together[1], return_inverse=True
        )
        combined = np.where(worst < 0, worst, combined)
        numbers = np.split(combined, np.cumsum([len(table) for table in tables])[:-1])
    return numbers


def number_values(columns: Sequence[pd.Series]) -> list[NDArray[np.int64]]:
    """Number the values of several columns, as :func:`number_keys`."""
    whole = [_read_whole(column) for column in columns]
    if all(each is not None for each in whole):
        found = [each for each in whole if each is not None]
        numbers, _ = pd.factorize(np.concatenate([values for values, _ in found]))
        parts = np.split(numbers, np.cumsum([len(values) for values, _ in found])[:-1])
        return [
            np.where(flaws < 0, flaws, part) for part, (_, flaws) in zip(parts, found, strict=True)
        ]
    places: dict[Scalar, int] = {}
    return [_look_up(find_distinct(column), places) for column in columns]


def _look_up(found: Distinct, places: dict[Scalar, int]) -> NDArray[np.int64]:
    # A text by itself, anything else by its spelling, which is no text when it is in a tuple.
    keys = [value if type(value) is str else (spell(value),) for value in found.listed]
    numbers = [places.setdefault(key, len(places)) for key in keys]
    ends = [*numbers, INVALID_PLACE, MISSING_PLACE]
    return np.asarray(np.array(ends, dtype=np.int64)[found.codes])


def _read_whole(column: pd.Series) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Read a column that is stored as numbers as whole ones of 64 bits, if all of them are.

    Returns:
        The numbers, and -1 where one is missing; or ``None``.
    """
    dtype = getattr(column.dtype, 'numpy_dtype', column.dtype)
    if not isinstance(dtype, np.dtype) or dtype.kind not in 'iuf':
        return None
    if dtype.kind == 'f':
        cells, gone = find_numbers(column)
        kept = np.where(gone, 0.0, cells)
        is_whole = (np.abs(kept) < LARGEST) & (kept % 1 == 0)
    else:
        gone = np.asarray(column.isna(), dtype=np.bool_)
        kept = column.to_numpy(dtype=dtype, na_value=0)
        is_whole = kept <= np.iinfo(np.int64).max
    if not is_whole.all():
        return None
    return kept.astype(np.int64), np.where(gone, MISSING_PLACE, 0)
