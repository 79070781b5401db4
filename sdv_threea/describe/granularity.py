"""The step of which all numbers of a column are multiples, and coarser steps of rounded ones.

Only counts of records by step are released; the rest is post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.constants import FEW_FINER, MOST_ALONE
from sdv_threea.describe.lattice import STEP_TOLERANCE
from sdv_threea.domain import (
    DECIMAL_STEPS,
    EVERY_STEP,
    EVERY_TIME,
    ROUND_STEPS,
    ROUND_TIMES,
    Number,
)

#: Rounding errors are relative to numbers of at least this size: 0.1 + 0.2 - 0.3 is not zero.
LEAST_SIZE = 1e-4

#: Pairs of a step and the share of numbers that were rounded to it, coarse to fine.
Heaps = tuple[tuple[float, float], ...]


class StepCounts(NamedTuple):
    """Noisy numbers of records by the coarsest step that their number is a multiple of.

    ``counts`` has one entry per step, coarse to fine, and one for no step. Zeros are multiples of
    every step and evidence for none, so they are counted apart. ``gain`` is the part of the error
    of the sum that :meth:`given` subtracted from each count. ``known`` is a step of which all
    numbers are multiples, by what is public, or 0.
    """

    counts: Floats
    steps: tuple[float, ...]
    scale: float
    zeros: float = 0.0
    gain: float = 0.0
    known: float = 0.0

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

    def is_round(self, step: float) -> bool:
        """Whether a step is coarser than a known one, or rounder than decimals and minutes."""
        return self.known not in (0.0, step) or step in ROUND_STEPS or step in ROUND_TIMES


def list_steps(column: Number) -> tuple[float, ...]:
    """List the steps to be tried for a column, coarse to fine; a known step comes last.

    Round steps (tens, five cents, quarters) are tried unless a transformer may have shifted
    numbers, which then are on its grid.
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
    """Return whether a step is a multiple of a finer one."""
    times = coarse / fine if fine else 0.0
    return times > 1.5 and abs(times - round(times)) <= STEP_TOLERANCE * times


@lru_cache
def _list_finer(steps: tuple[float, ...], code: int) -> tuple[int, ...]:
    """List the places of the finer steps that divide a step, and the place of no step."""
    finer = range(code + 1, len(steps))
    return (*(at for at in finer if _divides(steps[at], steps[code])), len(steps))


@lru_cache
def _find_multiples(steps: tuple[float, ...]) -> Bools:
    """Return which counts are of multiples of each step, shape (steps, steps + 1)."""
    none = (False,)
    rows = [[one == step or _divides(step, one) for one in steps] for step in steps]
    return np.array([(*row, *none) for row in rows], dtype=np.bool_).reshape(-1, len(steps) + 1)


def step_codes(values: Floats, steps: tuple[float, ...]) -> Wholes:
    """Return the place of each number's coarsest step, -1 where missing, ``len(steps)`` if none."""
    codes = np.full(len(values), len(steps), dtype=np.int64)
    codes[np.isnan(values)] = -1
    left = [np.flatnonzero(codes >= 0)] * (len(steps) + 1)
    for code, step in reversed(list(enumerate(steps))):
        # A multiple of a step is one of all finer steps that divide it.
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


def finest_step(own: StepCounts, bar: float) -> float:
    """Return the coarsest step that all but a few numbers are multiples of, or else the known one.

    The result is 0 if there is neither. ``bar`` is how many standard deviations are clear of noise.
    If noise may exceed the counts of a column that is mostly zero, the decimal step is the one that
    fits its other numbers best.
    """
    first = _first_step(own, bar) or own.known
    if not own.scale or own.zeros <= bar * own.scale or own.known:
        return first
    likeliest = _likeliest_step(own, bar)
    return first if own.is_round(first) and first > likeliest else likeliest


def _first_step(own: StepCounts, bar: float) -> float:
    """Return the coarsest step that has significant multiples, and few finer numbers; 0 for none.

    Finer numbers are at most half of all, and no more than noise explains. A round step would
    change them, so it needs noise that cannot mask more than :data:`FEW_FINER` of all numbers.
    """
    counts, evidence = own.counts, _fit_steps(own) if own.scale else np.zeros(len(own.counts))
    for step, of_step in zip(own.steps, _find_multiples(own.steps), strict=True):
        multiples, finer = counts[of_step].sum(), counts[~of_step].sum()
        noise, is_round = own.spread(int((~of_step).sum())), own.is_round(step)
        evident = multiples >= max(bar * own.spread(int(of_step.sum())), float(is_round))
        # Half the squared evidence is a log likelihood; each multiple is a pattern that may win by
        # chance.
        evident |= evidence[of_step].max() > math.sqrt(bar**2 + 2 * math.log(of_step.sum()))
        most = counts.sum() * (FEW_FINER if is_round else 0.5)
        clear = not is_round or noise <= most
        if evident and clear and finer <= max(min(bar * noise, most), 0.0):
            return step
    return 0.0


def _likeliest_step(own: StepCounts, bar: float) -> float:
    """Return the decimal step that noisy counts make most likely; 0 for none.

    A priori the first decimal step is as likely as all others together. If more numbers are off
    this step than noise explains, a finer step is returned.
    """
    last = len(own.steps)
    plain = [at for at, step in enumerate(own.steps) if not own.is_round(step)]
    likelihoods = np.maximum(_fit_steps(own), 0.0) ** 2 / 2
    likelihoods[plain[:1]] += math.log(max(last, 1))
    best = int(likelihoods.argmax())
    for at in plain:
        off = ~_find_multiples(own.steps)[at]
        if at >= best and own.counts[off].sum() <= bar * own.spread(int(off.sum())):
            return own.steps[at]
    return 0.0


def _fit_steps(own: StepCounts) -> Floats:
    """Return the evidence that numbers are rounded to each step, in noise scales, and to none.

    If all numbers are rounded to a step, a known part of them are multiples of each coarser step by
    chance; a matched filter estimates how many numbers there are.
    """
    last = len(own.steps)
    expected = np.eye(last + 1)
    expected[:last, :last] = _find_chances(own.steps)
    return np.asarray(expected @ own.counts / np.linalg.norm(expected, axis=1) / own.scale)


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
    steps = tuple(each for each in own.steps if each == step or _divides(step, each))
    counts = own.counts[_find_multiples(own.steps)[own.steps.index(step)]]
    of_spikes = count_codes(np.array([*spikes]), steps)
    numbers = np.bincount(of_spikes, minlength=len(steps))[: len(steps)]
    heavy = np.bincount(of_spikes, [*spikes.values()], minlength=len(steps))[: len(steps)]
    counts -= np.where(numbers <= MOST_ALONE, heavy, 0.0)
    rounded, chances = np.zeros(len(steps)), _find_chances(steps)
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
def _find_chances(steps: tuple[float, ...]) -> Floats:
    """Return the chance of a multiple of each step to be one of a step and of none coarser.

    The shape is (finer step, coarser step).
    """
    divided = _find_multiples(steps)[:, :-1]
    each = np.zeros(len(steps))  # the density of numbers of each step and of none coarser
    for at, step in enumerate(steps):
        each[at] = 1 / step - each[divided[at]].sum()
    return np.asarray(divided * each * np.array(steps)[:, None])
