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

#: A round step is taken though there seem to be some finer numbers, if these are no more than this
#: many standard deviations of the noise, as they may be noise alone ...
MOST_FINE = 3.0

#: ... and no more than this share of all numbers, as what is rounded is lost ...
FEW_FINE = 0.03

#: ... or if they are no more than this many standard deviations, whatever their share.
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
    counts: NDArray[np.float64],
    steps: tuple[float, ...],
    scale: float,
    believed: float,
    total: tuple[float, float] | None = None,
) -> float:
    """Choose the coarsest step that all but a few numbers are multiples of.

    Args:
        counts: Noisy number of records by :func:`step_codes`, shape (number of steps + 1,).
        steps: The steps, coarse to fine.
        scale: Standard deviation of the noise.
        believed: Numbers are believed in if their count exceeds this many noise scales.
        total: Noisy number of records that have a number, and the standard deviation of its noise,
            if it was released.

    Returns:
        The step; 0 if there is none. It is the first one of which numbers are multiples beyond
        doubt, while finer numbers are no more than noise explains, and no more than half of all. A
        step that is too fine does little harm; one that is too coarse can leave no number in the
        range. So of a round one, above one, few numbers may seem to be finer.
    """
    counts, gain = _add_up(counts, scale, total)
    for code, step in enumerate(steps):
        # A multiple of a coarse step is one of all finer steps.
        multiples, finer = counts[: code + 1].sum(), counts[code + 1 :].sum()
        noise = scale * _spread(len(steps) - code, gain)
        is_round = step in ROUND_STEPS
        evident = multiples >= max(believed * scale * _spread(code + 1, gain), float(is_round))
        if is_round:
            most = max(LEAST_FINE * noise, min(MOST_FINE * noise, FEW_FINE * counts.sum()))
        else:
            most = believed * noise
        if evident and finer <= max(min(most, counts.sum() / 2), 0.0):
            return step
    return 0.0


def _add_up(
    counts: NDArray[np.float64], scale: float, total: tuple[float, float] | None
) -> tuple[NDArray[np.float64], float]:
    """Return what counts are, given their sum: the mean of a Gaussian.

    Args:
        counts: Noisy counts, shape (n,).
        scale: Standard deviation of their noise.
        total: Their sum, with a noise of its own, and the standard deviation of that, if known.

    Returns:
        The counts, and which part of the gap between sum and total each of them takes.
    """
    if total is None or not scale:
        return counts, 0.0
    gain = scale**2 / (len(counts) * scale**2 + total[1] ** 2)
    return counts + gain * (total[0] - counts.sum()), gain


def _spread(num: int, gain: float) -> float:
    """Return the standard deviation of a sum of such counts, in units of the noise of one."""
    return math.sqrt(num - gain * num**2)


def _round_up(quotient: float) -> int:
    """Return the least whole number that is not below a quotient, but for rounding."""
    nearest = round(quotient)
    close = abs(nearest - quotient) <= STEP_TOLERANCE * max(1.0, abs(quotient))
    return nearest if close else math.ceil(quotient)
