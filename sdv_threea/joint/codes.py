"""Estimate the table of a pair, code by code, from noisy counts, by the best of these readings.

* *coarse*: the table in coarse bins; *standing out*: only the counts beyond the noise;
* *departures*: shrinkage and removal of empty places, like those of coarse tables;
* *ratios*: each count relative to the coarse table, by nonparametric empirical Bayes;
* *function* and *inverse*: each code of one column has a single value of the other. A code of ``r``
  records has the value ``b`` with a likelihood of ``exp((M_b r - r^2 / 2) / s^2)``, given its
  counts ``M`` and the noise ``s``, and the share of ``b`` as prior. In an ordered column,
  neighbouring codes support each other (:mod:`~sdv_threea.joint.runs`);
* *one to one*: the likeliest assignment of codes to codes;
* *passing*: a code of an ordered column has one value, or two if the value changes inside it.

Gaussian noise ``z`` of the same scale splits the counts ``M`` into independent halves, ``M + z``
and ``M - z`` (data fission: Leiner, Duan, Wasserman, Ramdas 2023). A reading is computed from one
half and scored on the other. Among the readings within a standard error of the best score, the one
with the least entropy is taken. The whole estimate is post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from sdv_threea.joint.interactions import contrasts
from sdv_threea.joint.pairs import PairCounts
from sdv_threea.joint.runs import follow_values
from sdv_threea.joint.tables import LEAST_LEFT, find_filled, rake
from sdv_threea.maths.mixtures import fit_frequencies
from sdv_threea.maths.shrinkage import shrink_singular_values

#: A count stands out if it exceeds this many noise scales.
STANDING_OUT = 2.5

#: A function drops values that fewer than this share of a code's records have.
LEAST_SHARE = 0.02

#: Number of positive candidates for the ratio of a count to the coarse table. The largest candidate
#: is at least ``LEAST_LARGEST``.
NUM_RATIOS, LEAST_LARGEST = 30, 64.0

#: Ratios up to this one count as zero.
EMPTY = 1 / 16

#: The most counts that frequencies are fitted to, and the counts in one block.
MOST_FITTED, BLOCK = 4_000, 20_000

#: Rounds of iterative proportional fitting.
RAKING_ROUNDS = 20


class CodeCounts(NamedTuple):
    """Noisy counts of a pair.

    Args:
        codes: Counts of codes, shape (S_i, S_j).
        bins: Bin counts, shape (G_i, G_j).
        margin_scale: Noise scale of the margins that are known already.
    """

    codes: NDArray[np.float64]
    scale: float
    bins: NDArray[np.float64]
    bin_scale: float
    margin_scale: float = 0.0


class Seen(NamedTuple):
    """The input of a reading; each array has the shape (S_i, S_j).

    Args:
        counts: Counts of codes.
        expected: Counts that follow from the coarse table alone.
        unlisted: The codes of both columns that stand for all unlisted values; -1 for none.
    """

    counts: NDArray[np.float64]
    scale: NDArray[np.float64]
    expected: NDArray[np.float64]
    unlisted: tuple[int, int] = (-1, -1)

    @property
    def turned(self) -> Seen:
        """The same with the columns swapped."""
        return Seen(self.counts.T, self.scale.T, self.expected.T, self.unlisted[::-1])

    @property
    def margins(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Expected number of records of each code, shape (S_i,) and (S_j,)."""
        return self.expected.sum(axis=1), self.expected.sum(axis=0)

    def pool_margins(self, margin_scale: float) -> Seen:
        """Replace the expected margins by means with the counted ones, weighted by precision."""
        pooled = []
        for seen in (self, self.turned):
            own, others = seen.margins
            present = (others > 0).astype(np.float64)
            # The error of a smoothed count below the noise is at most the count.
            trust = np.minimum(margin_scale**2, own**2)
            trust = trust / np.maximum(trust + np.square(seen.scale) @ present, 1e-300)
            pooled.append(np.maximum(own + trust * (seen.counts @ present - own), 0.0))
        rows, columns = (each * self.expected.sum() / max(each.sum(), 1e-300) for each in pooled)
        return self._replace(expected=rake(self.expected, rows, columns, RAKING_ROUNDS))


#: A reading: from counts and their noise to the estimated table.
Reading = Callable[[Seen], NDArray[np.float64]]


def estimate_codes(
    known: CodeCounts,
    bins: tuple[NDArray[np.int64], NDArray[np.int64]],
    expected: NDArray[np.float64],
    in_order: tuple[bool, bool],
    rng: np.random.Generator,
    unlisted: tuple[int, int] = (-1, -1),
) -> NDArray[np.float64]:
    """Return estimated counts of a pair, code by code, at least zero, with the expected margins.

    If values change along an ordered column, only that column's margin is kept. ``bins`` give the
    bins of the codes of both columns, shape (S_i,) and (S_j,); -1 for none. ``expected`` are counts
    that follow from the coarse table, shape (S_i, S_j). ``unlisted`` are the codes that stand for
    all unlisted values, which have several values of the other column; -1 for none.
    """
    rows, columns = expected.sum(axis=1), expected.sum(axis=0)
    counts, scale = sharpen(known, *bins)
    if not known.scale:
        return rake(np.maximum(counts, 0.0), rows, columns, RAKING_ROUNDS)
    readings = _list_readings(in_order)
    noise = known.scale * rng.standard_normal(known.codes.shape)
    half = known._replace(codes=known.codes + noise, scale=known.scale * math.sqrt(2))
    seen = Seen(*sharpen(half, *bins), expected, unlisted).pool_margins(known.margin_scale)
    unseen = _pad(known.codes - noise, counts.shape)
    tables = {name: read(seen) for name, read in readings.items()}
    gains = {
        name: float((unseen * table - table**2 / 2).sum()) / half.scale**2
        for name, table in tables.items()
    }
    best = max(gains, key=lambda name: gains[name])
    entropies = {}
    for name, table in tables.items():
        # The standard error of the difference from the best score.
        error = math.sqrt(np.square(table - tables[best]).sum()) / half.scale
        if gains[best] - gains[name] <= error:
            shares = table[table > 0] / rows.sum()
            entropies[name] = float(-(shares * np.log(shares)).sum())
    chosen = min(entropies, key=lambda name: entropies[name])
    table = readings[chosen](
        Seen(counts, scale, expected, unlisted).pool_margins(known.margin_scale)
    )
    if not chosen.startswith('passing'):
        table = rake(table, rows, columns, RAKING_ROUNDS)
    # Keep the mode: it is right more often than a posterior draw.
    if chosen == 'function':
        return _keep_likeliest(table, unlisted[0])
    if chosen == 'inverse':
        return _keep_likeliest(table.T, unlisted[1]).T
    return table


def sharpen(
    known: CodeCounts, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the least-squares counts of codes, given those of bins, and their noise scales.

    ``rows`` and ``columns`` give the bin of each code, shape (S_i,) and (S_j,); -1 for none.
    Results have the shape (S_i, S_j), with zero counts for codes without a bin.
    """
    counts = _pad(known.codes, (len(rows), len(columns)))
    if not known.scale:
        return counts, np.zeros(counts.shape)
    sizes = known.bins.shape
    held = [np.eye(size + 1)[own][:, :-1] for own, size in zip((rows, columns), sizes, strict=True)]
    numbers = np.outer(held[0].sum(axis=0), held[1].sum(axis=0))
    weights = known.scale**2 / (numbers * known.scale**2 + known.bin_scale**2)
    moved = weights * (known.bins - held[0].T @ counts @ held[1])
    counted = (rows >= 0)[:, None] & (columns >= 0)
    counts = np.where(counted, counts + moved[rows][:, columns], 0.0)
    return counts, known.scale * np.sqrt(1 - weights[rows][:, columns])


def _pad(counts: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Append zeros for the last codes if these do not occur."""
    return np.pad(counts, [(0, size - own) for size, own in zip(shape, counts.shape, strict=True)])


def _list_readings(in_order: tuple[bool, bool]) -> dict[str, Reading]:
    """Return the readings by name."""
    readings: dict[str, Reading] = {
        'coarse': lambda seen: seen.expected,
        'departures': _read_departures,
        'ratios': _read_ratios,
        'standing out': _read_standing_out,
        'one to one': _read_one_to_one,
        'function': _read_function,
        'inverse': lambda seen: _read_function(seen.turned).T,
    }
    if in_order[0]:
        readings['function'] = lambda seen: _read_function(seen, in_order=True)
        readings['passing'] = _read_passing
    if in_order[1]:
        readings['inverse'] = lambda seen: _read_function(seen.turned, in_order=True).T
        readings['passing inverse'] = lambda seen: _read_passing(seen.turned).T
    return readings


def _read_function(seen: Seen, *, in_order: bool = False) -> NDArray[np.float64]:
    """Give each code of the first column its likely values, smoothed along it if it is ordered."""
    counts, scale, *_ = seen
    rows, columns = seen.margins
    held = rows[:, None]
    logs = (counts * held - held**2 / 2) / np.square(scale)
    shares = np.maximum(columns / columns.sum(), 1e-12)
    chances = np.exp(logs - logs.max(axis=1, keepdims=True)) * shares
    chances /= np.maximum(chances.sum(axis=1, keepdims=True), 1e-300)
    if in_order:
        chances[1:] = follow_values(logs[1:], shares)
    if seen.unlisted[0] >= 0:
        chances[seen.unlisted[0]] = _stand_out(seen)[seen.unlisted[0]]
        chances /= np.maximum(chances.sum(axis=1, keepdims=True), 1e-300)
    table = rake(chances * held + 1e-9 * (columns > 0), rows, columns, RAKING_ROUNDS)
    return _drop(table, LEAST_SHARE * held)


def _read_passing(seen: Seen) -> NDArray[np.float64]:
    """Give each code of an ordered column one value; at each change, one code has both values.

    A value changes inside the last code that has it, or inside the next code: the code with more
    counted records of the other value is chosen.
    """
    counts, (rows, _) = seen.counts, seen.margins
    values = _read_function(seen, in_order=True).argmax(axis=1)
    table = np.zeros(counts.shape)
    table[np.arange(len(rows)), values] = rows
    before = np.flatnonzero(values[1:-1] != values[2:]) + 1  # without the missing value
    sides = np.stack([before, before + 1])
    own, other = (np.maximum(counts[sides, values[at]], 0.0) for at in (sides, sides[::-1]))
    shares = np.minimum(other / np.maximum(own + other, 1e-9), 0.5)
    mixed = (shares * rows[sides]).argmax(axis=0)
    at, changes = sides[mixed, np.arange(len(before))], np.arange(len(before))
    moved = shares[mixed, changes] * rows[at]
    table[at, values[sides[1 - mixed, changes]]] += moved
    table[at, values[at]] -= moved
    return table


def _keep_likeliest(table: NDArray[np.float64], unlisted: int) -> NDArray[np.float64]:
    """Drop counts below half of the largest one in their row, except that of unlisted values.

    A value that would lose more than half of its records keeps them: its margin is known better.
    """
    least = table.max(axis=1, keepdims=True) / 2
    least[unlisted if unlisted >= 0 else slice(0, 0)] = 0.0
    lost = np.where(table < least, table, 0.0).sum(axis=0) > table.sum(axis=0) / 2
    return _drop(table, np.where(lost, 0.0, least))


def _drop(table: NDArray[np.float64], least: NDArray[np.float64]) -> NDArray[np.float64]:
    """Drop counts below the least ones, and give their records to the other counts of the row."""
    sums = table.sum(axis=1, keepdims=True)
    left = np.where(table < least, 0.0, table)
    kept = left.sum(axis=1, keepdims=True)
    return np.asarray(left * np.divide(sums, kept, out=np.zeros_like(kept), where=kept > 0))


def _read_one_to_one(seen: Seen) -> NDArray[np.float64]:
    """Assign each code of the column with fewer codes to one of the other, by likelihood."""
    counts, scale, *_ = seen
    rows, columns = seen.margins
    held = (rows[:, None] + columns) / 2
    logs = (counts * held - held**2 / 2) / np.square(scale)
    logs -= np.square(rows[:, None] - columns) / np.square(2 * scale)
    present = np.flatnonzero(rows > 0), np.flatnonzero(columns > 0)
    given = linear_sum_assignment(logs[np.ix_(*present)], maximize=True)
    given = present[0][given[0]], present[1][given[1]]
    table = np.zeros(counts.shape)
    table[given] = held[given]
    return table


def _read_standing_out(seen: Seen) -> NDArray[np.float64]:
    """Keep the counts beyond the noise; a code without any keeps its largest count."""
    return rake(_stand_out(seen), *seen.margins, RAKING_ROUNDS)


def _stand_out(seen: Seen) -> NDArray[np.float64]:
    counts, (rows, _) = seen.counts, seen.margins
    table = np.where(counts > STANDING_OUT * seen.scale, counts, 0.0)
    lone = np.flatnonzero((table.sum(axis=1) <= 0) & (rows > 0))
    table[lone, counts[lone].argmax(axis=1)] = rows[lone]
    return table


def _read_departures(seen: Seen) -> NDArray[np.float64]:
    """Shrink the departure to few directions, and remove the mass of places that look empty."""
    counts, scale, expected, _ = seen
    rows, columns = seen.margins
    noise = math.sqrt(np.square(scale).mean())
    independent = {(0, 1): np.outer(rows, columns) / rows.sum()}
    filled = find_filled(PairCounts({(0, 1): counts}, {(0, 1): noise}), independent)
    left, right = (contrasts(size) for size in counts.shape)
    departure = shrink_singular_values(left.T @ (counts - expected) @ right, noise)
    table = np.maximum(expected + left @ departure @ right.T, 0.0)
    table *= np.where(filled[0, 1] > 0.5, filled[0, 1], 0.0) ** 2
    return rake(table + LEAST_LEFT * expected, rows, columns, RAKING_ROUNDS)


def _read_ratios(seen: Seen) -> NDArray[np.float64]:
    """Estimate the ratio of each count to the expected one (Kiefer and Wolfowitz 1956)."""
    counts, scale, expected, _ = seen
    likely = np.flatnonzero(expected > 1e-6)
    found, held, noise = (each.ravel()[likely] for each in (counts, expected, scale))
    largest = max(LEAST_LARGEST, float(counts.max()) / max(float(held.mean()), 1e-9))
    ratios = np.append(0.0, np.geomspace(EMPTY, largest, NUM_RATIOS))

    def weigh(at: NDArray[np.int64]) -> NDArray[np.float64]:
        wanted = held[at, None] * ratios
        logs = (found[at, None] * wanted - wanted**2 / 2) / noise[at, None] ** 2
        return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))

    likelihoods = weigh(np.arange(0, len(likely), 1 + len(likely) // MOST_FITTED))
    frequencies = fit_frequencies(likelihoods)
    table = np.zeros(counts.size)
    for start in range(0, len(likely), BLOCK):
        at = np.arange(start, min(start + BLOCK, len(likely)))
        posterior = weigh(at) * frequencies
        sums = posterior.sum(axis=1)
        empty = posterior[:, ratios <= EMPTY].sum(axis=1) > sums / 2
        table[likely[at]] = np.where(empty, 0.0, posterior @ ratios / sums * held[at])
    shaped = table.reshape(counts.shape)
    lone = shaped.sum(axis=1) <= 0
    shaped[lone] = expected[lone]
    return rake(shaped + LEAST_LEFT * expected, *seen.margins, RAKING_ROUNDS)
