"""Keys: which rows have the same key, and which row a foreign key refers to.

In go columns of keys, of one or several tables. Out come whole numbers: one per different key, or
the position of the row that has a key. Equal numbers are the same key, however they are stored.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.intake.cells import INVALID_PLACE, MISSING_PLACE, Distinct
from sdv_threea.intake.columns import find_distinct, find_numbers
from sdv_threea.intake.scalars import Scalar, spell

#: The smallest whole number that does not fit into 64 bits.
LARGEST = 2.0**63


def has_repeats(keys: pd.DataFrame) -> bool:
    """Tell whether two rows have the same key. A row in which a part of it is missing has none.

    Args:
        keys: The columns of the key.

    Returns:
        Whether a key occurs twice.
    """
    places = number_keys([keys])[0]
    present = places[places >= 0]
    return bool((np.bincount(present) > 1).any())


def find_rows(wanted: pd.DataFrame, known: pd.DataFrame) -> NDArray[np.int64]:
    """Find, for each wanted key, the row that has it.

    Args:
        wanted: The keys that are looked for, n rows.
        known: The columns of the key, in the same order; no key occurs twice.

    Returns:
        Positions of rows of ``known``, shape (n,); :data:`~sdv_threea.intake.cells.MISSING_PLACE`
        where a part of the key is missing, and :data:`~sdv_threea.intake.cells.INVALID_PLACE` where
        no row has it.
    """
    of_known, of_wanted = number_keys([known, wanted])
    # The position of the row by the number of its key. The last entries are those of -2 and -1.
    rows = np.full(max(of_known.max(initial=-1), of_wanted.max(initial=-1)) + 3, INVALID_PLACE)
    rows[MISSING_PLACE] = MISSING_PLACE
    present = np.flatnonzero(of_known >= 0)
    rows[of_known[present]] = present
    return np.asarray(rows[of_wanted], dtype=np.int64)


def number_keys(tables: Sequence[pd.DataFrame]) -> list[NDArray[np.int64]]:
    """Number the keys of several tables: rows have the same number if they have the same key.

    Formal guarantees:
        * whether two rows have the same number depends on their keys alone

    Args:
        tables: The columns of a key; each table has as many.

    Returns:
        A number per row, for each table: -1 where a part of the key is missing, -2 where one cannot
        be read.
    """
    numbers = number_values([table.iloc[:, 0] for table in tables])
    for at in range(1, tables[0].shape[1]):
        columns = number_values([table.iloc[:, at] for table in tables])
        together = np.concatenate(numbers), np.concatenate(columns)
        worst = np.minimum(*together)
        # Both numbers are below the number of rows, so a number for each pair fits into 64 bits.
        _, combined = np.unique(
            together[0] * (together[1].max(initial=0) + 1) + together[1], return_inverse=True
        )
        combined = np.where(worst < 0, worst, combined)
        numbers = np.split(combined, np.cumsum([len(table) for table in tables])[:-1])
    return numbers


def number_values(columns: Sequence[pd.Series]) -> list[NDArray[np.int64]]:
    """Number the values of several columns, as :func:`number_keys` does for keys."""
    # The fast way, for columns that all hold whole numbers.
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
    """Return the number of each row's value, and give new values the next numbers.

    Args:
        found: The column.
        places: The numbers that were given so far, by value; it is added to.
    """
    # Any value but a text is looked up by its spelling, in a tuple so that no text is equal to it.
    keys = [value if type(value) is str else (spell(value),) for value in found.listed]
    numbers = [places.setdefault(key, len(places)) for key in keys]
    ends = [*numbers, INVALID_PLACE, MISSING_PLACE]
    return np.asarray(np.array(ends, dtype=np.int64)[found.codes])


def _read_whole(column: pd.Series) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Read a column that is stored as numbers, if all of them are whole and fit into 64 bits.

    Returns:
        The numbers, and -1 for each that is missing (0 for the others), shape (n,) each; ``None``
        if some number is not whole or too large, or the column is stored in another way.
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
