"""Ordered numbers, modelled as one number and differences, where differences are narrower.

A difference between two ordered numbers is at least zero, and this is public. Ordered numbers form
a tree: one column, the root, stays as it is. Every other column has a difference to a neighbour
nearer to the root, which replaces the column if its released range is narrower
(:mod:`sdv_threea.describe.narrower`). For example, the root may be a date of birth. The length of a
stay, the difference of discharge and admission, replaces the discharge. The admission itself stays,
because ages have a wider range; sampled rows with a birth after the admission are rejected.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.arrays import Floats
from sdv_threea.constraints.derivations import Choices, Derivation, Ends
from sdv_threea.describe.granularity import step_codes
from sdv_threea.describe.lattice import STEP_TOLERANCE, has_few_values, multiples, shared_step
from sdv_threea.domain import Category, Column, Domain, Number
from sdv_threea.rows.derived import Cells
from sdv_threea.rows.intake.columns import read_numbers


@dataclass(frozen=True)
class Order:
    """A rule: ``low`` is at most ``high``, or strictly below, unless one of them is missing.

    The column ``difference`` holds ``high - low``.
    """

    low: str
    high: str
    strict: bool
    difference: str


@dataclass(frozen=True)
class Differences(Derivation):
    """A tree of ordered numbers (:func:`plant`).

    One category states which numbers of a row are missing; its value is a tuple of the names of
    these columns. A tree without missing numbers, by public facts, has no such category.
    Differences to missing numbers are also drawn, and the numbers removed afterwards.

    Args:
        columns: The numbers, the root first.
        links: For each other number, the rule that leads to it from an earlier column.
        missing: Name of the category of missing columns, or ``None`` if none can be missing.
        target: The target, if it is the root: its missing values stay in its own column.
    """

    columns: tuple[Number, ...]
    links: tuple[tuple[str, Order], ...]
    missing: str | None
    target: str | None

    @property
    def replaced(self) -> tuple[str, ...]:
        """All numbers of the tree."""
        return tuple(column.name for column in self.columns)

    @property
    def derived(self) -> tuple[Column, ...]:
        """All numbers, the differences, and the category of missing columns."""
        numbers = tuple(
            own if own.name == self.target else replace(own, nullable=False) for own in self.columns
        )
        gaps = tuple(self._describe_gap(order) for _, order in self.links)
        if self.missing is None:
            return (*numbers, *gaps)
        return (*numbers, *gaps, Category(name=self.missing, nullable=False))

    @property
    def either(self) -> tuple[tuple[str, str], ...]:
        """The numbers with their differences; only the narrower one of a pair is modelled."""
        return tuple((child, order.difference) for child, order in self.links)

    def forward(self, table: pd.DataFrame) -> Cells:
        """Subtract neighbours, record by record, exactly if both are multiples of a known step."""
        numbers = {name: read_numbers(table[name]) for name in self.replaced}
        cells: Cells = dict(numbers)
        for _, order in self.links:
            step = _shared_step(self._by_name[order.low].step, self._by_name[order.high].step)
            steps = (step,) if step else self.columns[0].steps
            cells[order.difference] = _subtract(numbers[order.high], numbers[order.low], steps)
        if self.missing is not None:
            names = self._may_be_missing
            cells[self.missing] = _name_missing(names, [numbers[name] for name in names])
        return cells

    def back(self, sampled: pd.DataFrame, domain: Domain) -> Cells:
        """Add up the differences, and remove the missing numbers."""
        restored = {column.name: column for column in self.restore(domain)}
        root = self.columns[0].name
        cells: Cells = {root: sampled[root].to_numpy(dtype=np.float64)}
        # If the root is missing, add differences to the root of the previous row.
        numbers = {root: pd.Series(cells[root]).ffill().bfill().to_numpy()}
        for child, order in self.links:
            if order.difference not in domain.names:
                numbers[child] = sampled[child].to_numpy(dtype=np.float64)
            else:
                gap, column = _number(domain, order.difference), restored[child]
                drawn = sampled[order.difference].to_numpy(dtype=np.float64)
                parent, upwards = numbers[_other(order, child)], child == order.high
                room = (
                    cast(float, column.high) - parent if upwards else parent - (column.low or 0.0)
                )
                least = (gap.step or 0.0) * order.strict
                fitted = _fold(np.maximum(drawn, least), least, room, gap.step or 0.0, parent)
                moved = _move(parent, fitted, upwards, column.step)
                numbers[child] = np.clip(moved, column.low, column.high)
            cells[child] = numbers[child]
        if self.missing is not None:
            for name in self._may_be_missing:
                gone = [name in (names or ()) for names in sampled[self.missing]]
                cells[name] = np.where(gone, np.nan, cells[name])
        return cells

    def restore(self, domain: Domain) -> tuple[Number, ...]:
        """Describe the numbers; ranges that were not released follow from those of differences."""
        beside = {own.name: own for own in domain.beside}
        numbers = {self.columns[0].name: _number(domain, self.columns[0].name)}
        for child, order in self.links:
            if order.difference in domain.names:
                parent, gap = numbers[_other(order, child)], _number(domain, order.difference)
                own = beside.get(child, self._by_name[child])
                numbers[child] = _place(own, parent, gap, child == order.high)
            else:
                numbers[child] = _number(domain, child)
        missing = {name for names in self._list_missing(domain) for name in names}
        return tuple(
            number
            if number.name == self.target
            else replace(number, nullable=column.name in missing or bool(column.nullable))
            for column, number in zip(self.columns, numbers.values(), strict=True)
        )

    def select(self, known: pd.DataFrame, domain: Domain) -> Choices:
        """Return combinations of missing columns that the known columns allow."""
        names = [name for name in self._may_be_missing if name in known]
        if self.missing is None or not names:
            return {}
        released = self._list_missing(domain)
        chosen = np.ones((len(known), len(released)), dtype=np.bool_)
        for name in names:
            gone = np.array([name in each for each in released], dtype=np.bool_)
            chosen &= gone == known[name].isna().to_numpy()[:, None]
        return {self.missing: chosen}

    def bound(self, known: pd.DataFrame, domain: Domain) -> Ends:
        """Bound numbers and differences by known numbers, along the tree (interval arithmetic)."""
        if not known[[name for name in self.replaced if name in known]].notna().any(axis=None):
            return {}
        ends = {name: _spread_out(known, name) for name in self.replaced}
        for name in ends.keys() & set(domain.names):
            ends[name] = _intersect(ends[name], _find_released(domain, name))
        gaps = {
            order: _find_released(domain, order.difference)
            if order.difference in domain.names
            else np.array([[0.0, np.inf]])
            for _, order in self.links
        }
        for child, order in (*self.links[::-1], *self.links):
            parent, upwards = _other(order, child), child == order.high
            from_child = _shift_ends(ends[child], gaps[order], not upwards)
            ends[parent] = _intersect(ends[parent], from_child)
            ends[child] = _intersect(ends[child], _shift_ends(ends[parent], gaps[order], upwards))
        for _, order in self.links:
            between = ends[order.high] - ends[order.low][:, ::-1]
            ends[order.difference] = _intersect(between, gaps[order])
        return {name: own for name, own in ends.items() if name in domain.names}

    def solve(self, drawn: pd.DataFrame, known: pd.DataFrame, domain: Domain) -> Cells:
        """Compute known differences; and unknown numbers from known ones and drawn differences.

        An unknown number is computed from the nearest known one further from the root.
        """
        if not set(self.replaced) & set(known):
            return {}
        links = [each for each in self.links if each[1].difference in domain.names]
        ends = {name: _spread_out(known, name)[:, 0] for name in self.replaced}
        numbers = {name: np.where(np.isfinite(each), each, np.nan) for name, each in ends.items()}
        gaps = {order: drawn[order.difference].to_numpy(np.float64) for _, order in links}
        for child, order in links[::-1]:
            parent, upwards = _other(order, child), child != order.high
            moved = _move(numbers[child], gaps[order], upwards, self._by_name[parent].step)
            numbers[parent] = np.where(np.isnan(numbers[parent]), moved, numbers[parent])
        cells: Cells = {}
        for name in numbers.keys() & set(domain.names):
            cells[name] = np.where(np.isnan(numbers[name]), drawn[name], numbers[name])
        numbers |= cells
        for child, order in links:
            parent = _other(order, child)
            step = _number(domain, order.difference).step
            moved = _move(numbers[parent], gaps[order], child == order.high, step)
            is_open = np.isnan(numbers[child])
            numbers[child] = np.where(is_open, moved, numbers[child])
            between = _subtract(numbers[order.high], numbers[order.low], (step,) if step else ())
            gap = np.where(is_open, gaps[order], between)
            cells[order.difference] = np.where(gap < (step or 0.0) * order.strict, np.nan, gap)
        return cells

    @property
    def _by_name(self) -> Mapping[str, Number]:
        return {column.name: column for column in self.columns}

    @property
    def _may_be_missing(self) -> tuple[str, ...]:
        return tuple(
            column.name
            for column in self.columns
            if column.nullable is not False and column.name != self.target
        )

    def _describe_gap(self, order: Order) -> Number:
        low, high = self._by_name[order.low], self._by_name[order.high]
        step = _shared_step(low.step, high.step)
        least = step if order.strict and step else 0.0
        most = None if low.low is None or high.high is None else max(high.high - low.low, least)
        if most is not None and not has_few_values(least, most, step or 0.0):
            most = None  # too wide to be useful: leave it blank
        gap = Number(name=order.difference, low=least, high=most, nullable=False)
        return replace(gap, step=step, steps=low.steps)

    def _list_missing(self, domain: Domain) -> tuple[tuple[str, ...], ...]:
        if self.missing is None:
            return ()
        released = cast(Category, domain[self.missing]).values or ()  # noqa: PD011 (no pandas)
        return cast(tuple[tuple[str, ...], ...], released)


def plant(
    numbers: Sequence[Number], orders: Sequence[Order], missing: str, target: str | None
) -> Differences:
    """Return the tree of these ordered numbers, with tightened public bounds.

    The root is the target, if the target is one of the numbers. Otherwise it is the column that
    reaches the others with the fewest subtractions, then in the fewest steps: subtractions can make
    amounts negative, and distort low columns more than additions distort high ones. The orders
    connect all columns, without a cycle.
    """
    names = [number.name for number in numbers]
    root = target if target in names else min(names, key=lambda name: _detour(name, orders))
    links = tuple(_walk(str(root), orders))
    by_name = _bound(numbers, orders)
    columns = tuple(by_name[name] for name in (str(root), *(child for child, _ in links)))
    can_miss = any(each.nullable is not False and each.name != target for each in columns)
    own_target = target if target == root else None
    return Differences(columns, links, missing if can_miss else None, own_target)


def _walk(root: str, orders: Sequence[Order]) -> Iterable[tuple[str, Order]]:
    """Yield columns by distance from the root, each with the rule that leads to it."""
    reached, waiting = {root}, deque([root])
    while waiting:
        name = waiting.popleft()
        for order in orders:
            ends = {order.low, order.high}
            if name in ends and ends - reached:
                (child,) = ends - reached
                reached.add(child)
                waiting.append(child)
                yield child, order


def _detour(root: str, orders: Sequence[Order]) -> tuple[int, int]:
    """Count the subtractions on paths from a root, and its steps to the furthest column."""
    depths, falls = {root: 0}, 0
    for child, order in _walk(root, orders):
        depths[child] = depths[_other(order, child)] + 1
        falls += child == order.low
    return falls, max(depths.values())


def _bound(numbers: Sequence[Number], orders: Sequence[Order]) -> dict[str, Number]:
    """Tighten public bounds: a column is at most the upper bound of a larger column."""
    columns = {number.name: number for number in numbers}
    for _ in orders:
        for order in orders:
            low, high = columns[order.low], columns[order.high]
            most = [each.high for each in (low, high) if each.high is not None]
            least = [each.low for each in (low, high) if each.low is not None]
            columns[order.low] = replace(low, high=min(most, default=None))
            columns[order.high] = replace(high, low=max(least, default=None))
    return columns


def _other(order: Order, name: str) -> str:
    return order.high if name == order.low else order.low


def _number(domain: Domain, name: str) -> Number:
    return cast(Number, domain[name])


def _spread_out(known: pd.DataFrame, name: str) -> Floats:
    """Return the ends of a column, shape (n, 2): infinite if its number is not known."""
    own = known[name].to_numpy(dtype=np.float64) if name in known else np.full(len(known), np.nan)
    ends = np.stack([own, own], axis=1)
    return np.where(np.isnan(ends), [-np.inf, np.inf], ends)


def _find_released(domain: Domain, name: str) -> Floats:
    return np.array([[_number(domain, name).low, _number(domain, name).high]], dtype=np.float64)


def _intersect(one: Floats, other: Floats) -> Floats:
    low, high = np.maximum(one[:, 0], other[:, 0]), np.minimum(one[:, 1], other[:, 1])
    return np.stack([low, high], axis=1)


def _shift_ends(ends: Floats, gap: Floats, upwards: bool) -> Floats:
    return ends + gap if upwards else ends - gap[:, ::-1]


def _shared_step(one: float | None, other: float | None) -> float | None:
    """Return the step of sums and differences: ``None`` if unknown, 0 if continuous."""
    return None if one is None or other is None else shared_step([one, other])


def _subtract(high: Floats, low: Floats, steps: tuple[float, ...]) -> Floats:
    finest = np.maximum(step_codes(high, steps), step_codes(low, steps))
    with np.errstate(over='ignore', invalid='ignore'):
        difference = high - low
    for code, step in enumerate(steps):
        at = finest == code
        difference[at] = multiples(np.round(high[at] / step) - np.round(low[at] / step), step)
    return difference


def _move(numbers: Floats, gaps: Floats, upwards: bool, step: float | None) -> Floats:
    """Add or subtract gaps; round to a multiple of ``step``, away from the start."""
    moved = numbers + gaps if upwards else numbers - gaps
    if not step:
        return moved
    times = moved / step
    nearest = np.round(times)
    close = np.abs(nearest - times) <= STEP_TOLERANCE * np.maximum(np.abs(times), 1.0)
    return multiples(np.where(close, nearest, np.ceil(times) if upwards else np.floor(times)), step)


def _fold(gaps: Floats, least: float, room: Floats, step: float, parents: Floats) -> Floats:
    """Reduce a difference by modulo if it exceeds ``room``, the largest possible one in its row."""
    width = np.maximum(room - least, 0.0) + step
    with np.errstate(invalid='ignore', divide='ignore'):
        folded = least + np.where(width > 0, np.mod(gaps - least, width), 0.0)
    # Tolerate rounding errors, or the largest possible difference would become the smallest.
    exceeds = gaps - room > STEP_TOLERANCE * (np.abs(room) + np.abs(parents))
    return np.where(exceeds, folded, gaps)


def _place(child: Number, parent: Number, gap: Number, upwards: bool) -> Number:
    """Describe a column by its neighbour nearer to the root and their difference."""
    step = _shared_step(parent.step, gap.step) if child.step is None else child.step
    gaps = (gap.low, gap.high) if upwards else (gap.high, gap.low)
    ends = np.array([parent.low, parent.high], dtype=np.float64)
    placed = _move(ends, np.array(gaps, dtype=np.float64), upwards, step)
    # Samples lie within the column's own range, and within reach of the neighbour.
    least, most = (-np.inf if child.low is None else child.low), child.high
    low, high = np.clip(placed, least, np.inf if most is None else most).tolist()
    return replace(child, low=min(low, high), high=max(low, high), step=step)


def _name_missing(names: tuple[str, ...], numbers: list[Floats]) -> NDArray[np.object_]:
    rows = zip(*(np.isnan(each).tolist() for each in numbers), strict=True)
    named = (tuple(name for name, gone in zip(names, row, strict=True) if gone) for row in rows)
    return np.fromiter(named, dtype=object, count=len(numbers[0]))
