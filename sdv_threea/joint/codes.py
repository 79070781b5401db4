r"""Noisy counts of a pair, code by code, to a table: several readings compete.

* *coarse*: what is known already, from the table in coarse bins;
* *departures*: read as the coarse tables are, by shrinkage and by finding what is empty;
* *ratios*: each count in units of what the coarse table expects, by nonparametric empirical Bayes;
* *standing out*: the counts beyond the noise, and none of the others;
* *a function*, either way: a code of the one column has a single value of the other. That the code
  ``a``, of ``r`` records, has the value ``b`` is as likely as ``exp((M_ab r - r^2 / 2) / s^2)``
  times the share of ``b``, with counts ``M`` and noise ``s``. Where codes are in order, those
  around it tell, too (:mod:`~sdv_threea.joint.runs`);
* *one to one*: the likeliest assignment of codes to codes;
* *passing*: the codes of the one column are ordered. A code has the value of the function, and
  those of its neighbours, as it is where one value ends and the next one begins;
* *rising* and *falling*: both columns are ordered, and quantiles meet quantiles;
* *line*: both are numbers, and the one is a line of the other (:mod:`~sdv_threea.joint.lines`).

Counts say of the margins, too, and better than what is known already where there are few values.

Which reading is right is asked of counts that it has not seen: Gaussian noise ``z`` of the same
scale makes two independent halves of them, ``M + z`` and ``M - z`` (data fission: Leiner, Duan,
Wasserman, Ramdas 2023). A reading is made of one half and scored by the other. Of readings that are
no worse than the best one by more than the standard error, that of the least entropy is taken; but
a line goes before other readings in order, as it leaves least open.

All of it is post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from sdv_threea.joint.interactions import contrasts
from sdv_threea.joint.lines import fit_line
from sdv_threea.joint.pairs import PairCounts
from sdv_threea.joint.runs import follow_values
from sdv_threea.joint.tables import LEAST_LEFT, couple, find_filled, rake
from sdv_threea.maths.shrinkage import shrink_singular_values

#: A count stands out if it exceeds the noise by this factor.
STANDING_OUT = 2.5

#: A code has no value that fewer than this share of its records have, if it is read as a function.
LEAST_SHARE = 0.02

#: The readings of columns in order, which a line goes before.
IN_ORDER = ('passing', 'passing inverse', 'rising', 'falling')

#: Without noise a line is one if it is off by no more than this share of the records.
OFF_LINE = 0.02

#: Candidates for a count in units of what is expected, besides zero; and the least largest one.
NUM_RATIOS, LEAST_LARGEST = 30, 64.0

#: A ratio up to this one counts as none.
EMPTY = 1 / 16

#: Counts that frequencies are fitted to, and counts that are looked at at once.
MOST_FITTED, BLOCK = 4_000, 20_000

#: Rounds of expectation maximisation for the frequencies of the ratios, and of raking.
RATIO_ROUNDS, RAKING_ROUNDS = 25, 20


class CodeCounts(NamedTuple):
    """Counts of a pair, with noise.

    Args:
        codes: Counts of codes, shape (S_i, S_j).
        scale: Standard deviation of their noise.
        bins: Counts of bins, shape (G_i, G_j).
        bin_scale: Standard deviation of their noise.
        margin_scale: Standard deviation of the noise of what is known of the margins.
    """

    codes: NDArray[np.float64]
    scale: float
    bins: NDArray[np.float64]
    bin_scale: float
    margin_scale: float = 0.0


class Seen(NamedTuple):
    """What a reading makes a table of; each array has the shape (S_i, S_j).

    Args:
        counts: Counts of codes.
        scale: Standard deviations of their noise.
        expected: Counts as far as they are known from those of bins alone.
    """

    counts: NDArray[np.float64]
    scale: NDArray[np.float64]
    expected: NDArray[np.float64]

    @property
    def turned(self) -> Seen:
        """The same, with the second column as the first one."""
        return Seen(self.counts.T, self.scale.T, self.expected.T)

    @property
    def margins(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How many records each code has, shape (S_i,) and (S_j,)."""
        return self.expected.sum(axis=1), self.expected.sum(axis=0)

    def pool_margins(self, margin_scale: float) -> Seen:
        """Move the margins of what is expected toward those of the counts, by precision.

        Args:
            margin_scale: Standard deviation of the noise of a margin as it is expected.
        """
        pooled = []
        for seen in (self, self.turned):
            own, others = seen.margins
            present = (others > 0).astype(np.float64)
            # A smoothed count is off by no more than itself, where noise drowns it.
            trust = np.minimum(margin_scale**2, own**2)
            trust = trust / np.maximum(trust + np.square(seen.scale) @ present, 1e-300)
            pooled.append(np.maximum(own + trust * (seen.counts @ present - own), 0.0))
        rows, columns = (each * self.expected.sum() / max(each.sum(), 1e-300) for each in pooled)
        return self._replace(expected=rake(self.expected, rows, columns, RAKING_ROUNDS))


#: A reading: from counts and their noise to the table.
Reading = Callable[[Seen], NDArray[np.float64]]


def estimate_codes(
    known: CodeCounts,
    bins: tuple[NDArray[np.int64], NDArray[np.int64]],
    expected: NDArray[np.float64],
    in_order: tuple[bool, bool],
    rng: np.random.Generator,
    edges: tuple[NDArray[np.float64] | None, NDArray[np.float64] | None] = (None, None),
) -> NDArray[np.float64]:
    """Estimate the table of a pair, code by code.

    Args:
        known: The counts.
        bins: The bins of the codes of both columns, shape (S_i,) and (S_j,); -1 for none.
        expected: Counts as far as they are known from those of bins alone; their margins are those
            of the codes, shape (S_i, S_j).
        in_order: Whether the codes of the one and of the other column are ordered.
        rng: Source of randomness; it needs no secrecy.
        edges: Of both columns, the borders of the codes, shape (S_i,) and (S_j,); ``None`` where
            they are no numbers.

    Returns:
        Counts, at least zero, with the margins of what is expected; those of a line have the first
        one.
    """
    rows, columns = expected.sum(axis=1), expected.sum(axis=0)
    counts, scale = sharpen(known, *bins)
    readings = _list_readings(in_order, edges)
    if not known.scale:
        table = rake(np.maximum(counts, 0.0), rows, columns, RAKING_ROUNDS)
        line = readings.get('line', readings['coarse'])(Seen(table, np.ones(table.shape), expected))
        is_line = 'line' in readings and np.abs(line - table).sum() / 2 < OFF_LINE * rows.sum()
        return line if is_line else table
    noise = known.scale * rng.standard_normal(known.codes.shape)
    half = known._replace(codes=known.codes + noise, scale=known.scale * math.sqrt(2))
    seen = Seen(*sharpen(half, *bins), expected).pool_margins(known.margin_scale)
    unseen = _pad(known.codes - noise, counts.shape)
    tables = {name: read(seen) for name, read in readings.items()}
    gains = {
        name: float((unseen * table - table**2 / 2).sum()) / half.scale**2
        for name, table in tables.items()
    }
    best = max(gains, key=lambda name: gains[name])
    entropies = {}
    for name, table in tables.items():
        # The standard error of the difference to the best one.
        error = math.sqrt(np.square(table - tables[best]).sum()) / half.scale
        if gains[best] - gains[name] <= error:
            shares = table[table > 0] / rows.sum()
            entropies[name] = float(-(shares * np.log(shares)).sum())
    chosen = min(entropies, key=lambda name: entropies[name])
    if chosen in IN_ORDER and 'line' in entropies:
        chosen = 'line'
    table = readings[chosen](Seen(counts, scale, expected).pool_margins(known.margin_scale))
    if chosen != 'line':
        table = rake(table, rows, columns, RAKING_ROUNDS)
    # Where a code may have several values, the likeliest is the one that it most often really has.
    if chosen == 'function':
        return _keep_likeliest(table)
    if chosen == 'inverse':
        return _keep_likeliest(table.T).T
    return table


def sharpen(
    known: CodeCounts, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bring counts of codes and counts of bins, both with noise, to what they say together.

    Args:
        known: The counts.
        rows: The bin of each code of the first column, shape (S_i,); -1 for none.
        columns: The same of the second column.

    Returns:
        Counts of the codes, by least squares, and the standard deviation of the noise of each;
        both of shape (S_i, S_j), and zero counts for codes in no bin.
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
    """Add zeros for the last codes, if they do not occur."""
    return np.pad(counts, [(0, size - own) for size, own in zip(shape, counts.shape, strict=True)])


def _list_readings(
    in_order: tuple[bool, bool],
    edges: tuple[NDArray[np.float64] | None, NDArray[np.float64] | None],
) -> dict[str, Reading]:
    """List the readings by name."""
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
    if all(in_order):
        readings['rising'] = lambda seen: couple(*seen.margins)
        readings['falling'] = _read_falling
    first, second = edges
    if first is not None and second is not None:
        borders = first, second
        readings['line'] = lambda seen: fit_line(seen.counts, seen.scale, *seen.margins, borders)
    return readings


def _read_function(seen: Seen, *, in_order: bool = False) -> NDArray[np.float64]:
    """Give each code of the first column the values that it is likely to have.

    Where its codes are in order, beside the missing value, those around a code tell, too.
    """
    counts, scale, _ = seen
    rows, columns = seen.margins
    held = rows[:, None]
    logs = (counts * held - held**2 / 2) / np.square(scale)
    shares = np.maximum(columns / columns.sum(), 1e-12)
    chances = np.exp(logs - logs.max(axis=1, keepdims=True)) * shares
    chances /= np.maximum(chances.sum(axis=1, keepdims=True), 1e-300)
    if in_order:
        chances[1:] = follow_values(logs[1:], shares)
    table = rake(chances * held + 1e-9 * (columns > 0), rows, columns, RAKING_ROUNDS)
    return _drop(table, LEAST_SHARE * held)


def _read_passing(seen: Seen) -> NDArray[np.float64]:
    """Give each code of an ordered column the values of itself and of its neighbours, as counted.

    An interval of values has the value of another column that begins in it, and that which ends.
    """
    counts, (rows, _) = seen.counts, seen.margins
    values = _read_function(seen, in_order=True).argmax(axis=1)
    places = np.arange(1, len(rows))  # beside the missing value
    near = np.zeros(counts.shape, dtype=np.bool_)
    near[0, values[0]] = True
    for shift in (-1, 0, 1):
        near[places, values[np.clip(places + shift, 1, len(rows) - 1)]] = True
    table = np.where(near, np.maximum(counts, 0.0), 0.0)
    empty = np.flatnonzero(table.sum(axis=1) <= 0)
    table[empty, values[empty]] = 1.0
    return np.asarray(table * rows[:, None] / table.sum(axis=1, keepdims=True))


def _keep_likeliest(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Drop counts below half of the largest of their row.

    A value that would lose more than half of its records keeps them: the margin of its column says
    that it has them, and is known better.
    """
    least = table.max(axis=1, keepdims=True) / 2
    lost = np.where(table < least, table, 0.0).sum(axis=0) > table.sum(axis=0) / 2
    return _drop(table, np.where(lost, 0.0, least))


def _drop(table: NDArray[np.float64], least: NDArray[np.float64]) -> NDArray[np.float64]:
    """Drop counts below the least ones, and give their records to the others of the row."""
    sums = table.sum(axis=1, keepdims=True)
    left = np.where(table < least, 0.0, table)
    kept = left.sum(axis=1, keepdims=True)
    return np.asarray(left * np.divide(sums, kept, out=np.zeros_like(kept), where=kept > 0))


def _read_one_to_one(seen: Seen) -> NDArray[np.float64]:
    """Give each code of the column of fewer codes one of the other: the likeliest assignment."""
    counts, scale, _ = seen
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
    """Keep the counts beyond the noise; of a code that has none, the largest."""
    counts, scale, _ = seen
    rows, columns = seen.margins
    table = np.where(counts > STANDING_OUT * scale, counts, 0.0)
    lone = np.flatnonzero((table.sum(axis=1) <= 0) & (rows > 0))
    table[lone, counts[lone].argmax(axis=1)] = rows[lone]
    return rake(table, rows, columns, RAKING_ROUNDS)


def _read_departures(seen: Seen) -> NDArray[np.float64]:
    """Read the counts as those of bins are read: few directions, and no mass where it is empty."""
    counts, scale, expected = seen
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
    """Estimate each count in units of what is expected (Kiefer and Wolfowitz 1956)."""
    counts, scale, expected = seen
    likely = np.flatnonzero(expected > 1e-6)
    found, held, noise = (each.ravel()[likely] for each in (counts, expected, scale))
    largest = max(LEAST_LARGEST, float(counts.max()) / max(float(held.mean()), 1e-9))
    ratios = np.append(0.0, np.geomspace(EMPTY, largest, NUM_RATIOS))

    def weigh(at: NDArray[np.int64]) -> NDArray[np.float64]:
        wanted = held[at, None] * ratios
        logs = (found[at, None] * wanted - wanted**2 / 2) / noise[at, None] ** 2
        return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))

    likelihoods = weigh(np.arange(0, len(likely), 1 + len(likely) // MOST_FITTED))
    frequencies = np.full(len(ratios), 1 / len(ratios))
    for _ in range(RATIO_ROUNDS):
        posterior = likelihoods * frequencies
        frequencies = (posterior / posterior.sum(axis=1, keepdims=True)).mean(axis=0)
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


def _read_falling(seen: Seen) -> NDArray[np.float64]:
    """Let quantiles of the one column meet those of the other from its end."""
    rows, columns = seen.margins
    return couple(rows, columns[::-1])[:, ::-1]
