"""Private records as codes: each cell becomes one code of a finite list, by itself.

Formal guarantees of every function: the result for a record is a function of that record and of
public or released facts.
"""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.rows.intake.columns import read_categories, read_numbers
from sdv_threea.rows.intake.scalars import spell
from sdv_threea.rows.records import Encoded, Located

#: The largest place in a bin: places are shares below one.
LAST_PLACE = np.nextafter(1.0, 0.0)


@dataclass(frozen=True)
class Bins:
    """Codes of numbers: 0 for a missing one, and one for each bin between ascending edges."""

    edges: NDArray[np.float64]
    step: float
    nullable: bool

    @property
    def size(self) -> int:
        """Number of codes, the missing value included."""
        return len(self.edges)

    def encode(self, column: pd.Series) -> NDArray[np.int64]:
        """Return the code of each number; beyond the range, the code of the outermost bin."""
        values = read_numbers(column)
        return np.where(np.isnan(values), 0 if self.nullable else -1, self._find(values))

    def place(self, column: pd.Series) -> NDArray[np.float64]:
        """Return the place of each number in its bin, a share below one; NaN for a missing one."""
        values = read_numbers(column)
        codes = self._find(values)
        low, high = self.edges[codes - 1], self.edges[codes]
        if self.step:
            first, end = np.ceil(low / self.step), np.ceil(high / self.step)
            places = (np.rint(values / self.step) - first + 0.5) / np.maximum(end - first, 1)
        else:
            places = (values - low) / (high - low)
        return np.asarray(np.clip(places, 0, LAST_PLACE))

    def _find(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        codes = np.searchsorted(self.edges, values, side='right').astype(np.int64)
        return np.clip(codes, 1, self.size - 1)


@dataclass(frozen=True)
class Listed:
    """Codes of categories: 0 for a missing value, then the values, then all ``unlisted`` ones."""

    values: tuple[Hashable, ...]
    nullable: bool
    unlisted: int

    @property
    def size(self) -> int:
        """Number of codes, including those of missing and of unlisted values."""
        return max(len(self.values), self.unlisted) + 1

    def encode(self, column: pd.Series) -> NDArray[np.int64]:
        """Return the code of each value, or of an equal one such as ``True`` for ``1``."""
        places, distinct = read_categories(column)
        equal = {value: code for code, value in enumerate(self.values, start=1)}
        same = {spell(value): code for code, value in enumerate(self.values, start=1)}
        found = [same.get(spell(value)) or equal.get(value, self.unlisted) for value in distinct]
        codes = np.array([*found, 0 if self.nullable else self.unlisted], dtype=np.int64)
        return np.asarray(codes[places])


#: The codes of columns by name, in order.
Columns = tuple[tuple[str, Bins | Listed], ...]


@dataclass(frozen=True)
class Coder:
    """Maps records to codes of the ``scored`` columns, and to classes.

    ``of_code`` is the class of each code of the target, -1 for none. Without a target there is one
    class.
    """

    columns: Columns
    scored: NDArray[np.int64]
    target: int | None
    of_code: NDArray[np.int64]
    num_classes: int

    def encode(self, chunk: pd.DataFrame) -> Encoded:
        """Return the codes and classes of records; records without a class are left out."""
        codes = encode_columns(self.columns, chunk)
        labels = label(codes, self.target, self.of_code)
        # A record whose target is not on the list has no class, and is not counted.
        kept = np.flatnonzero(labels >= 0)
        # Later passes read one column at a time, so codes are stored column by column, in small
        # integers.
        return Encoded(
            np.asfortranarray(codes[kept][:, self.scored]),
            labels[kept].astype(np.min_scalar_type(-self.num_classes)),
        )


def encode_columns(columns: Columns, table: pd.DataFrame) -> NDArray[np.signedinteger]:
    """Return the codes of a table, shape (n, columns), in small integers; -1 if unlisted."""
    largest = max((each.size for _, each in columns), default=1)
    codes = np.empty((len(table), len(columns)), dtype=np.min_scalar_type(-largest), order='F')
    for at, (name, own) in enumerate(columns):
        codes[:, at] = own.encode(table[name])
    return codes


def label(
    codes: NDArray[np.integer], target: int | None, of_code: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the class of each record, shape (n,), from codes, shape (n, m); -1 for none."""
    if target is None:
        return np.zeros(len(codes), dtype=np.int64)
    own = codes[:, target]
    return np.where(own < 0, -1, of_code[np.maximum(own, 0)])


def locate(
    pairs: tuple[tuple[tuple[str, Listed], tuple[str, Bins]], ...], chunk: pd.DataFrame
) -> Located:
    """Return the codes of categories, and the places of numbers inside their codes."""
    codes = [own.encode(chunk[name]) for (name, own), _ in pairs]
    places = [own.place(chunk[name]) for _, (name, own) in pairs]
    return Located(np.stack(codes, axis=1), np.stack(places, axis=1))
