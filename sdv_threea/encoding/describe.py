"""The private description of a table: the blanks of its domain, filled in from noisy counts.

Every blank costs: the values of categories and heavy single numbers (released above a stability
threshold), ranges (noisy counts on a public grid), granularity and missing values. What the user
declared public costs nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.domain import Category, Column, Domain, Number
from sdv_threea.encoding.lattice import (
    BELIEVED,
    finest_step,
    has_few_values,
    round_inwards,
    step_codes,
)
from sdv_threea.encoding.questions import (
    VALUES,
    Question,
    ask_questions,
    find_blanks,
    split_delta,
)
from sdv_threea.encoding.ranges import (
    GENEROUS,
    NUM_CELLS,
    Sketch,
    extend_tails,
    grid_cells,
    grid_sketch,
    occupied,
    snap_to_zero,
)
from sdv_threea.encoding.values import (
    detach,
    is_missing,
    read_categories,
    read_numbers,
    tally,
)
from sdv_threea.mechanism import Noise, add_noise, threshold_release
from sdv_threea.statistics import histogram

#: Share of a column's records from which a single number counts as heavy.
HEAVY = 0.002

#: The cells of a table, by column, as :mod:`sdv_threea.encoding.values` reads them: private.
Cells = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Description:
    """What is known of a table once its blanks are filled in: publishable.

    Args:
        domain: The completed domain.
        sketches: Noisy counts of numerical columns, by name; none where each value is a cell.
        spikes: Heavy single values of numerical columns and their noisy counts, by name.
        estimated: Names of the columns whose range was estimated.
        extrapolated: Whether such ranges go on beyond the evidence.
    """

    domain: Domain
    sketches: Mapping[str, Sketch] = field(default_factory=dict)
    spikes: Mapping[str, Mapping[float, float]] = field(default_factory=dict)
    estimated: tuple[str, ...] = ()
    extrapolated: bool = False


def describe(  # noqa: PLR0913 (what, and at what price)
    table: pd.DataFrame,
    domain: Domain,
    *,
    mu: float,
    delta: float,
    neighbors: str,
    noise: Noise,
    rows_per_unit: int = 1,
    extrapolate: bool = False,
) -> tuple[Description, tuple[Receipt, ...]]:
    """Fill in the blanks of a domain.

    Formal guarantees:
        * each question adds at most one count per record and column; its receipt says how many
        * together the receipts compose to ``mu``, with a failure probability of ``delta``
        * the answer depends on the table through the noisy counts alone

    Args:
        table: The private rows: the columns of the domain.
        domain: What is public.
        mu: The price, in GDP.
        delta: Failure probability of the thresholds; needed if values are unknown.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.
        rows_per_unit: The most records that a unit of privacy has: the thresholds reckon with it,
            the price is that of one record.
        extrapolate: Whether ranges go on beyond the evidence, where noise hides the last records.

    Returns:
        The description, and one receipt per question asked.

    Raises:
        TypeError: If a column holds what its kind cannot; nothing has been released then.
    """
    cells = {column.name: _read(table[column.name], column) for column in domain.columns}
    questions = ask_questions(domain, mu, neighbors, noise, rows_per_unit)
    receipts: list[Receipt] = []
    nulls = _ask_nulls(cells, questions.get('nulls'), receipts)
    steps = _ask_steps(cells, questions.get('steps'), receipts)
    values: dict[str, dict[Hashable, float]] = {}
    for name, part in split_delta(questions, delta).items():
        values |= _ask_values(cells, questions[name], VALUES[name], part, receipts)
    columns = [_fill_nullable(column, nulls) for column in domain.columns]
    columns = [_fill_values(_fill_step(column, steps), values) for column in columns]
    sketches = _ask_ranges(cells, questions.get('ranges'), columns, receipts)
    filled = Domain(
        tuple(_fill_range(column, sketches, extrapolate) for column in columns), domain.target
    )
    spikes = {
        column.name: _heavy(values[column.name], sketches[column.name])
        for column in filled.columns
        if isinstance(column, Number) and column.name in values
    }
    known = Description(filled, sketches, spikes, _unbounded(domain), extrapolate)
    return known, tuple(receipts)


def asks(domain: Domain) -> bool:
    """Whether a domain leaves anything to ask the private rows."""
    return bool(find_blanks(domain))


def needs_threshold(domain: Domain) -> bool:
    """Whether values have to be released above a threshold, which needs a part of ``delta``."""
    return bool(set(VALUES) & set(find_blanks(domain)))


def _read(cells: pd.Series, column: Column) -> NDArray[Any]:
    return read_numbers(cells) if isinstance(column, Number) else read_categories(cells)


def _unbounded(domain: Domain) -> tuple[str, ...]:
    return tuple(
        column.name
        for column in domain.columns
        if isinstance(column, Number) and (column.low is None or column.high is None)
    )


def _count(
    codes: list[NDArray[np.int64]], size: int, question: Question, released: str
) -> tuple[NDArray[np.float64], Receipt]:
    """Release the histogram of one code per record and column, shape (columns, size)."""
    stacked = np.stack(codes, axis=1)
    groups = np.zeros(len(stacked), dtype=np.int64)
    counts = np.concatenate(histogram(stacked, groups, [size] * len(codes), 1))
    return add_noise(
        counts,
        sensitivity=question.sensitivity,
        mu=question.mu,
        stage='describe',
        released=released,
        noise=question.noise,
    )


def _ask_nulls(cells: Cells, question: Question | None, receipts: list[Receipt]) -> dict[str, bool]:
    if question is None:
        return {}
    codes = [is_missing(cells[column.name]).astype(np.int64) - 1 for column in question.columns]
    counts, receipt = _count(codes, 1, question, 'number of missing values, by column')
    receipts.append(receipt)
    believed = counts[:, 0] > BELIEVED * receipt.noise_scale
    return {
        column.name: bool(found) for column, found in zip(question.columns, believed, strict=True)
    }


def _ask_steps(
    cells: Cells, question: Question | None, receipts: list[Receipt]
) -> dict[str, float]:
    if question is None:
        return {}
    steps = {column.name: column.steps for column in question.columns if isinstance(column, Number)}
    codes = [step_codes(cells[name], candidates) for name, candidates in steps.items()]
    size = max(map(len, steps.values())) + 1
    counts, receipt = _count(codes, size, question, 'granularity of numbers, by column')
    receipts.append(receipt)
    return {
        name: finest_step(row[: len(candidates) + 1], candidates, receipt.noise_scale)
        for (name, candidates), row in zip(steps.items(), counts, strict=True)
    }


def _ask_values(
    cells: Cells, question: Question, released: str, delta: float, receipts: list[Receipt]
) -> dict[str, dict[Hashable, float]]:
    """Release the frequent values of each column, with their noisy counts."""
    found = {
        (at, key): counted
        for at, column in enumerate(question.columns)
        for key, counted in tally(cells[column.name]).items()
    }
    shown, noisy, receipt = threshold_release(
        list(found),
        np.fromiter((count for _, count in found.values()), dtype=np.int64, count=len(found)),
        sensitivity=question.sensitivity,
        mu=question.mu,
        delta=delta,
        max_new_keys=round(question.sensitivity**2) * question.rows_per_unit,
        least=1 + int(question.scale / 4),
        rows_per_unit=question.rows_per_unit,
        stage='describe',
        released=released,
        noise=question.noise,
    )
    receipts.append(receipt)
    answers: dict[str, dict[Hashable, float]] = {column.name: {} for column in question.columns}
    for key, count in zip(shown, noisy.tolist(), strict=True):
        answers[question.columns[key[0]].name][detach(found[key][0])] = count
    return answers


def _heavy(counts: Mapping[Hashable, float], sketch: Sketch) -> dict[float, float]:
    bar = HEAVY * sketch.counts.sum()
    return {cast(float, value): count for value, count in counts.items() if count >= bar}


def _ask_ranges(
    cells: Cells, question: Question | None, columns: list[Column], receipts: list[Receipt]
) -> dict[str, Sketch]:
    if question is None:
        return {}
    numbers = [cells[column.name] for column in question.columns]
    codes = [np.where(np.isnan(values), -1, grid_cells(values)) for values in numbers]
    counts, receipt = _count(codes, NUM_CELLS, question, 'counts on a public grid, by column')
    receipts.append(receipt)
    steps = {column.name: column.step or 0.0 for column in columns if isinstance(column, Number)}
    sketches = {
        column.name: grid_sketch(row, receipt.noise_scale, steps[column.name])
        for column, row in zip(question.columns, counts, strict=True)
    }
    return {
        name: _find_range(sketch, steps[name], len(sketches)) for name, sketch in sketches.items()
    }


def _find_range(sketch: Sketch, step: float, num_looks: int) -> Sketch:
    """Cut a sketch to the occupied cells: generously where its values are looked at again."""
    wide = sketch[occupied(sketch, num_looks=num_looks, generosity=GENEROUS)]
    if has_few_values(*wide.bounds, step):
        return wide
    return sketch[occupied(sketch, num_looks=num_looks)]


def _fill_nullable(column: Column, nulls: Mapping[str, bool]) -> Column:
    return replace(column, nullable=nulls.get(column.name, column.nullable))


def _fill_step(column: Column, steps: Mapping[str, float]) -> Column:
    if isinstance(column, Number) and column.name in steps:
        return replace(column, step=steps[column.name])
    return column


def _fill_values(column: Column, values: Mapping[str, Mapping[Hashable, float]]) -> Column:
    """Fill in the values; a column of which none is known is missing throughout."""
    if not isinstance(column, Category) or column.name not in values:
        return column
    known = tuple(values[column.name])
    return replace(column, values=known, nullable=column.nullable or not known)


def _fill_range(column: Column, sketches: Mapping[str, Sketch], extrapolate: bool) -> Column:
    """Fill in missing bounds: those of the occupied cells, or of the tails beyond them."""
    if not isinstance(column, Number) or column.name not in sketches:
        return column
    sketch, step = sketches[column.name], column.step or 0.0
    low, high = sketch.bounds
    if extrapolate and not has_few_values(low, high, step):
        low, high = extend_tails(sketch)
    low, high = round_inwards(low, high, step) if step else snap_to_zero(low, high)
    if column.low is not None:
        low, high = column.low, max(high, column.low)
    if column.high is not None:
        low, high = min(low, column.high), column.high
    return replace(column, low=low, high=high)
