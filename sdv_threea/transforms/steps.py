"""Outer steps: an RDT transformer, chosen by the user, applied to a column before it is encoded.

A step is a derivation (:mod:`sdv_threea.constraints.derivations`): the transformed column is a
number and replaces the column of the same name. Missing cells stay missing, so a transformer never
learns, fills in or draws missing values.

Formal guarantees:
    * a transformer is fitted to public facts: the stated range or values of its column, or else a
      number that it can take
    * a number or date is transformed by a function of that cell; a category is looked up in the
      public list of values, and the transformer never sees a row
    * an error of a transformer is replaced by one that shows no value
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
from rdt.transformers import BaseTransformer
from sdv.errors import SynthesizerInputError

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.constraints.derivations import Derivations
from sdv_threea.describe.lattice import multiples
from sdv_threea.describe.ranges import occupied_borders
from sdv_threea.domain import Category, Column, Domain, Number
from sdv_threea.encoding.encoders import CategoryEncoder
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.derived import Cells
from sdv_threea.rows.guard import UnreadableRowsError
from sdv_threea.rows.intake.cells import take_values
from sdv_threea.rows.intake.columns import LARGEST_NUMBER, find_moments, read_numbers
from sdv_threea.rows.intake.dates import to_seconds
from sdv_threea.rows.intake.facts import Facts
from sdv_threea.rows.intake.table import read_table
from sdv_threea.storage.writing import from_seconds
from sdv_threea.transforms.allowed import LINEAR, call, copy_local, find_example, find_limits, fit
from sdv_threea.transforms.texts import NumberTexts, OneColumn, TextStep

#: Significant digits that survive the round trip through a logarithm.
DIGITS = 12

#: Number of points at which a transformer is reversed to find the range of its column.
NUM_LOOKS = 257

#: Finest step of dates, in seconds.
MICROSECOND = 1e-6


@dataclass(frozen=True)
class NumberStep(OneColumn):
    """A transformer of numbers or dates (seconds since 2000), fitted to public facts."""

    column: Number
    transformer: BaseTransformer
    is_date: bool = False

    @cached_property
    def derived(self) -> tuple[Column, ...]:
        """The transformed column, with public facts that follow from those of the column."""
        own = self.column
        apart = self.transform(np.array(own.sentinels, dtype=np.float64))
        known = tuple(apart[~np.isnan(apart)].tolist())
        image = Number(name=own.name, step=0.0, nullable=own.nullable, sentinels=known)
        grid = self.transform(occupied_borders(own.step or 0.0))
        grid = grid[~np.isnan(grid)]
        rises, falls = np.all(np.diff(grid) >= 0), np.all(np.diff(grid) <= 0)
        if rises or falls:
            # The bins of the transformed column are as fine as those of the column itself.
            low, high = self._transform_ends(bool(rises))
            image = replace(image, low=low, high=high, grid=tuple(np.unique(grid).tolist()))
        if type(self.transformer) in LINEAR:
            step = None if own.step is None else self._width(own.step)
            steps = tuple(width for each in own.steps if (width := self._width(each)))
            image = replace(image, step=step, steps=steps)
        return (image,)

    def forward(self, table: pd.DataFrame) -> Cells:
        """Transform the column; cells that the transformer cannot take become missing."""
        return {self.column.name: self.transform(read_numbers(table[self.column.name]))}

    def back(self, sampled: pd.DataFrame, domain: Domain) -> Cells:
        """Reverse the transformer, within the public range and granularity."""
        name = self.column.name
        numbers = self.reverse(sampled[name].to_numpy(dtype=np.float64))
        if step := self._restore_step(domain):
            numbers = multiples(np.rint(numbers / step), step)
        elif type(self.transformer) not in LINEAR:
            numbers = _trim(numbers)
        low, high = self.column.low, self.column.high
        low, high = -np.inf if low is None else low, np.inf if high is None else high
        apart = np.isin(numbers, self.column.sentinels)
        return {name: np.where(apart, numbers, np.clip(numbers, low, high))}

    def restore(self, domain: Domain) -> tuple[Column, ...]:
        """Describe the column; an unknown range follows from the released range in reverse."""
        released, own = domain[self.column.name], self.column
        assert isinstance(released, Number)
        looks = np.linspace(released.low or 0.0, released.high or 0.0, NUM_LOOKS)
        found = self.reverse(looks)
        low = float(np.nanmin(found)) if own.low is None else own.low
        high = float(np.nanmax(found)) if own.high is None else own.high
        step, nullable = self._restore_step(domain), released.nullable
        own = replace(own, low=low, high=high, step=step, nullable=nullable)
        apart = self.reverse(np.array(released.sentinels, dtype=np.float64)).tolist()
        return (replace(own, sentinels=tuple(apart)),)

    def transform(self, numbers: Floats) -> Floats:
        """Transform numbers, shape (n,): NaN for missing numbers and for invalid ones."""
        low, high = find_limits(self.transformer)
        found = self._apply('transform', numbers, (numbers >= low) & (numbers <= high))
        return np.where(np.isfinite(found), found, np.nan)

    def reverse(self, numbers: Floats) -> Floats:
        """Reverse the transformer, shape (n,), NaN where missing."""
        low, high = np.clip(find_limits(self.transformer), -LARGEST_NUMBER, LARGEST_NUMBER)
        found = self._apply('reverse_transform', numbers, ~np.isnan(numbers))
        return np.asarray(np.clip(found, low, high))

    def _apply(self, method: str, numbers: Floats, chosen: Bools) -> Floats:
        """Call a method of the transformer on the chosen numbers; NaN for all others."""
        found = np.full(len(numbers), np.nan)
        if chosen.any():
            there = method == 'transform'
            cells = _write_cells(numbers[chosen], as_dates=self.is_date and there)
            done = call(self.transformer, method, self.column.name, cells)
            found[chosen] = _read(done, self.is_date and not there)
        return found

    def _transform_ends(self, rises: bool) -> tuple[float | None, float | None]:
        ends = [np.nan if each is None else each for each in (self.column.low, self.column.high)]
        found = self.transform(np.array(ends, dtype=np.float64)).tolist()
        low, high = (None if np.isnan(each) else each for each in found[:: 1 if rises else -1])
        return low, high

    def _width(self, step: float) -> float:
        """Return the length of a step after a transformer that changes the unit."""
        first, second = self.transform(np.array([0.0, step]))
        return float(second - first)

    def _restore_step(self, domain: Domain) -> float:
        released, own = domain[self.column.name], self.column
        assert isinstance(released, Number)
        if own.step is not None:
            return own.step
        if type(self.transformer) not in LINEAR or not released.step:
            return 0.0
        found = (each for each in own.steps if self._width(each) == released.step)
        return next(found, released.step)


@dataclass(frozen=True)
class ListStep(OneColumn):
    """A transformer of categories: each value of a public list has a number of its own."""

    column: Category
    transformer: BaseTransformer
    numbers: Floats

    @cached_property
    def derived(self) -> tuple[Column, ...]:
        """A number in the range of the values' numbers."""
        low, high = float(self.numbers.min()), float(self.numbers.max())
        step = float(np.all(self.numbers % 1 == 0))
        name, nullable = self.column.name, self.column.nullable
        return (Number(name=name, low=low, high=high, step=step, nullable=nullable),)

    def forward(self, table: pd.DataFrame) -> Cells:
        """Look up the number of each value."""
        codes = CategoryEncoder(self._values, nullable=True).encode(table[self.column.name])
        return {self.column.name: np.append(self.numbers, np.nan)[np.maximum(codes, 0) - 1]}

    def back(self, sampled: pd.DataFrame, domain: Domain) -> Cells:
        """Return the values with the nearest numbers."""
        order = np.argsort(self.numbers)
        borders = (self.numbers[order][1:] + self.numbers[order][:-1]) / 2
        numbers = sampled[self.column.name].to_numpy(dtype=np.float64)
        places = np.where(np.isnan(numbers), -1, order[np.searchsorted(borders, numbers)])
        return {self.column.name: take_values(self._values, None, places)}

    def restore(self, domain: Domain) -> tuple[Column, ...]:
        """Describe the column by its public values."""
        nullable = domain[self.column.name].nullable
        return (replace(self.column, values=self._values, nullable=nullable),)

    @property
    def _values(self) -> tuple[Any, ...]:
        return self.column.values or ()  # noqa: PD011 (no pandas)


Step = NumberStep | ListStep | TextStep


def list_steps(derivations: Derivations) -> dict[str, Step]:
    """Return the outer steps among derivations, by column."""
    return {each.column.name: each for each in derivations.steps if isinstance(each, Step)}


def find_untaken(
    rows: Rows[pd.DataFrame], facts: Sequence[Facts], derivations: Derivations
) -> list[str]:
    """Return a sentence, without a value, on each column with cells that its step cannot take."""
    steps = list_steps(derivations)
    if not steps:
        return []
    asked = [each for each in facts if each.name in steps]
    counts = rows.sum(partial(_count_untaken, asked, steps))
    return [
        f"Column '{name}' has values that its transformer {steps[name].transformer} cannot take: "
        'choose other arguments of it, or leave it out.'
        for name, count in zip(steps, counts, strict=True)
        if count
    ]


def enter(known: pd.DataFrame, derivations: Derivations) -> pd.DataFrame:
    """Transform the user's known columns that have an outer step."""
    steps = {name: step for name, step in list_steps(derivations).items() if name in known}
    return known.assign(**{name: step.forward(known)[name] for name, step in steps.items()})


def _count_untaken(
    facts: Sequence[Facts], steps: Mapping[str, Step], chunk: pd.DataFrame
) -> Wholes:
    table = read_table(facts, chunk)
    gone = [
        np.isnan(step.forward(table)[name]) & table[name].notna() for name, step in steps.items()
    ]
    return np.array([each.sum() for each in gone], dtype=np.int64)


def make_step(column: Column, transformer: BaseTransformer, *, is_date: bool) -> Step:
    """Copy a transformer that acts record by record, and fit it to public facts of its column."""
    fitted, name = copy_local(transformer), column.name
    if isinstance(fitted, NumberTexts) and isinstance(column, Category):
        fit(fitted, name, pd.Series(fitted.write(np.ones(1))))
        return TextStep(column, fitted)
    if isinstance(column, Category):
        return _make_list_step(column, fitted)
    low, high = find_limits(fitted)
    known = [each for each in (column.low, column.high) if each is not None]
    example = (column.step or MICROSECOND) if is_date else find_example(low, high)
    rows = sorted({example, *(each for each in known if low <= each <= high)})
    fit(fitted, name, _write_cells(np.array(rows), as_dates=is_date))
    return NumberStep(column, fitted, is_date)


def _make_list_step(column: Category, transformer: BaseTransformer) -> ListStep:
    name, values = column.name, pd.Series(column.values, dtype=object)
    fit(transformer, name, values)
    try:
        numbers = call(transformer, 'transform', name, values).to_numpy(dtype=np.float64)
        back = call(transformer, 'reverse_transform', name, pd.Series(numbers)).tolist()
    except UnreadableRowsError as error:
        raise SynthesizerInputError(str(error)) from None
    distinct = len(np.unique(numbers[np.isfinite(numbers)])) == len(values)
    if not distinct or back != values.tolist():
        raise SynthesizerInputError(
            f"The transformer '{transformer.get_name()}' of the column {name!r} does not map each "
            'value to a number of its own, and back: leave it out.'
        )
    return ListStep(column, transformer, numbers)


def _write_cells(numbers: Floats, *, as_dates: bool) -> pd.Series:
    """Return numbers as a transformer reads them: as they are, or as dates; shape (n,)."""
    if not as_dates:
        return pd.Series(numbers)
    return from_seconds(numbers, np.dtype('datetime64[ns]'), None, 0.0)


def _read(cells: pd.Series, as_dates: bool) -> Floats:
    return to_seconds(find_moments(cells, None)) if as_dates else cells.to_numpy(dtype=np.float64)


def _trim(numbers: Floats) -> Floats:
    with np.errstate(divide='ignore', invalid='ignore'):
        places = DIGITS - 1 - np.floor(np.log10(np.abs(numbers)))
    unit = 10.0 ** np.clip(np.nan_to_num(places), -300, 300)
    return np.where(numbers == 0, 0.0, np.rint(numbers * unit) / unit)
