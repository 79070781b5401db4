"""Lattices: numbers that are multiples of a step, such as whole numbers, cents or days."""

import math
from collections.abc import Sequence
from typing import TypeGuard

import numpy as np

from sdv_threea.arrays import Floats
from sdv_threea.constants import MAX_LATTICE
from sdv_threea.domain import Column, Number

#: From this multiple on, floats do not distinguish neighbours.
LARGEST_MULTIPLE = 2.0**52

#: Largest distance of a float from a multiple, relative to the larger of number and step: enough
#: for the rounding errors of a few operations.
STEP_TOLERANCE = 1e-12

#: The step that all steps of decimals are multiples of.
FINEST = 1e-9


def is_lattice(column: Column) -> TypeGuard[Number]:
    """Return whether a column is numerical, with known values, few enough for a code each."""
    if not isinstance(column, Number) or not column.step:
        return False
    if column.low is None or column.high is None:
        return False
    return has_few_values(column.low, column.high, column.step)


def has_few_values(low: float, high: float, step: float) -> bool:
    """Return whether a range has a step (not 0) and few enough multiples of it for a code each."""
    if not step or (high - low) / step >= MAX_LATTICE:
        return False
    return max(abs(low), abs(high)) / step < LARGEST_MULTIPLE


def count_values(column: Number) -> int:
    """Return the number of values of a lattice, or ``MAX_LATTICE`` for any other column."""
    if not is_lattice(column):
        return MAX_LATTICE
    low, high, step = column.low or 0.0, column.high or 0.0, column.step or 1.0
    first, last = inner_multiples(low, high, step)
    return round((last - first) / step) + 1


def multiples(times: Floats, step: float) -> Floats:
    """Return the floats nearest to multiples of a step: 0.3, not 3 * 0.1 = 0.30000000000000004."""
    # Decimal steps have a whole inverse; dividing by it rounds once.
    per_unit = round(1 / step)
    if per_unit > 1 and math.isclose(per_unit * step, 1, rel_tol=STEP_TOLERANCE):
        return np.asarray(times / per_unit + 0.0)
    return np.asarray(times * step + 0.0)


def shared_step(steps: Sequence[float]) -> float:
    """Return the coarsest step that divides all steps; 0 if there is none, or a step is 0."""
    times = [round(step / FINEST) for step in steps]
    both = zip(steps, times, strict=True)
    near = all(own and abs(step / FINEST - own) <= STEP_TOLERANCE * own for step, own in both)
    return float(multiples(np.array([float(math.gcd(*times))]), FINEST)[0]) if near else 0.0


def find_roundest(low: float, high: float) -> float:
    """Return the number of the fewest digits in ``[low, high)``, which must not contain 0."""
    largest = math.ceil(math.log10(max(abs(low), abs(high))))
    steps = (10.0**power for power in range(largest, largest - 17, -1))
    firsts = (float(multiples(np.array([np.ceil(low / step)]), step)[0]) for step in steps)
    return next((first for first in firsts if low <= first < high), low)


def round_inwards(low: float, high: float, step: float) -> tuple[float, float]:
    """Return the first and the last multiple in ``[low, high)``; if none, the next one twice."""
    first, end = _round_up(low / step), _round_up(high / step)
    ends = multiples(np.array([first, max(first, end - 1)], dtype=np.float64), step)
    return float(ends[0]), float(ends[1])


def inner_multiples(low: float, high: float, step: float) -> tuple[float, float]:
    """Return the first and the last multiple in ``[low, high]``; if none, the next one twice."""
    first, last = _round_up(low / step), -_round_up(-high / step)
    ends = multiples(np.array([first, max(first, last)], dtype=np.float64), step)
    return float(ends[0]), float(ends[1])


def _round_up(quotient: float) -> int:
    nearest = round(quotient)
    close = abs(nearest - quotient) <= STEP_TOLERANCE * max(1.0, abs(quotient))
    return nearest if close else math.ceil(quotient)
