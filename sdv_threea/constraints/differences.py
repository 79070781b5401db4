"""Ordered numbers, replaced by one of them and the differences between neighbours.

A difference between two ordered numbers is at least zero, and that is public. Numbers that such
orders connect form a tree: one column, the root, stays as it is. Every other column becomes its
difference to a neighbour that is nearer to the root.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.constraints.derivations import Cells, Choices, Ends
from sdv_threea.describe.granularity import step_codes
from sdv_threea.describe.lattice import STEP_TOLERANCE, multiples
from sdv_threea.domain import Category, Column, Domain, Number
from sdv_threea.intake.columns import read_numbers


@dataclass(frozen=True)
class Order:
    """A rule: ``low`` is at most ``high``, or below it, unless one of them is missing.

    Args:
        low: The smaller column.
        high: The larger column.
        strict: Whether they must differ.
        difference: Name of the column that holds ``high - low``.
    """

    low: str
    high: str
    strict: bool
    difference: str


@dataclass(frozen=True)
class Differences:
    """A tree of ordered numbers (:func:`plant`).

    The numbers that are missing together are a category: the names of the missing columns, as a
    tuple. The category is left out if public facts exclude missing numbers. Differences are drawn
    for missing numbers also; the numbers are removed afterwards.

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
        """The root, the differences, and the category of missing columns."""
        root = self.columns[0]
        root = root if root.name == self.target else replace(root, nullable=False)
        gaps = tuple(self._describe_gap(order) for _, order in self.links)
        if self.missing is None:
            return (root, *gaps)
        return (root, *gaps, Category(name=self.missing, nullable=False))

    def forward(self, table: pd.DataFrame) -> Cells:
        """Subtract neighbours, record by record, exactly if both are multiples of a known step."""
        numbers = {name: read_numbers(table[name]) for name in self.replaced}
        root = self.columns[0]
        cells: Cells = {root.name: numbers[root.name]}
        for _, order in self.links:
            step = _shared_step(self._by_name[order.low].step, self._by_name[order.high].step)
            steps = (step,) if step else root.steps
            cells[order.difference] = _subtract(numbers[order.high], numbers[order.low], steps)
        if self.missing is not None:
            names = self._may_be_missing
            cells[self.missing] = _name_missing(names, [numbers[name] for name in names])
        return cells

    def back(self, sampled: pd.DataFrame, domain: Domain) -> Cells:
        """Add the differences up, and remove the missing numbers."""
        restored = {column.name: column for column in self.restore(domain)}
        root = self.columns[0].name
        cells: Cells = {root: sampled[root].to_numpy(dtype=np.float64)}
        # Where the target is missing, differences are added to the target of the previous row.
        base = pd.Series(cells[root]).ffill().bfill().to_numpy()
        numbers = {root: base}
        for child, order in self.links:
            gap = sampled[order.difference].to_numpy(dtype=np.float64)
            if order.strict:
                gap = np.maximum(gap, _number(domain, order.difference).step or 0.0)
            column = restored[child]
            moved = _move(numbers[_other(order, child)], gap, child == order.high, column.step)
            numbers[child] = np.clip(moved, column.low, column.high)
            cells[child] = numbers[child]
        if self.missing is not None:
            for name in self._may_be_missing:
                gone = [name in (names or ()) for names in sampled[self.missing]]
                cells[name] = np.where(gone, np.nan, cells[name])
        return cells

    def restore(self, domain: Domain) -> tuple[Number, ...]:
        """Describe the numbers: their ranges follow from those of the root and the differences."""
        root = _number(domain, self.columns[0].name)
        numbers = {root.name: root}
        for child, order in self.links:
            parent, gap = numbers[_other(order, child)], _number(domain, order.difference)
            numbers[child] = _place(self._by_name[child], parent, gap, child == order.high)
        missing = {name for names in self._list_missing(domain) for name in names}
        return tuple(
            number
            if number.name == self.target
            else replace(number, nullable=column.name in missing or bool(column.nullable))
            for column, number in zip(self.columns, numbers.values(), strict=True)
        )

    def select(self, known: pd.DataFrame, domain: Domain) -> Choices:
        """Choose the columns that are missing together; numbers themselves restrict nothing."""
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
        """Bound the root and the differences: intervals spread along the tree."""
        if not known[[name for name in self.replaced if name in known]].notna().any(axis=None):
            return {}
        root = self.columns[0].name
        ends = {name: _spread_out(known, name) for name in self.replaced}
        ends[root] = _intersect(ends[root], _released(domain, root))
        upwards = [(child, order, _other(order, child)) for child, order in self.links]
        for child, order, parent in (*upwards[::-1], *upwards):
            gap = _released(domain, order.difference)
            ends[parent] = _intersect(ends[parent], _reach(ends[child], gap, child != order.high))
            ends[child] = _intersect(ends[child], _reach(ends[parent], gap, child == order.high))
        found = {root: ends[root]}
        for _, order in self.links:
            gap = ends[order.high] - ends[order.low][:, ::-1]
            found[order.difference] = _intersect(gap, _released(domain, order.difference))
        return found

    def solve(self, drawn: pd.DataFrame, known: pd.DataFrame, domain: Domain) -> Cells:
        """Move numbers that are not known by drawn differences, and differences between known ones.

        A number is moved with the nearest known one further from the root.
        """
        numbers = {name: _spread_out(known, name)[:, 0] for name in self.replaced}
        numbers = {
            name: np.where(np.isfinite(each), each, np.nan) for name, each in numbers.items()
        }
        gaps = {order: drawn[order.difference].to_numpy(float) for _, order in self.links}
        for child, order in self.links[::-1]:
            parent, upwards = _other(order, child), child != order.high
            moved = _move(numbers[child], gaps[order], upwards, self._by_name[parent].step)
            numbers[parent] = np.where(np.isnan(numbers[parent]), moved, numbers[parent])
        root = self.columns[0].name
        numbers[root] = np.where(np.isnan(numbers[root]), drawn[root], numbers[root])
        cells: Cells = {root: numbers[root]}
        for child, order in self.links:
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
        known = low.low is not None and high.high is not None
        return Number(
            name=order.difference,
            low=least,
            high=max((high.high or 0.0) - (low.low or 0.0), least) if known else None,
            step=step,
            nullable=False,
            steps=low.steps,
        )

    def _list_missing(self, domain: Domain) -> tuple[tuple[str, ...], ...]:
        """List the released combinations of missing columns."""
        if self.missing is None:
            return ()
        released = cast(Category, domain[self.missing]).values or ()  # noqa: PD011 (no pandas)
        return cast(tuple[tuple[str, ...], ...], released)


def plant(
    numbers: Sequence[Number], orders: Sequence[Order], missing: str, target: str | None
) -> Differences:
    """Return the tree of some ordered numbers, with tightened public bounds.

    The root is the target, if the target is one of the numbers. Otherwise it is the column that
    reaches the others with the fewest subtractions, then in the fewest steps. Subtractions can make
    amounts negative, and distort low columns more than additions distort high ones.

    Args:
        numbers: The columns.
        orders: The rules: they connect all columns, without a cycle.
        missing: Name for the category of missing columns.
        target: The target of the table, if any.
    """
    names = [number.name for number in numbers]
    root = target if target in names else min(names, key=lambda name: _detour(name, orders))
    links = tuple(_walk(str(root), orders))
    by_name = _bound(numbers, orders)
    columns = tuple(by_name[name] for name in (str(root), *(child for child, _ in links)))
    can_miss = any(each.nullable is not False and each.name != target for each in columns)
    own_target = target if target == root else None
    return Differences(columns, links, missing if can_miss else None, own_target)


def _spread_out(known: pd.DataFrame, name: str) -> NDArray[np.float64]:
    """Return the ends of a column, shape (n, 2): infinite where its number is not known."""
    own = known[name].to_numpy(dtype=np.float64) if name in known else np.full(len(known), np.nan)
    ends = np.stack([own, own], axis=1)
    return np.where(np.isnan(ends), [-np.inf, np.inf], ends)


def _released(domain: Domain, name: str) -> NDArray[np.float64]:
    column = _number(domain, name)
    return np.array([[column.low, column.high]], dtype=np.float64)


def _intersect(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the common part of intervals, shape (n, 2)."""
    low, high = np.maximum(one[:, 0], other[:, 0]), np.minimum(one[:, 1], other[:, 1])
    return np.stack([low, high], axis=1)


def _reach(
    ends: NDArray[np.float64], gap: NDArray[np.float64], upwards: bool
) -> NDArray[np.float64]:
    """Return the ends of numbers that are a difference above or below others."""
    return ends + gap if upwards else ends - gap[:, ::-1]


def _walk(root: str, orders: Sequence[Order]) -> Iterable[tuple[str, Order]]:
    """Reach all columns from the root, the nearest first: each with the rule that leads there."""
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
    """Count the columns that a root reaches by subtracting, and its steps to the furthest one."""
    depths, falls = {root: 0}, 0
    for child, order in _walk(root, orders):
        depths[child] = depths[_other(order, child)] + 1
        falls += child == order.low
    return falls, max(depths.values())


def _bound(numbers: Sequence[Number], orders: Sequence[Order]) -> dict[str, Number]:
    """Tighten public bounds: a number is at most the bound of a larger number."""
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


def _shared_step(one: float | None, other: float | None) -> float | None:
    """Return the step of sums and differences: ``None`` if unknown, 0 if there is none."""
    if one is None or other is None:
        return None
    fine, coarse = sorted((one, other))
    times = coarse / fine if fine else 0.0
    return fine if abs(round(times) - times) <= STEP_TOLERANCE * times else 0.0


def _subtract(
    high: NDArray[np.float64], low: NDArray[np.float64], steps: tuple[float, ...]
) -> NDArray[np.float64]:
    """Subtract numbers, as multiples of the coarsest step that divides both."""
    finest = np.maximum(step_codes(high, steps), step_codes(low, steps))
    with np.errstate(over='ignore', invalid='ignore'):
        difference = high - low
    for code, step in enumerate(steps):
        at = finest == code
        difference[at] = multiples(np.round(high[at] / step) - np.round(low[at] / step), step)
    return difference


def _move(
    numbers: NDArray[np.float64], gaps: NDArray[np.float64], upwards: bool, step: float | None
) -> NDArray[np.float64]:
    """Move numbers up or down, and on to the next multiple of a step, never back."""
    moved = numbers + gaps if upwards else numbers - gaps
    if not step:
        return moved
    times = moved / step
    nearest = np.round(times)
    close = np.abs(nearest - times) <= STEP_TOLERANCE * np.maximum(np.abs(times), 1.0)
    return multiples(np.where(close, nearest, np.ceil(times) if upwards else np.floor(times)), step)


def _place(child: Number, parent: Number, gap: Number, upwards: bool) -> Number:
    """Describe a number by its neighbour nearer to the root and the difference between them."""
    step = _shared_step(parent.step, gap.step) if child.step is None else child.step
    gaps = (gap.low, gap.high) if upwards else (gap.high, gap.low)
    ends = np.array([parent.low, parent.high], dtype=np.float64)
    low, high = _move(ends, np.array(gaps, dtype=np.float64), upwards, step).tolist()
    low = low if child.low is None else child.low
    high = high if child.high is None else child.high
    return replace(child, low=min(low, high), high=max(low, high), step=step)


def _name_missing(
    names: tuple[str, ...], numbers: list[NDArray[np.float64]]
) -> NDArray[np.object_]:
    """Return the names of the columns that each record misses, as a tuple."""
    rows = zip(*(np.isnan(each).tolist() for each in numbers), strict=True)
    named = (tuple(name for name, gone in zip(names, row, strict=True) if gone) for row in rows)
    return np.fromiter(named, dtype=object, count=len(numbers[0]))
