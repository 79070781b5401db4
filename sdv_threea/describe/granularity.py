"""How round numbers are: the step that all are multiples of, and to which ones some were rounded.

Records are counted by the coarsest step that their number is a multiple of. All that follows from
the released counts is post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.describe.lattice import STEP_TOLERANCE
from sdv_threea.domain import DECIMAL_STEPS, EVERY_STEP, ROUND_STEPS, Number

#: A round step is taken though there seem to be some finer numbers, if these are no more than this
#: many standard deviations of the noise, as they may be noise alone ...
MOST_FINE = 3.0

#: ... and no more than this share of all numbers, as what is rounded is lost ...
FEW_FINE = 0.03

#: ... or if they are no more than this many standard deviations, whatever their share.
LEAST_FINE = 1.0

#: Some numbers were rounded to a step if this many standard deviations of noise and chance say so.
EVIDENT_HEAP = 3.0

#: Numbers that were added up may be this small, and errors of rounding are a part of those: 0.1 +
#: 0.2 - 0.3 is no zero.
LEAST_SIZE = 1e-4

#: Up to this many single numbers of a step that are heavy do not show that others were rounded.
MOST_ALONE = 2

#: How many numbers were rounded to each step, coarse to fine: shares that add up to one.
Heaps = tuple[tuple[float, float], ...]


class StepCounts(NamedTuple):
    """How many records have a number that is a multiple of a step, and of no coarser one.

    A zero is a multiple of every step, and no evidence for any: zeros are counted apart.

    Args:
        counts: Noisy counts of other numbers by :func:`step_codes`, shape (number of steps + 1,).
        steps: The steps, coarse to fine; each is a multiple of the next.
        scale: Standard deviation of the noise of a count by itself.
        zeros: Noisy number of zeros.
        gain: What part of the error of the sum was taken off each count.
    """

    counts: NDArray[np.float64]
    steps: tuple[float, ...]
    scale: float
    zeros: float = 0.0
    gain: float = 0.0

    def given(self, total: float, scale: float) -> StepCounts:
        """Return what the counts are if their sum is known: the mean of a Gaussian.

        Args:
            total: Number of records that have a number, with a noise of its own.
            scale: Standard deviation of that noise.
        """
        if not self.scale:
            return self
        gain = self.scale**2 / ((len(self.counts) + 1) * self.scale**2 + scale**2)
        gap = total - float(self.counts.sum()) - self.zeros
        zeros = self.zeros + gain * gap
        return self._replace(counts=self.counts + gain * gap, zeros=zeros, gain=gain)

    def spread(self, num: int) -> float:
        """Return the standard deviation of the noise of the sum of some of the counts."""
        return self.scale * math.sqrt(num - self.gain * num**2)


def add_round_steps(column: Number) -> Number:
    """Return a column of which round steps are tried, too: multiples of ten, of five cents.

    Times have steps of their own. A column on a grid of its own comes out of a transformer of the
    user, which may add something to round numbers.
    """
    if column.steps != DECIMAL_STEPS or column.grid is not None:
        return column
    return replace(column, steps=EVERY_STEP)


def step_codes(values: NDArray[np.float64], steps: tuple[float, ...]) -> NDArray[np.int64]:
    """Find the coarsest step that each number is a multiple of; a zero is one of all steps.

    Args:
        values: Finite numbers, NaN where missing, shape (n,).
        steps: The steps, coarse to fine; each is a multiple of the next.

    Returns:
        Places among the steps, shape (n,); their number for none of them, -1 where missing.
    """
    codes = np.full(len(values), len(steps), dtype=np.int64)
    codes[np.isnan(values)] = -1
    left = np.flatnonzero(codes >= 0)
    for code, step in reversed(list(enumerate(steps))):
        own = values[left]
        distance = np.abs(np.round(own / step) * step - own)
        left = left[distance <= STEP_TOLERANCE * np.maximum(np.abs(own), max(step, LEAST_SIZE))]
        codes[left] = code
    return codes


def count_codes(values: NDArray[np.float64], steps: tuple[float, ...]) -> NDArray[np.int64]:
    """Find what each number counts as: its step, or a zero.

    Args:
        values: Finite numbers, NaN where missing, shape (n,).
        steps: The steps, coarse to fine; each is a multiple of the next.

    Returns:
        The codes of :func:`step_codes`, and ``len(steps) + 1`` for a zero; shape (n,).
    """
    return np.where(values == 0, len(steps) + 1, step_codes(values, steps))


def read_counts(counts: NDArray[np.float64], steps: tuple[float, ...], scale: float) -> StepCounts:
    """Read noisy counts by :func:`count_codes`, shape (number of steps + 2,) at least."""
    return StepCounts(counts[: len(steps) + 1], steps, scale, float(counts[len(steps) + 1]))


def common_step(values: NDArray[np.float64], steps: tuple[float, ...]) -> float:
    """Find the coarsest step that all numbers are multiples of, shape (n,); 0 if there is none."""
    finest = int(step_codes(values, steps).max(initial=0))
    return (*steps, 0.0)[finest]


def finest_step(own: StepCounts, believed: float) -> float:
    """Choose the coarsest step that all but a few numbers are multiples of.

    Args:
        own: Noisy number of records by step.
        believed: Numbers are believed in if their count exceeds this many noise scales.

    Returns:
        The step; 0 if there is none. It is the first one of which numbers are multiples beyond
        doubt, while finer numbers are no more than noise explains, and no more than half of all. A
        step that is too fine does little harm; one that is too coarse can leave no number in the
        range. So of a round one few numbers may seem to be finer. Where nearly all numbers are zero
        there may be no such step: then it is the first one of which most of the others seem to be
        multiples.
    """
    counts = own.counts
    for code, step in enumerate(own.steps):
        # A multiple of a coarse step is one of all finer steps.
        multiples, finer = counts[: code + 1].sum(), counts[code + 1 :].sum()
        noise = own.spread(len(own.steps) - code)
        is_round = step in ROUND_STEPS
        evident = multiples >= max(believed * own.spread(code + 1), float(is_round))
        if is_round:
            most = max(LEAST_FINE * noise, min(MOST_FINE * noise, FEW_FINE * counts.sum()))
        else:
            most = believed * noise
        if evident and finer <= max(min(most, counts.sum() / 2), 0.0):
            return step
    if own.zeros <= believed * own.scale:
        return 0.0
    plain = (code for code, step in enumerate(own.steps) if step not in ROUND_STEPS)
    likely = (at for at in plain if counts[: at + 1].sum() >= counts[at + 1 :].sum())
    return next((own.steps[at] for at in likely), 0.0)


def find_heaps(own: StepCounts, step: float, spikes: Mapping[float, float]) -> Heaps:
    """Find to which steps numbers were rounded: the heaping of digits in survey statistics.

    People pay 2,000 more often than 1,987. Each number is taken to have been rounded to one of the
    steps. A number that was rounded to one step may be a multiple of a coarser one by chance: of
    multiples of ten every tenth is one of a hundred. That is taken off, from fine to coarse. A
    single number that is heavy may have a reason of its own: it is a cap, or stands for none.

    Args:
        own: Noisy number of records by step.
        step: The step of which all numbers are multiples; 0 for none.
        spikes: Single numbers that have a code by themselves, and how many records have them.

    Returns:
        The steps to which some numbers were rounded, from coarse to fine, the last one ``step``;
        nothing if that is the only one.
    """
    if step not in own.steps:
        return ()
    steps = own.steps[: own.steps.index(step) + 1]
    counts = own.counts[: len(steps)].copy()
    of_spikes = count_codes(np.array([*spikes]), steps)
    numbers = np.bincount(of_spikes, minlength=len(steps))[: len(steps)]
    heavy = np.bincount(of_spikes, [*spikes.values()], minlength=len(steps))[: len(steps)]
    counts -= np.where(numbers <= MOST_ALONE, heavy, 0.0)
    rounded = np.zeros(len(steps))
    for at in reversed(range(len(steps))):
        chances = [_chance(steps, finer, at) for finer in range(at, len(steps))]
        excess = counts[at] - np.dot(chances[1:], rounded[at + 1 :])
        noise = math.sqrt(own.scale**2 + max(counts[at], 0.0))
        rounded[at] = excess / chances[0] if excess > EVIDENT_HEAP * noise else 0.0
    if not rounded[:-1].any():
        return ()
    shares = rounded / rounded.sum()
    kept = [at for at in range(len(steps)) if shares[at] or at == len(steps) - 1]
    return tuple((steps[at], float(shares[at])) for at in kept)


def _chance(steps: tuple[float, ...], finer: int, at: int) -> float:
    """Return the chance that a multiple of one step is one of another, and of none coarser."""
    coarser = steps[finer] / steps[at - 1] if at else 0.0
    return steps[finer] / steps[at] - coarser
