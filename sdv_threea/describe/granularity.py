"""Counts of numbers by the coarsest step that divides them, and shares of rounded numbers.

Only counts of records by step are released; all else is post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.constants import MOST_ALONE
from sdv_threea.describe.lattice import STEP_TOLERANCE
from sdv_threea.domain import (
    DECIMAL_STEPS,
    EVERY_STEP,
    EVERY_TIME,
    Number,
)

#: Rounding errors are relative to numbers of at least this size: 0.1 + 0.2 - 0.3 is not zero.
LEAST_SIZE = 1e-4

#: Pairs of a step and the share of numbers that were rounded to it, coarse to fine.
Heaps = tuple[tuple[float, float], ...]


class StepCounts(NamedTuple):
    """Noisy counts of records by the coarsest step of which their number is a multiple.

    ``counts`` has one entry per step, coarse to fine, and one for no step. Zeros are multiples of
    every step and evidence for none, so they are counted apart. ``known`` is a public step of which
    all numbers are multiples, or 0. ``total`` is the number of records with a value and its noise
    scale, if released.
    """

    counts: Floats
    steps: tuple[float, ...]
    scale: float
    zeros: float = 0.0
    known: float = 0.0
    total: tuple[float, float] | None = None


def list_steps(column: Number) -> tuple[float, ...]:
    """Return the steps to try for a column, coarse to fine; a known step comes last.

    Round steps (tens, five cents, quarters) are tried unless a transformer may have shifted
    numbers, whose grid then contains the shifted numbers.
    """
    steps = column.steps
    if column.grid is None and steps == DECIMAL_STEPS:
        steps = EVERY_STEP
    elif column.of_times:
        steps = EVERY_TIME
    if column.step is None:
        return steps
    coarser = () if column.grid is not None else steps
    return (*(each for each in coarser if _divides(column.step, each)), column.step)


def _divides(fine: float, coarse: float) -> bool:
    times = coarse / fine if fine else 0.0
    return times > 1.5 and abs(times - round(times)) <= STEP_TOLERANCE * times


@lru_cache
def _list_finer(steps: tuple[float, ...], code: int) -> tuple[int, ...]:
    finer = range(code + 1, len(steps))
    return (*(at for at in finer if _divides(steps[at], steps[code])), len(steps))


@lru_cache
def find_multiples(steps: tuple[float, ...]) -> Bools:
    """Return which counts are of multiples of each step, shape (steps, steps + 1)."""
    none = (False,)
    rows = [[one == step or _divides(step, one) for one in steps] for step in steps]
    return np.array([(*row, *none) for row in rows], dtype=np.bool_).reshape(-1, len(steps) + 1)


def step_codes(values: Floats, steps: tuple[float, ...]) -> Wholes:
    """Return the place of each number's coarsest step, ``len(steps)`` for none, -1 if missing."""
    codes = np.full(len(values), len(steps), dtype=np.int64)
    codes[np.isnan(values)] = -1
    left = [np.flatnonzero(codes >= 0)] * (len(steps) + 1)
    for code, step in reversed(list(enumerate(steps))):
        # A multiple of a step is a multiple of all finer steps that divide the step.
        tried = min((left[at] for at in _list_finer(steps, code)), key=len)
        own = values[tried]
        distance = np.abs(np.round(own / step) * step - own)
        near = distance <= STEP_TOLERANCE * np.maximum(np.abs(own), max(step, LEAST_SIZE))
        left[code] = tried[near]
        codes[left[code]] = code
    return codes


def count_codes(values: Floats, steps: tuple[float, ...]) -> Wholes:
    """Return the codes of :func:`step_codes`, but ``len(steps) + 1`` for a zero; shape (n,)."""
    return np.where(values == 0, len(steps) + 1, step_codes(values, steps))


def read_counts(counts: Floats, steps: tuple[float, ...], scale: float) -> StepCounts:
    """Return step counts from noisy counts by :func:`count_codes`."""
    return StepCounts(counts[: len(steps) + 1], steps, scale, float(counts[len(steps) + 1]))


def common_step(values: Floats, steps: tuple[float, ...]) -> float:
    """Return the coarsest step of which all numbers, shape (n,), are multiples; 0 if none."""
    finest = int(step_codes(values, steps).max(initial=0))
    return (*steps, 0.0)[finest]


def find_heaps(own: StepCounts, step: float, spikes: Mapping[float, float], bar: float) -> Heaps:
    """Return the steps to which numbers were rounded and their shares, ending with ``step``.

    People pay 2,000 more often than 1,987: heaping, in survey statistics. Numbers that are
    multiples of a coarser step by chance (every tenth ten is a hundred) are subtracted, from fine
    to coarse. Up to :data:`MOST_ALONE` heavy single numbers (``spikes``), which may be caps or
    codes for missing values, are also subtracted. The result is empty if no number was rounded to a
    step coarser than ``step``. Counts need ``bar`` standard deviations of noise and chance to be
    significant.
    """
    if step not in own.steps:
        return ()
    steps = tuple(each for each in own.steps if each == step or _divides(step, each))
    counts = own.counts[find_multiples(own.steps)[own.steps.index(step)]]
    of_spikes = count_codes(np.array([*spikes]), steps)
    numbers = np.bincount(of_spikes, minlength=len(steps))[: len(steps)]
    heavy = np.bincount(of_spikes, [*spikes.values()], minlength=len(steps))[: len(steps)]
    counts -= np.where(numbers <= MOST_ALONE, heavy, 0.0)
    rounded, chances = np.zeros(len(steps)), find_chances(steps)
    for at in reversed(range(len(steps))):
        excess = counts[at] - rounded @ chances[:, at]
        noise = math.sqrt(own.scale**2 + max(counts[at], 0.0))
        rounded[at] = excess / chances[at, at] if excess > bar * noise else 0.0
    if not rounded[:-1].any():
        return ()
    shares = rounded / rounded.sum()
    kept = [at for at in range(len(steps)) if shares[at] or at == len(steps) - 1]
    return tuple((steps[at], float(shares[at])) for at in kept)


@lru_cache
def find_chances(steps: tuple[float, ...]) -> Floats:
    """Return how often multiples of finer steps have each coarsest step by chance, as a matrix."""
    divided = find_multiples(steps)[:, :-1]
    each = np.zeros(len(steps))  # the density of numbers of each step and of none coarser
    for at, step in enumerate(steps):
        each[at] = 1 / step - each[divided[at]].sum()
    return np.asarray(divided * each * np.array(steps)[:, None])
