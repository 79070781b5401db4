"""The private description of a table: the blanks of its domain, filled in from noisy counts.

Every blank costs: the values of categories and heavy single numbers (released above a stability
threshold), ranges (noisy counts on a public grid), granularity and missing values. What the user
declared public costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeGuard

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.domain import Category, Column, Domain, Number
from sdv_threea.encoding.ranges import (
    GENEROUS,
    NUM_CELLS,
    Sketch,
    extend_tails,
    grid_cells,
    grid_sketch,
    occupied,
)
from sdv_threea.mechanism import Noise, add_noise, discrete_gaussian, threshold_release
from sdv_threea.statistics import histogram, histogram_sensitivity

#: Relative weight of one column in each question: the noise of a question is inversely
#: proportional to it. See benchmarks/ for how they were chosen.
WEIGHTS = {
    'classes': 1.0,
    'ranges': 1.0,
    'categories': 0.75,
    'spikes': 0.5,
    'nulls': 0.35,
    'steps': 0.25,
}

#: What receipts say of the questions about values.
VALUES = {
    'classes': 'values of the target above a threshold',
    'categories': 'values of categorical columns above a threshold',
    'spikes': 'heavy single values of numerical columns above a threshold',
}

#: Share of a column's records from which a single number counts as heavy.
HEAVY = 0.002

#: Missing values, and values finer than a step, are believed above this many noise scales.
BELIEVED = 4.0

#: Relative distance to a multiple of the step at which a float still counts as one.
STEP_TOLERANCE = 1e-9

#: Up to this many possible values, each is a cell of its own.
MAX_LATTICE = 128


@dataclass(frozen=True)
class Description:
    """What is known of a table once its blanks are filled in: publishable.

    Args:
        domain: The completed domain.
        sketches: Noisy counts of numerical columns, by name; none where each value is a cell.
        spikes: Heavy single values of numerical columns, by name.
        estimated: Names of the columns whose range was estimated.
    """

    domain: Domain
    sketches: Mapping[str, Sketch] = field(default_factory=dict)
    spikes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    estimated: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Question:
    """A question to all columns that leave a blank.

    Args:
        columns: The columns it is put to.
        mu: Its price.
        neighbors: The neighbour relation.
        noise: The source of noise.
    """

    columns: tuple[Column, ...]
    mu: float
    neighbors: str
    noise: Noise

    @property
    def sensitivity(self) -> float:
        """A record answers with one count per column."""
        return histogram_sensitivity(len(self.columns), self.neighbors)

    @property
    def scale(self) -> float:
        """The noise scale of the answer, about."""
        return self.sensitivity / self.mu


def describe(
    table: pd.DataFrame, domain: Domain, *, mu: float, delta: float, neighbors: str, noise: Noise
) -> tuple[Description, tuple[Receipt, ...]]:
    """Fill in the blanks of a domain.

    Formal guarantees:
        * each question adds at most one count per record and column; its receipt says how many
        * together the receipts compose to at most ``mu``, with a failure probability of at most
          ``delta``
        * the answer depends on the table through the noisy counts alone

    Args:
        table: The private rows: the columns of the domain, numbers as floats.
        domain: What is public.
        mu: The price, in GDP.
        delta: Failure probability of the thresholds; needed if values are unknown.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        The description, and one receipt per question asked.
    """
    questions = _questions(domain, mu, neighbors, noise)
    receipts: list[Receipt] = []
    nulls = _ask_nulls(table, questions.get('nulls'), receipts)
    steps = _ask_steps(table, questions.get('steps'), receipts)
    deltas = _split_delta(questions, delta)
    values = _ask_values(table, questions.get('classes'), deltas, 'classes', receipts)
    values |= _ask_values(table, questions.get('categories'), deltas, 'categories', receipts)
    heavy = _ask_values(table, questions.get('spikes'), deltas, 'spikes', receipts)
    columns = [_fill_nullable(column, nulls) for column in domain.columns]
    columns = [_fill_values(_fill_step(column, steps), values) for column in columns]
    sketches = _ask_ranges(table, questions.get('ranges'), columns, receipts)
    filled = Domain(tuple(_fill_range(column, sketches) for column in columns), domain.target)
    spikes = {name: _heavy(counts, sketches[name]) for name, counts in heavy.items()}
    return Description(filled, sketches, spikes, _unbounded(domain)), tuple(receipts)


def asks(domain: Domain) -> bool:
    """Whether a domain leaves anything to ask the private rows."""
    return bool(_questions(domain, 1.0, 'add_remove', discrete_gaussian))


def needs_threshold(domain: Domain) -> bool:
    """Whether values have to be released above a threshold, which needs a part of ``delta``."""
    return bool(set(VALUES) & set(_questions(domain, 1.0, 'add_remove', discrete_gaussian)))


def is_lattice(column: Column) -> TypeGuard[Number]:
    """Whether a column is a number whose values are known, and few enough for a cell each."""
    if not isinstance(column, Number) or column.low is None or column.high is None or not column.step:
        return False
    return bool((column.high - column.low) / column.step < MAX_LATTICE)


def _questions(domain: Domain, mu: float, neighbors: str, noise: Noise) -> dict[str, Question]:
    numbers = [column for column in domain.columns if isinstance(column, Number)]
    listed = [
        column
        for column in domain.columns
        if isinstance(column, Category) and column.values is None
    ]
    rough = tuple(column for column in numbers if not is_lattice(column))
    cut = tuple(column for column in numbers if column in rough or column.name == domain.target)
    asked: dict[str, tuple[Column, ...]] = {
        'nulls': tuple(column for column in domain.columns if column.nullable is None),
        'steps': tuple(column for column in numbers if column.step is None),
        'classes': tuple(column for column in listed if column.name == domain.target),
        'categories': tuple(column for column in listed if column.name != domain.target),
        'spikes': rough,
        'ranges': cut,
    }
    shares = {name: len(columns) * WEIGHTS[name] ** 2 for name, columns in asked.items() if columns}
    total = math.fsum(shares.values())
    return {
        name: Question(asked[name], mu * math.sqrt(share / total), neighbors, noise)
        for name, share in shares.items()
    }


def _unbounded(domain: Domain) -> frozenset[str]:
    return frozenset(
        column.name
        for column in domain.columns
        if isinstance(column, Number) and (column.low is None or column.high is None)
    )


def _split_delta(questions: Mapping[str, Question], delta: float) -> dict[str, float]:
    asked = {name: len(questions[name].columns) for name in VALUES if name in questions}
    return {name: delta * count / sum(asked.values()) for name, count in asked.items()}


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


def _ask_nulls(
    table: pd.DataFrame, question: Question | None, receipts: list[Receipt]
) -> dict[str, bool]:
    if question is None:
        return {}
    codes = [table[column.name].isna().to_numpy().astype(np.int64) - 1
             for column in question.columns]
    counts, receipt = _count(codes, 1, question, 'number of missing values, by column')
    receipts.append(receipt)
    bar = BELIEVED * receipt.noise_scale
    return {column.name: bool(count > bar)
            for column, count in zip(question.columns, counts[:, 0], strict=True)}


def _ask_steps(
    table: pd.DataFrame, question: Question | None, receipts: list[Receipt]
) -> dict[str, float]:
    if question is None:
        return {}
    numbers = [column for column in question.columns if isinstance(column, Number)]
    codes = [_step_codes(_floats(table, column), column.steps) for column in numbers]
    size = max(len(column.steps) for column in numbers) + 1
    counts, receipt = _count(codes, size, question, 'granularity of numbers, by column')
    receipts.append(receipt)
    return {column.name: _finest_step(row, column.steps, receipt.noise_scale)
            for column, row in zip(numbers, counts, strict=True)}


def _step_codes(values: NDArray[np.float64], steps: tuple[float, ...]) -> NDArray[np.int64]:
    """Find the coarsest step each value is a multiple of; -1 for a missing value."""
    codes = np.full(len(values), len(steps), dtype=np.int64)
    for code, step in reversed(list(enumerate(steps))):
        distance = np.abs(np.round(values / step) * step - values)
        codes[distance <= STEP_TOLERANCE * np.maximum(np.abs(values), step)] = code
    codes[np.isnan(values)] = -1
    return codes


def _finest_step(counts: NDArray[np.float64], steps: tuple[float, ...], scale: float) -> float:
    """Choose the coarsest step that enough values are multiples of; 0 if no step is fine enough."""
    for code, step in enumerate(steps):
        finer = counts[code + 1 :].sum()
        noise = BELIEVED * scale * math.sqrt(len(counts) - code - 1)
        if finer <= max(min(noise, counts.sum() / 2), 0.0):
            return step
    return 0.0


def _ask_values(
    table: pd.DataFrame,
    question: Question | None,
    deltas: Mapping[str, float],
    name: str,
    receipts: list[Receipt],
) -> dict[str, dict[Hashable, float]]:
    if question is None:
        return {}
    counts = {
        (at, value): int(count)
        for at, column in enumerate(question.columns)
        for value, count in table[column.name].value_counts(sort=False).items()
    }
    shown, noisy, receipt = threshold_release(
        list(counts),
        np.fromiter(counts.values(), dtype=np.int64, count=len(counts)),
        sensitivity=question.sensitivity,
        mu=question.mu,
        delta=deltas[name],
        max_new_keys=round(question.sensitivity**2),
        least=1 + int(question.scale / 4),
        stage='describe',
        released=VALUES[name],
        noise=question.noise,
    )
    receipts.append(receipt)
    found: dict[str, dict[Hashable, float]] = {column.name: {} for column in question.columns}
    for (at, value), count in zip(shown, noisy.tolist(), strict=True):
        found[question.columns[at].name][value] = count
    return found


def _heavy(counts: Mapping[Hashable, float], sketch: Sketch) -> tuple[float, ...]:
    bar = HEAVY * sketch.counts.sum()
    return tuple(sorted(float(value) for value, count in counts.items() if count >= bar))  # type: ignore[arg-type]


def _ask_ranges(
    table: pd.DataFrame, question: Question | None, columns: list[Column], receipts: list[Receipt]
) -> dict[str, Sketch]:
    if question is None:
        return {}
    codes = []
    for column in question.columns:
        values = _floats(table, column)
        codes.append(np.where(np.isnan(values), -1, grid_cells(values)))
    counts, receipt = _count(codes, NUM_CELLS, question, 'counts on a public grid, by column')
    receipts.append(receipt)
    steps = {column.name: column.step or 0.0 for column in columns if isinstance(column, Number)}
    sketches = {}
    for column, row in zip(question.columns, counts, strict=True):
        sketch = grid_sketch(row, receipt.noise_scale, steps[column.name])
        cells = occupied(sketch, num_looks=len(codes), generosity=GENEROUS)
        sketches[column.name] = sketch[cells]
    return sketches


def _floats(table: pd.DataFrame, column: Column) -> NDArray[np.float64]:
    return table[column.name].to_numpy(dtype=np.float64)


def _fill_nullable(column: Column, nulls: Mapping[str, bool]) -> Column:
    return replace(column, nullable=nulls.get(column.name, column.nullable))


def _fill_step(column: Column, steps: Mapping[str, float]) -> Column:
    if isinstance(column, Number) and column.name in steps:
        return replace(column, step=steps[column.name])
    return column


def _fill_values(column: Column, values: Mapping[str, Mapping[Hashable, float]]) -> Column:
    if isinstance(column, Category) and column.name in values:
        return replace(column, values=tuple(values[column.name]))
    return column


def _fill_range(column: Column, sketches: Mapping[str, Sketch]) -> Column:
    """Fill in missing bounds; few whole values end where their cells end, others get tails."""
    if not isinstance(column, Number) or column.name not in sketches:
        return column
    if column.low is not None and column.high is not None:
        return column
    sketch = sketches[column.name]
    low, high = float(sketch.edges[0, 0]), float(sketch.edges[-1, 1])
    step = column.step or 0.0
    if not step or (high - low) / step >= MAX_LATTICE:
        low, high = extend_tails(sketch, slice(None))
    if step:
        low, high = math.ceil(low / step) * step, (math.ceil(high / step) - 1) * step
        low = min(low, high)
    return replace(
        column,
        low=low if column.low is None else column.low,
        high=high if column.high is None else column.high,
    )
