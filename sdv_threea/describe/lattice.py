"""Lattices: numbers that are multiples of a step, such as whole numbers, cents or days."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from sdv_threea.domain import DECIMAL_STEPS, ROUND_STEPS, Column, Number

#: A column of at most this many possible values has a code for each.
MAX_LATTICE = 128

#: Multiples from here on are too large for a float to tell them apart.
LARGEST_MULTIPLE = 2.0**52

#: A float counts as a multiple if it is this close to one, relative to the larger of number and
#: step: enough for the rounding of a few operations.
STEP_TOLERANCE = 1e-12

#: A round step is taken only if there seem to be no more finer numbers than this many standard
#: deviations of the noise: what is rounded is lost.
LEAST_FINE = 1.0


def is_lattice(column: Column) -> TypeGuard[Number]:
    """Whether a column is a number whose values are known, and few enough for a code each."""
    if not isinstance(column, Number) or not column.step:
        return False
    if column.low is None or column.high is None:
        return False
    return has_few_values(column.low, column.high, column.step)


def has_few_values(low: float, high: float, step: float) -> bool:
    """Whether a range has a step (not 0) and few enough multiples of it for a code each."""
    if not step or (high - low) / step >= MAX_LATTICE:
        return False
    return max(abs(low), abs(high)) / step < LARGEST_MULTIPLE


def count_values(column: Number) -> int:
    """Return how many values a number has, if they are known and few, or else ``MAX_LATTICE``."""
    if not is_lattice(column):
        return MAX_LATTICE
    low, high, step = column.low or 0.0, column.high or 0.0, column.step or 1.0
    first, last = inner_multiples(low, high, step)
    return round((last - first) / step) + 1


def multiples(times: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """Return the floats nearest to multiples of a step: 0.3, not 3 * 0.1 = 0.30000000000000004."""
    # Decimal steps have a whole inverse; dividing by it rounds once.
    per_unit = round(1 / step)
    if per_unit > 1 and math.isclose(per_unit * step, 1, rel_tol=STEP_TOLERANCE):
        return np.asarray(times / per_unit + 0.0)
    return np.asarray(times * step + 0.0)


def round_inwards(low: float, high: float, step: float) -> tuple[float, float]:
    """Return the first and the last multiple in ``[low, high)``; one twice, if there is none."""
    first, end = _round_up(low / step), _round_up(high / step)
    ends = multiples(np.array([first, max(first, end - 1)], dtype=np.float64), step)
    return float(ends[0]), float(ends[1])


def inner_multiples(low: float, high: float, step: float) -> tuple[float, float]:
    """Return the first and the last multiple in ``[low, high]``; the first twice, if there is none.

    A range that is public need not end at multiples of a step that was estimated.
    """
    first, last = _round_up(low / step), -_round_up(-high / step)
    ends = multiples(np.array([first, max(first, last)], dtype=np.float64), step)
    return float(ends[0]), float(ends[1])


def add_round_steps(column: Number) -> Number:
    """Return a column of which round steps are tried, too: multiples of ten, of a hundred.

    Times have steps of their own. A column on a grid of its own comes out of a transformer of the
    user, which may add something to round numbers.
    """
    if column.steps != DECIMAL_STEPS or column.grid is not None:
        return column
    return replace(column, steps=ROUND_STEPS + DECIMAL_STEPS)


def step_codes(values: NDArray[np.float64], steps: tuple[float, ...]) -> NDArray[np.int64]:
    """Find the coarsest step that each number is a multiple of.

    A zero is a multiple of all of them, and says nothing of whether others are round.

    Args:
        values: Finite numbers, NaN where missing, shape (n,).
        steps: The steps, coarse to fine.

    Returns:
        Places among the steps, shape (n,); their number for none of them, -1 where missing.
    """
    codes = np.full(len(values), len(steps), dtype=np.int64)
    for code, step in reversed(list(enumerate(steps))):
        distance = np.abs(np.round(values / step) * step - values)
        codes[distance <= STEP_TOLERANCE * np.maximum(np.abs(values), step)] = code
    num_round = sum(step in ROUND_STEPS for step in steps)
    codes[values == 0] = num_round
    codes[np.isnan(values)] = -1
    return codes


def common_step(values: NDArray[np.float64], steps: tuple[float, ...]) -> float:
    """Find the coarsest step that all numbers are multiples of, shape (n,); 0 if there is none."""
    finest = int(step_codes(values, steps).max(initial=0))
    return (*steps, 0.0)[finest]


def finest_step(
    counts: NDArray[np.float64], steps: tuple[float, ...], scale: float, believed: float
) -> float:
    """Choose the coarsest step that all but a few numbers are multiples of.

    Args:
        counts: Noisy number of records by :func:`step_codes`, shape (number of steps + 1,).
        steps: The steps, coarse to fine.
        scale: Standard deviation of the noise.
        believed: Numbers are believed in if their count exceeds this many noise scales.

    Returns:
        The step; 0 if there is none. It is the first one of which numbers are multiples beyond
        doubt, while finer numbers are no more than noise explains, and no more than half of all. A
        step that is too fine does little harm; one that is too coarse can leave no number in the
        range. So of a round one, above one, hardly a number may seem to be finer.
    """
    for code, step in enumerate(steps):
        # A multiple of a coarse step is one of all finer steps.
        multiples, finer = counts[: code + 1].sum(), counts[code + 1 :].sum()
        is_round = step in ROUND_STEPS
        noise = (LEAST_FINE if is_round else believed) * scale * math.sqrt(len(steps) - code)
        evident = multiples >= max(believed * scale * math.sqrt(code + 1), float(is_round))
        if evident and finer <= max(min(noise, counts.sum() / 2), 0.0):
            return step
    return 0.0


def _round_up(quotient: float) -> int:
    """Return the least whole number that is not below a quotient, but for rounding."""
    nearest = round(quotient)
    close = abs(nearest - quotient) <= STEP_TOLERANCE * max(1.0, abs(quotient))
    return nearest if close else math.ceil(quotient)
