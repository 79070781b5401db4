"""The step of which all numbers of a column are multiples, and coarser steps of rounded ones.

Only counts of records by step are released; the rest is post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.constants import FEW_FINER, MOST_ALONE
from sdv_threea.describe.lattice import STEP_TOLERANCE
from sdv_threea.domain import DECIMAL_STEPS, EVERY_STEP, ROUND_STEPS, Number

#: Rounding errors are relative to numbers of at least this size: 0.1 + 0.2 - 0.3 is not zero.
LEAST_SIZE = 1e-4

#: Pairs of a step and the share of numbers that were rounded to it, coarse to fine.
Heaps = tuple[tuple[float, float], ...]


class StepCounts(NamedTuple):
    """Noisy numbers of records by the coarsest step that their number is a multiple of.

    ``counts`` has one entry per step, coarse to fine, and one for no step; each step is a multiple
    of the next. Zeros are multiples of every step and evidence for none, so they are counted apart.
    ``gain`` is the part of the error of the sum that :meth:`given` subtracted from each count.
    """

    counts: NDArray[np.float64]
    steps: tuple[float, ...]
    scale: float
    zeros: float = 0.0
    gain: float = 0.0

    def given(self, total: float, scale: float) -> StepCounts:
        """Condition the counts on a noisy total; ``scale`` is the noise scale of the total."""
        if not self.scale:
            return self
        gain = self.scale**2 / ((len(self.counts) + 1) * self.scale**2 + scale**2)
        gap = total - float(self.counts.sum()) - self.zeros
        zeros = self.zeros + gain * gap
        return self._replace(counts=self.counts + gain * gap, zeros=zeros, gain=gain)

    def spread(self, num: int) -> float:
        """Return the noise scale of the sum of ``num`` counts."""
        return self.scale * math.sqrt(num - self.gain * num**2)


def add_round_steps(column: Number) -> Number:
    """Return a column for which round steps (tens, five cents) are tried, too.

    Times keep their steps, and columns on a grid of a transformer, which may shift numbers.
    """
    if column.steps != DECIMAL_STEPS or column.grid is not None:
        return column
    return replace(column, steps=EVERY_STEP)


def step_codes(values: NDArray[np.float64], steps: tuple[float, ...]) -> NDArray[np.int64]:
    """Return the place of each number's coarsest step, -1 where missing, ``len(steps)`` if none."""
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
    """Return the codes of :func:`step_codes`, but ``len(steps) + 1`` for a zero; shape (n,)."""
    return np.where(values == 0, len(steps) + 1, step_codes(values, steps))


def read_counts(counts: NDArray[np.float64], steps: tuple[float, ...], scale: float) -> StepCounts:
    """Return step counts from noisy counts by :func:`count_codes`."""
    return StepCounts(counts[: len(steps) + 1], steps, scale, float(counts[len(steps) + 1]))


def common_step(values: NDArray[np.float64], steps: tuple[float, ...]) -> float:
    """Return the coarsest step of which all numbers, shape (n,), are multiples; 0 if none."""
    finest = int(step_codes(values, steps).max(initial=0))
    return (*steps, 0.0)[finest]


def finest_step(own: StepCounts, bar: float) -> float:
    """Return the coarsest step that all but a few numbers are multiples of; 0 if there is none.

    ``bar`` is how many standard deviations are clear of noise.

    If noise may exceed the counts of a column that is mostly zero, the decimal step is the one that
    fits its other numbers best.
    """
    first = _first_step(own, bar)
    if not own.scale or own.zeros <= bar * own.scale:
        return first
    likeliest = _likeliest_step(own, bar)
    return first if first in ROUND_STEPS and first > likeliest else likeliest


def _first_step(own: StepCounts, bar: float) -> float:
    """Return the coarsest step that has significant multiples, and few finer numbers; 0 for none.

    Finer numbers are at most half of all, and no more than noise explains. A round step would
    change them, so it needs noise that cannot mask more than :data:`FEW_FINER` of all numbers.
    """
    counts = own.counts
    for code, step in enumerate(own.steps):
        # A multiple of a coarse step is one of all finer steps.
        multiples, finer = counts[: code + 1].sum(), counts[code + 1 :].sum()
        noise = own.spread(len(own.steps) - code)
        is_round = step in ROUND_STEPS
        evident = multiples >= max(bar * own.spread(code + 1), float(is_round))
        most = counts.sum() * (FEW_FINER if is_round else 0.5)
        clear = not is_round or noise <= most
        if evident and clear and finer <= max(min(bar * noise, most), 0.0):
            return step
    return 0.0


def _likeliest_step(own: StepCounts, bar: float) -> float:
    """Return the decimal step that noisy counts make most likely; 0 for none.

    If all numbers are rounded to a step, a known part of them are multiples of each coarser step by
    chance; a matched filter estimates how many numbers there are. A priori the first decimal step
    is as likely as all others together. If more numbers are off this step than noise explains, a
    finer step is returned.
    """
    last = len(own.steps)
    expected = np.zeros((last + 1, last + 1))
    for finest in range(last):
        chances = [_chance(own.steps, finest, at) for at in range(finest + 1)]
        expected[finest, : finest + 1] = chances
    expected[last, last] = 1.0
    fits = expected @ own.counts / np.linalg.norm(expected, axis=1) / own.scale
    plain = [at for at, step in enumerate(own.steps) if step not in ROUND_STEPS]
    likelihoods = np.maximum(fits, 0.0) ** 2 / 2
    likelihoods[plain[:1]] += math.log(max(last, 1))
    best = int(likelihoods.argmax())
    for at in plain:
        finer = own.counts[at + 1 :].sum()
        if at >= best and finer <= bar * own.spread(last - at):
            return own.steps[at]
    return 0.0


def find_heaps(own: StepCounts, step: float, spikes: Mapping[float, float], bar: float) -> Heaps:
    """Return the steps to which numbers were rounded and their shares, ending with ``step``.

    People pay 2,000 more often than 1,987: heaping, in survey statistics. Numbers that are
    multiples of a coarser step by chance (every tenth ten is a hundred) are subtracted, from fine
    to coarse. Up to :data:`MOST_ALONE` heavy single numbers (``spikes``), which may be caps or
    codes for missing, are also subtracted. The result is empty if no number was rounded further
    than to ``step``. ``bar`` is how many standard deviations are clear of noise and chance.
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
        rounded[at] = excess / chances[0] if excess > bar * noise else 0.0
    if not rounded[:-1].any():
        return ()
    shares = rounded / rounded.sum()
    kept = [at for at in range(len(steps)) if shares[at] or at == len(steps) - 1]
    return tuple((steps[at], float(shares[at])) for at in kept)


def _chance(steps: tuple[float, ...], finer: int, at: int) -> float:
    """Return the chance that a multiple of step ``finer`` is one of ``at`` and of none coarser."""
    coarser = steps[finer] / steps[at - 1] if at else 0.0
    return steps[finer] / steps[at] - coarser
