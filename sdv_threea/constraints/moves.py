"""Steps that each write one column of sampled tables such that a rule between tables holds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.constraints.expressions import Expression
from sdv_threea.constraints.linked import Linked, Name, Path, find_decimals, find_step, store
from sdv_threea.constraints.outcomes import SAME, SECONDS, is_among
from sdv_threea.constraints.stated import read_in_days, read_plainly

#: If rounding to the format of a column moves an end of a range outside, the end is moved inwards
#: by the first sufficient amount, in days: nothing, a second, a minute, an hour, a day, a month, a
#: year.
DATE_SLACK = (0.0, 1 / SECONDS, 60 / SECONDS, 3600 / SECONDS, 1.0, 31.0, 366.0)

#: Such amounts for numbers, as shares of the number: 32-bit floats are rounded.
NUMBER_SLACK = (0.0, 2e-7)


class Move(Protocol):
    """A step that writes one column."""

    @property
    def writes(self) -> Name:
        """The column that is written."""

    @property
    def reads(self) -> tuple[Name, ...]:
        """The other columns from which it is computed."""

    @property
    def replaces(self) -> bool:
        """Whether every cell is written, so that drawn cells have no effect."""

    def apply(self, linked: Linked) -> None:
        """Write the column."""

    def judge(self, linked: Linked) -> Bools:
        """Return true for rows whose written cell obeys the rule, shape (n,)."""


@dataclass(frozen=True)
class Bound:
    """A bound on numbers or dates: at least (``is_low``) or at most those of the referred row."""

    writes: Name
    other: Name
    path: Path
    is_low: bool

    def find_ends(self, linked: Linked) -> Floats:
        """Return the end for each row, shape (n,); infinite if there is none."""
        ends = np.append(linked.read(self.other), np.nan)[
            linked.climb(self.writes.table, self.path)
        ]
        return np.where(np.isfinite(ends), ends, -np.inf if self.is_low else np.inf)


#: A part of a rule: a step, or a bound, which is joined with other bounds on the same column.
Part = Bound | Move


@dataclass(frozen=True)
class Within:
    """Numbers or dates between ends in other columns.

    A cell outside its range is replaced by another row's cell from inside. Ranks are kept: the
    replacement has about the same relative rank among all cells inside as the cell has among all
    cells on its side of the range. If no cell is inside, the nearer end replaces it.

    Args:
        bounds: The ends.
        rises: The path to the row among whose rows the column rises; empty if it need not rise.
    """

    bounds: tuple[Bound, ...]
    rises: Path = ()
    replaces = False

    @property
    def writes(self) -> Name:
        """The column that is written."""
        return self.bounds[0].writes

    @property
    def reads(self) -> tuple[Name, ...]:
        """The columns of the ends."""
        return tuple(each.other for each in self.bounds)

    def apply(self, linked: Linked) -> None:
        """Replace the cells outside their range."""
        low, high = self._find_range(linked)
        if self.rises:
            _shift_rows(linked, self.writes, self.rises, low, high)
        own = linked.read(self.writes)
        rows = np.flatnonzero((own < low) | (own > high))
        if not len(rows):
            return
        donors = _choose_donors(own, low[rows], high[rows], rows)
        found = donors >= 0
        linked.put(self.writes, rows[found], linked.take(self.writes).take(donors[found]))
        rest = rows[~found]
        if len(rest):
            up = own[rest] < low[rest]
            cells = self._spell_ends(linked, own, np.where(up, low[rest], high[rest]), up)
            linked.put(self.writes, rest, cells)
        if self.rises:
            linked.sort(self.writes, self.rises)

    def judge(self, linked: Linked) -> Bools:
        """Return true for rows inside their range, and for missing values."""
        own, (low, high) = linked.read(self.writes), self._find_range(linked)
        return ~((own < low) | (own > high))

    def _find_range(self, linked: Linked) -> tuple[Floats, Floats]:
        """Return the ends of each row; if they contradict each other, the lower end twice."""
        num = len(linked.tables[self.writes.table])
        low, high = np.full(num, -np.inf), np.full(num, np.inf)
        for each in self.bounds:
            ends = each.find_ends(linked)
            if each.is_low:
                low = np.maximum(low, ends)
            else:
                high = np.minimum(high, ends)
        return low, np.maximum(low, high)

    def _spell_ends(self, linked: Linked, own: Floats, ends: Floats, up: Bools) -> pd.Series:
        """Return cells at the ends, rounded inwards to the granularity of the column."""
        about = linked.describe(self.writes)
        is_date = about['sdtype'] == 'datetime'
        step, decimals = (find_step(own), None) if is_date else (0.0, find_decimals(own))
        cells, held = None, np.zeros(len(ends), dtype=np.bool_)
        for each in DATE_SLACK if is_date else NUMBER_SLACK:
            far = each * (1.0 if is_date else np.maximum(np.abs(ends), 1.0))
            moved = _round_out(ends + np.where(up, far, -far), up, step, decimals)
            spelled = linked.spell(self.writes, moved, step)
            read = read_in_days(spelled, about)
            fine = np.where(up, read >= ends, read <= ends)
            cells = spelled if cells is None else cells.where(held | ~fine, spelled)
            held |= fine
        return cells


@dataclass(frozen=True)
class Copy:
    """Cells that equal those of the row that a row leads to; without such a row, any cell obeys."""

    writes: Name
    other: Name
    path: Path
    replaces = True

    @property
    def reads(self) -> tuple[Name, ...]:
        """The column that is copied."""
        return (self.other,)

    def apply(self, linked: Linked) -> None:
        """Copy the cells."""
        places = linked.climb(self.writes.table, self.path)
        cells = linked.translate(self.other, self.writes)
        if not len(cells):
            return
        alone = np.flatnonzero(places < 0)
        places[alone] = np.arange(len(alone)) % len(cells)
        linked.put(self.writes, np.arange(len(places)), cells.take(places).reset_index(drop=True))

    def judge(self, linked: Linked) -> Bools:
        """Return true for rows with equal cells, and for rows that lead to no row."""
        places = linked.climb(self.writes.table, self.path)
        column, about = linked.take(self.writes), linked.describe(self.writes)
        stored = store(linked.translate(self.other, self.writes), column.dtype)
        own, other = (read_plainly(each, about) for each in (column, stored))
        other = np.append(other, np.array([np.nan], dtype=other.dtype))[places]
        return np.asarray((places < 0) | (own == other) | (pd.isna(own) & pd.isna(other)), np.bool_)


@dataclass(frozen=True)
class Compute:
    """Numbers computed from columns of the same row, or summed over the rows that refer to it.

    A row in which a column of the formula is missing adds zero to the sum.

    Args:
        table: The table of the other columns.
        path: Foreign keys from ``table`` to the table of the sum; empty within the same row.
        decimals: The decimals that the number is rounded to; ``None`` for no rounding.
    """

    writes: Name
    table: str
    expression: Expression
    path: Path
    decimals: int | None
    replaces = True

    @property
    def reads(self) -> tuple[Name, ...]:
        """The columns of the formula."""
        return tuple(Name(self.table, each) for each in self.expression.names)

    def apply(self, linked: Linked) -> None:
        """Compute the numbers."""
        linked.write(self.writes, self._compute(linked), self.decimals)

    def judge(self, linked: Linked) -> Bools:
        """Return true for missing numbers, and those that equal the computed ones when rounded."""
        own, found = linked.read(self.writes), self._compute(linked)
        dtype = linked.take(self.writes).dtype
        decimals = self.decimals
        if decimals is None and pd.api.types.is_integer_dtype(dtype):
            decimals = 0
        dtype = getattr(dtype, 'numpy_dtype', dtype)
        digits = np.finfo(dtype).eps if getattr(dtype, 'kind', '') == 'f' else 0.0
        reach = (SAME + digits) * (1.0 + np.abs(found))
        reach = reach + (0.0 if decimals is None else 0.5 * 10.0**-decimals)
        return np.asarray(~(np.isfinite(own) & np.isfinite(found)) | (np.abs(own - found) <= reach))

    def _compute(self, linked: Linked) -> Floats:
        cells = {each.column: linked.read(each) for each in self.reads}
        found = self.expression.evaluate(cells)
        found = np.where(np.isfinite(found), found, np.nan)
        if not self.path:
            return found
        places = linked.climb(self.table, self.path)
        known = (places >= 0) & np.isfinite(found)
        num = len(linked.tables[self.writes.table])
        added = np.bincount(places[known], weights=found[known], minlength=num)
        return added.astype(np.float64)  # ``bincount`` of no rows returns integers


@dataclass(frozen=True)
class Choose:
    """A category that exactly one of the rows that lead to the same row has."""

    writes: Name
    value: Any
    path: Path
    reads = ()
    replaces = False

    def apply(self, linked: Linked) -> None:
        """Write the value into the first row of groups without it; keep one of several."""
        has, places = self._find(linked), linked.climb(self.writes.table, self.path)
        rows = np.flatnonzero(places >= 0)
        rows = rows[np.lexsort((~has[rows], places[rows]))]
        first = rows[np.unique(places[rows], return_index=True)[1]]
        surplus = has & (places >= 0)
        surplus[first] = False
        gain, lose = first[~has[first]], np.flatnonzero(surplus)
        cells = linked.take(self.writes)
        others = np.flatnonzero(~has & cells.notna().to_numpy(dtype=np.bool_))
        if len(others):
            spare = cells.take(np.resize(others, len(lose)))
        else:
            # No other category was drawn: negate flags, and let other columns be missing.
            other = not self.value if isinstance(self.value, bool) else None
            spare = pd.Series([other] * len(lose), dtype=object)
        if len(lose):
            linked.put(self.writes, lose, spare.reset_index(drop=True))
        if len(gain):
            linked.put(self.writes, gain, pd.Series([self.value] * len(gain), dtype=object))

    def judge(self, linked: Linked) -> Bools:
        """Return true for rows of groups where exactly one has the value, and for other rows."""
        has, places = self._find(linked), linked.climb(self.writes.table, self.path)
        known = places >= 0
        counts = np.bincount(places[known & has], minlength=int(places.max(initial=-1)) + 2)
        return np.asarray(~known | (counts[places] == 1))

    def _find(self, linked: Linked) -> Bools:
        cells = read_plainly(linked.take(self.writes), linked.describe(self.writes))
        return is_among(cells, [self.value])


@dataclass(frozen=True)
class Rank:
    """Numbers 1 to k of k rows that lead to one row, by ``order`` or by the drawn numbers."""

    writes: Name
    path: Path
    order: Name | None

    @property
    def reads(self) -> tuple[Name, ...]:
        """The column of the order."""
        return () if self.order is None else (self.order,)

    @property
    def replaces(self) -> bool:
        """Whether another column orders the rows."""
        return self.order is not None

    def apply(self, linked: Linked) -> None:
        """Number the rows."""
        linked.write(self.writes, self._number(linked), 0)

    def judge(self, linked: Linked) -> Bools:
        """Return true for rows with the right number."""
        return np.asarray(linked.read(self.writes) == self._number(linked))

    def _number(self, linked: Linked) -> Floats:
        """Return the numbers; ties are ordered by the drawn numbers, then by position."""
        places = linked.gather(self.writes.table, self.path)
        own = pd.to_numeric(linked.take(self.writes), errors='coerce').to_numpy(dtype=np.float64)
        keys = (own,) if self.order is None else (own, linked.read(self.order))
        order = np.lexsort((*keys, places))
        sorted_places = places[order]
        ranks = np.empty(len(places))
        ranks[order] = np.arange(len(places)) - np.searchsorted(sorted_places, sorted_places) + 1
        return ranks


def join_bounds(parts: Iterable[Part], rising: Mapping[Name, Path]) -> list[Move]:
    """Return all steps, with all bounds on a column as one step; ``rising`` columns also rise."""
    ends: dict[Name, list[Bound]] = {}
    moves: list[Move] = []
    for part in parts:
        if isinstance(part, Bound):
            ends.setdefault(part.writes, []).append(part)
        else:
            moves.append(part)
    own = ((tuple(dict.fromkeys(each)), rising.get(name, ())) for name, each in ends.items())
    return [*(Within(*each) for each in own), *moves]


def _choose_donors(own: Floats, low: Floats, high: Floats, rows: Wholes) -> Wholes:
    """Return, for each of ``rows``, a row whose cell in the range replaces its cell; -1 for none.

    Ranks are kept: low ranks among the cells on the same side get low cells of the range.
    """
    known = np.flatnonzero(np.isfinite(own))
    order = known[np.argsort(own[known], kind='stable')]
    values = own[order]
    first, last = np.searchsorted(values, low), np.searchsorted(values, high, side='right')
    at = np.searchsorted(values, own[rows])
    below = own[rows] < low
    share = np.where(
        below, at / np.maximum(first, 1), (at - last) / np.maximum(len(values) - last, 1)
    )
    places = np.minimum(first + np.floor(share * (last - first)).astype(np.int64), last - 1)
    return np.where(last > first, np.append(order, -1)[places], -1)


def _round_out(ends: Floats, up: Bools, step: float, decimals: int | None) -> Floats:
    if decimals is not None:
        scaled = np.round(ends * 10.0**decimals, 6)
        return np.where(up, np.ceil(scaled), np.floor(scaled)) / 10.0**decimals
    if not step:
        return ends
    scaled = np.round(ends / step, 6)
    return np.where(up, np.ceil(scaled), np.floor(scaled)) * step


def _shift_rows(linked: Linked, name: Name, path: Path, low: Floats, high: Floats) -> None:
    """Shift rows that refer to the same row through ``path``, so that the first is in its range."""
    own, groups = linked.read(name), linked.gather(name.table, path)
    order = np.lexsort((own, groups))
    firsts = order[np.flatnonzero(np.diff(groups[order], prepend=-1))]
    starts = own[firsts]
    outside = np.flatnonzero((starts < low[firsts]) | (starts > high[firsts]))
    if not len(outside):
        return
    rows = firsts[outside]
    donors = _choose_donors(starts, low[rows], high[rows], outside)
    shifts = np.zeros(int(groups.max()) + 1)
    shifts[groups[rows]] = np.where(donors < 0, 0.0, starts[donors] - starts[outside])
    linked.write(name, own + shifts[groups], find_decimals(own))
