"""Estimate the table of a pair, code by code, from noisy counts, by the best of these readings.

* *coarse*: the table in coarse bins;
* *standing out*: only the counts beyond the noise;
* *function* and *inverse*: each code of one column has a single value of the other. A code of ``r``
  records has the value ``b`` with a likelihood of ``exp((M_b r - r^2 / 2) / s^2)``, given its
  counts ``M`` and the noise ``s``, and the share of ``b`` as prior. In an ordered column,
  neighbouring codes support each other (:mod:`~sdv_threea.joint.runs`).

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

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.constants import Evidence
from sdv_threea.joint.constants import MISSED
from sdv_threea.joint.runs import follow_values
from sdv_threea.joint.tables import rake

#: A count stands out if it exceeds this many noise scales.
STANDING_OUT = Evidence().clear_of_noise()

#: Rounds of iterative proportional fitting.
RAKING_ROUNDS = 20


class CodeCounts(NamedTuple):
    """Noisy counts of a pair.

    Args:
        codes: Counts of codes, shape (S_i, S_j).
        bins: Bin counts, shape (G_i, G_j).
        margin_scale: Noise scale of the margins that are known already.
    """

    codes: Floats
    scale: float
    bins: Floats
    bin_scale: float
    margin_scale: float = 0.0


class Seen(NamedTuple):
    """The input of a reading; each array has the shape (S_i, S_j).

    Args:
        counts: Counts of codes.
        expected: Counts that follow from the coarse table alone.
        unlisted: The codes of both columns that stand for all unlisted values; -1 for none.
    """

    counts: Floats
    scale: Floats
    expected: Floats
    unlisted: tuple[int, int] = (-1, -1)

    @property
    def turned(self) -> Seen:
        """The same with the columns swapped."""
        return Seen(self.counts.T, self.scale.T, self.expected.T, self.unlisted[::-1])

    @property
    def margins(self) -> tuple[Floats, Floats]:
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
Reading = Callable[[Seen], Floats]


def estimate_codes(
    known: CodeCounts,
    bins: tuple[Wholes, Wholes],
    expected: Floats,
    in_order: tuple[bool, bool],
    rng: np.random.Generator,
    unlisted: tuple[int, int] = (-1, -1),
) -> Floats:
    """Return estimated counts of a pair, code by code, at least zero, with the expected margins.

    ``bins`` give the bins of the codes of both columns, shape (S_i,) and (S_j,); -1 for none.
    ``expected`` are counts that follow from the coarse table, shape (S_i, S_j). ``unlisted`` are
    the codes that stand for all unlisted values, which have several values of the other column; -1
    for none.
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
    table = rake(table, rows, columns, RAKING_ROUNDS)
    # Keep the mode: it is right more often than a posterior draw.
    if chosen == 'function':
        return _keep_likeliest(table, unlisted[0])
    if chosen == 'inverse':
        return _keep_likeliest(table.T, unlisted[1]).T
    return table


def sharpen(known: CodeCounts, rows: Wholes, columns: Wholes) -> tuple[Floats, Floats]:
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


def _pad(counts: Floats, shape: tuple[int, ...]) -> Floats:
    """Append zeros for the last codes if these do not occur."""
    return np.pad(counts, [(0, size - own) for size, own in zip(shape, counts.shape, strict=True)])


def _list_readings(in_order: tuple[bool, bool]) -> dict[str, Reading]:
    """Return the readings by name; ``in_order``: whether the codes of the columns are ordered."""
    first, second = in_order
    return {
        'coarse': lambda seen: seen.expected,
        'standing out': _read_standing_out,
        'function': lambda seen: _read_function(seen, in_order=first),
        'inverse': lambda seen: _read_function(seen.turned, in_order=second).T,
    }


def _read_function(seen: Seen, *, in_order: bool) -> Floats:
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
    return _drop(table, MISSED * held)


def _keep_likeliest(table: Floats, unlisted: int) -> Floats:
    """Drop counts below half of the largest one in their row, except that of unlisted values.

    A value that would lose more than half of its records keeps them: its margin is known better.
    """
    least = table.max(axis=1, keepdims=True) / 2
    least[unlisted if unlisted >= 0 else slice(0, 0)] = 0.0
    lost = np.where(table < least, table, 0.0).sum(axis=0) > table.sum(axis=0) / 2
    return _drop(table, np.where(lost, 0.0, least))


def _drop(table: Floats, least: Floats) -> Floats:
    """Drop counts below the least ones, and give their records to the other counts of the row."""
    sums = table.sum(axis=1, keepdims=True)
    left = np.where(table < least, 0.0, table)
    kept = left.sum(axis=1, keepdims=True)
    return np.asarray(left * np.divide(sums, kept, out=np.zeros_like(kept), where=kept > 0))


def _read_standing_out(seen: Seen) -> Floats:
    """Keep the counts beyond the noise; a code without any keeps its largest count."""
    return rake(_stand_out(seen), *seen.margins, RAKING_ROUNDS)


def _stand_out(seen: Seen) -> Floats:
    counts, (rows, _) = seen.counts, seen.margins
    table = np.where(counts > STANDING_OUT * seen.scale, counts, 0.0)
    lone = np.flatnonzero((table.sum(axis=1) <= 0) & (rows > 0))
    table[lone, counts[lone].argmax(axis=1)] = rows[lone]
    return table
