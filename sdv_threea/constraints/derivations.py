"""Derivations: columns of a rule, replaced by columns from which the rule follows.

If only some combinations of columns occur, one column of combinations replaces them; if exactly one
of several flags is set, one category; ordered numbers become differences (:mod:`.differences`). The
derived columns are released. Sampled rows that are turned back obey the rule.

Formal guarantees:
    * a derivation maps records one by one, whatever the other records hold, so neighbouring tables
      remain neighbours; a derived column is one column like any other, and every sensitivity is
      that of as many columns as there are derived ones
    * nothing is learned: a derivation is made from the public description of a table; facts that
      the description lacks (which combinations occur, how large differences are) remain blanks,
      which :mod:`sdv_threea.describe.description` estimates and pays for
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.arrays import Bools, Floats
from sdv_threea.constraints.outcomes import Outcome, Result, bound_inputs, find_solved
from sdv_threea.constraints.outcomes import solve as solve_formula
from sdv_threea.domain import Category, Column, Domain, Number
from sdv_threea.rows.derived import Cells, Deriving, join_values, name_set_flag
from sdv_threea.rows.intake.columns import make_table
from sdv_threea.rows.intake.scalars import spell

#: By derived category, shape (n, values): true for each released value that is possible in a row.
Choices = dict[str, Bools]

#: By derived number, shape (n, 2): the least and the largest possible value in a row.
Ends = dict[str, Floats]


class Derivation(Protocol):
    """A rule between some columns of a table, and the derived columns that replace them."""

    @property
    def replaced(self) -> tuple[str, ...]:
        """The columns that are removed from the table."""

    @property
    def derived(self) -> tuple[Column, ...]:
        """The derived columns, with blanks for facts that are not public."""

    @property
    def forward(self) -> Callable[[pd.DataFrame], Cells]:
        """The map that derives the new columns, record by record."""

    def back(self, sampled: pd.DataFrame, domain: Domain) -> Cells:
        """Turn sampled derived columns, of the released ``domain``, into the user's columns."""

    def restore(self, domain: Domain) -> tuple[Column, ...]:
        """Describe the replaced columns by the released domain of the derived ones."""

    def select(self, known: pd.DataFrame, domain: Domain) -> Choices:
        """Return the values of derived categories that agree with the user's known columns."""
        return {}

    @property
    def either(self) -> tuple[tuple[str, str], ...]:
        """The pairs of derived columns of which only the narrower one is modelled."""
        return ()

    def bound(self, known: pd.DataFrame, domain: Domain) -> Ends:
        """Return the ends of derived numbers that the known numbers allow."""
        return {}

    def solve(self, drawn: pd.DataFrame, known: pd.DataFrame, domain: Domain) -> Cells:
        """Return the derived numbers from which known numbers follow; NaN if there are none.

        The derived columns, ``drawn``, change as little as possible. NaN in ``known`` is unknown.
        """
        return {}


@dataclass(frozen=True)
class Derivations:
    """All derivations of a table; no column is part of two. Then ``outcomes`` compute columns."""

    domain: Domain
    steps: tuple[Derivation, ...] = ()
    outcomes: tuple[Outcome, ...] = ()

    @property
    def derived(self) -> Domain:
        """The released domain: derived columns, then the columns without a rule.

        The last column is one of the user's if any is left, because it may become the target.
        """
        new = (column for step in self.steps for column in step.derived)
        either = tuple(pair for step in self.steps for pair in step.either)
        return Domain((*new, *self._untouched()), self.domain.target, either)

    @property
    def forward(self) -> Deriving:
        """The map from rows of the user's columns to rows of the derived ones."""
        untouched = tuple(column.name for column in self._untouched())
        return Deriving(untouched, tuple(each.forward for each in self.steps), self.derived.names)

    def back(self, sampled: pd.DataFrame, domain: Domain) -> pd.DataFrame:
        """Turn sampled derived columns into the user's columns; the rows obey the rules."""
        cells: Cells = {
            column.name: sampled[column.name].to_numpy() for column in self._untouched()
        }
        for step in self.steps:
            cells |= step.back(sampled, domain)
        columns = self._describe(domain)
        for outcome in self.outcomes:
            cells |= outcome.apply(cells, columns)
        return make_table({name: cells[name] for name in self.domain.names}, sampled.index)

    def restore(self, domain: Domain) -> Domain:
        """Describe the user's columns by the released domain of the derived ones."""
        columns = self._describe(domain)
        return Domain(tuple(columns[name] for name in self.domain.names), self.domain.target)

    def select(self, known: pd.DataFrame, domain: Domain) -> Choices:
        """Return the values that known columns allow, for the derived categories they restrict."""
        choices: Choices = {}
        for step in self.steps:
            choices |= step.select(known, domain)
        return choices

    def bound(self, known: pd.DataFrame, domain: Domain) -> Ends:
        """Return the ends of derived numbers that the known numbers allow."""
        columns, untouched = self._describe(domain), {one.name for one in self._untouched()}
        ends: Ends = {}
        for result in self.outcomes:
            if isinstance(result, Result) and result.column.name in known:
                ends |= bound_inputs(result, known, columns, untouched & set(domain.names))
        for step in self.steps:
            ends |= step.bound(known, domain)
        return ends

    def solve(self, drawn: pd.DataFrame, known: pd.DataFrame, domain: Domain) -> Cells:
        """Return drawn derived numbers, changed such that the known numbers follow from them."""
        columns = self._describe(domain)
        results = [each for each in self.outcomes if isinstance(each, Result)]
        for result in results:
            name = find_solved(result, results, known, columns)
            if name is None:
                continue
            cells = self.back(drawn, domain).assign(**known.dropna(axis=1, how='all'))
            moved = solve_formula(result, results, name, cells, columns)
            own = cells[name].to_numpy(dtype=np.float64)
            is_open = known[result.column.name].isna().to_numpy()
            known = known.assign(**{name: np.where(is_open, own, moved)})
        untouched = {column.name for column in self._untouched()} & set(domain.names)
        found: Cells = {
            name: known[name].to_numpy()
            for result in results
            for name in result.inputs
            if name in untouched and name in known and isinstance(columns[name], Number)
        }
        for step in self.steps:
            found |= step.solve(drawn, known, domain)
        return found

    def find_overruled(self, sampled: pd.DataFrame, known: pd.DataFrame, domain: Domain) -> Bools:
        """Return true for rows in which a rule has replaced a known value, shape (n,)."""
        written = {name for each in self.outcomes for name in each.inputs} & set(known)
        overruled = np.zeros(len(sampled), dtype=np.bool_)
        if not written:
            return overruled
        results = tuple(each for each in self.outcomes if isinstance(each, Result))
        before = replace(self, outcomes=results)
        one, other = before.back(sampled, domain), self.back(sampled, domain)
        for name in written:
            same = (one[name] == other[name]) | (one[name].isna() & other[name].isna())
            overruled |= ~same.to_numpy(dtype=np.bool_)
        return overruled

    def _describe(self, domain: Domain) -> dict[str, Column]:
        columns = {column.name: domain[column.name] for column in self._untouched()}
        for step in self.steps:
            columns |= {column.name: column for column in step.restore(domain)}
        for outcome in self.outcomes:
            columns |= outcome.restore(columns)
        return columns

    def _untouched(self) -> list[Column]:
        touched = {name for step in self.steps for name in step.replaced}
        touched |= {name for outcome in self.outcomes for name in outcome.replaced}
        return [column for column in self.domain.columns if column.name not in touched]


@dataclass(frozen=True)
class Joint(Derivation):
    """Categories of which only some combinations occur, as one category of tuples.

    A combination may contain missing values. Which combinations occur is not public, even if the
    values of each column are: combinations are released above a threshold. ``beside`` keeps the
    parts in the table if one is the target; other combinations in sampled rows are then rejected.
    """

    name: str
    parts: tuple[Category, ...]
    beside: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The columns whose combinations are released."""
        return tuple(part.name for part in self.parts)

    @property
    def replaced(self) -> tuple[str, ...]:
        """The parts, unless they stay."""
        return () if self.beside else self.names

    @property
    def derived(self) -> tuple[Column, ...]:
        """One category with unknown values."""
        return (Category(name=self.name, nullable=False),)

    @property
    def forward(self) -> Callable[[pd.DataFrame], Cells]:
        """The map that joins the values of each record into a tuple."""
        return partial(join_values, self.name, self.names)

    def back(self, sampled: pd.DataFrame, domain: Domain) -> Cells:
        """Split the combinations; all parts are missing if no combination was released."""
        if self.beside:
            return {}
        nothing = (None,) * len(self.parts)
        rows = [nothing if row is None else row for row in sampled[self.name]]
        return {
            part.name: np.fromiter((row[at] for row in rows), dtype=object, count=len(rows))
            for at, part in enumerate(self.parts)
        }

    def restore(self, domain: Domain) -> tuple[Column, ...]:
        """Return the parts with the values that occur in a released combination."""
        if self.beside:
            return ()
        columns = zip(*self.combinations(domain), strict=True)
        return tuple(_restore_part(*each) for each in zip(self.parts, columns, strict=True))

    def combinations(self, domain: Domain) -> tuple[tuple[Hashable, ...], ...]:
        """Return the released combinations; if there are none, one of missing values."""
        released = cast(Category, domain[self.name]).values or ()  # noqa: PD011 (no pandas)
        found = cast(tuple[tuple[Hashable, ...], ...], released)
        return found or ((None,) * len(self.parts),)

    def select(self, known: pd.DataFrame, domain: Domain) -> Choices:
        """Return the combinations whose parts have the known values."""
        can_choose = bool(cast(Category, domain[self.name]).values) and not self.beside
        names = [name for name in self.names if can_choose and name in known]
        combinations = self.combinations(domain)
        chosen = np.ones((len(known), len(combinations)), dtype=np.bool_)
        for name in names:
            parts = [combination[self.names.index(name)] for combination in combinations]
            chosen &= _match(_without_nan(known[name]), parts)
        return {self.name: chosen} if names else {}


@dataclass(frozen=True)
class Indicator(Derivation):
    """Flags (values 0 and 1) of which exactly one is set, as one category: the flag's name."""

    name: str
    flags: tuple[Column, ...]

    @property
    def replaced(self) -> tuple[str, ...]:
        """The flags."""
        return tuple(flag.name for flag in self.flags)

    @property
    def derived(self) -> tuple[Column, ...]:
        """One category with public values: the names of the flags."""
        return (Category(name=self.name, values=self.replaced, nullable=False),)

    @property
    def forward(self) -> Callable[[pd.DataFrame], Cells]:
        """The map from each record to the name of its set flag."""
        return partial(name_set_flag, self.name, self.replaced)

    def back(self, sampled: pd.DataFrame, domain: Domain) -> Cells:
        """Set the named flag and no other."""
        return {flag.name: _set(flag, sampled[self.name] == flag.name) for flag in self.flags}

    def restore(self, domain: Domain) -> tuple[Column, ...]:
        """Describe the flags: 0 and 1, and never missing."""
        return tuple(
            replace(flag, low=0.0, high=1.0, step=1.0, nullable=False)
            if isinstance(flag, Number)
            else replace(flag, values=_flag_values(flag), nullable=False)
            for flag in self.flags
        )

    def select(self, known: pd.DataFrame, domain: Domain) -> Choices:
        """Return the flag that is known to be set, or the flags that are not known to be unset."""
        names = [name for name in self.replaced if name in known]
        chosen = np.ones((len(known), len(self.flags)), dtype=np.bool_)
        for name in names:
            values, is_own = known[name].to_numpy(), np.array(self.replaced) == name
            is_set, is_unset = (values == 1)[:, None], (values == 0)[:, None]
            chosen &= (is_set & is_own) | (is_unset & ~is_own)
        return {self.name: chosen} if names else {}


def _without_nan(column: pd.Series) -> NDArray[Any]:
    return np.asarray(column.astype(object).where(column.notna(), None).to_numpy())


def _match(cells: NDArray[Any], values: list[Hashable]) -> Bools:
    """Return true for values that equal a cell; values spelled like it win over ``True == 1``."""
    spellings = [spell(value) for value in values]
    matched = np.zeros((len(cells), len(values)), dtype=np.bool_)
    for row, cell in enumerate(cells):
        wanted = spell(cell)
        same = [spelling == wanted for spelling in spellings]
        matched[row] = same if any(same) else [value == cell for value in values]
    return matched


def _restore_part(part: Category, released: tuple[Hashable, ...]) -> Category:
    found = {spell(value): value for value in released}
    missing = found.pop(spell(None), part) is None
    values = tuple(found[key] for key in sorted(found)) if part.values is None else part.values  # noqa: PD011 (no pandas)
    return replace(part, values=values, nullable=missing or bool(part.nullable))


def _flag_values(flag: Category) -> tuple[Hashable, Hashable]:
    """Return the values of an unset and of a set flag, as the metadata states them."""
    known = {value: value for value in flag.values or ()}  # noqa: PD011 (no pandas)
    return known.get(0, 0), known.get(1, 1)


def _set(flag: Column, is_set: pd.Series) -> NDArray[Any]:
    if isinstance(flag, Number):
        return np.asarray(is_set.to_numpy(dtype=np.float64))
    values = np.array(_flag_values(flag), dtype=object)
    return np.asarray(values[is_set.to_numpy(dtype=np.int64)])
