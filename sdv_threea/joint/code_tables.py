"""Estimate the table of a functional pair, code by code, from noisy counts.

Each code of one column is a row of the table, and either *settled* or *open*.

* A settled row has a single value: all its records are in one cell. The coarse table gives the
  prior probability of each value. In an ordered column, neighbouring codes often have the same
  value (:mod:`~sdv_threea.joint.runs`).
* Each cell of an open row is a factor times its count in the coarse table. The frequencies of the
  factors, zero included, are fitted to all cells
  (:data:`~sdv_threea.joint.joint_constants.RATIOS`).

The share of open rows, and the length of runs of one value, are fitted to all rows. Either column
is tried as the rows, and the one with the larger evidence is kept. The whole module is
post-processing.
"""

from typing import NamedTuple

import numpy as np

from sdv_threea.arrays import Floats
from sdv_threea.joint.joint_constants import NEARLY, RATIOS
from sdv_threea.joint.runs import Posterior, find_values, follow_values
from sdv_threea.joint.tables import MOST_BINS, log_likelihoods, rake
from sdv_threea.maths.mixtures import fit_frequencies

#: Rounds of iterative proportional fitting.
RAKING_ROUNDS = 20

#: Rounds of expectation maximisation for the frequencies of rows; more change nothing.
ROUNDS = 8


class CodeCounts(NamedTuple):
    """Noisy counts of codes, shape (S_i, S_j), their noise scale, and that of single columns."""

    codes: Floats
    scale: float
    margin_scale: float = 0.0


class Seen(NamedTuple):
    """Inputs of the posterior of the rows; arrays have the shape (S_i, S_j).

    Args:
        counts: Noisy counts of codes.
        expected: Counts that follow from the coarse table and from all margins.
        open_logs: Log likelihood of each cell if its row is open, minus that of an empty cell.
        open_counts: The expected count of each cell if its row is open.
        doubts: Variances of the row sums and column sums of ``expected``, shape (S_i,) and (S_j,).
    """

    counts: Floats
    scale: float
    expected: Floats
    open_logs: Floats
    open_counts: Floats
    doubts: tuple[Floats, Floats]

    @property
    def turned(self) -> 'Seen':
        """The same with the columns swapped."""
        return Seen(
            self.counts.T,
            self.scale,
            self.expected.T,
            self.open_logs.T,
            self.open_counts.T,
            self.doubts[::-1],
        )


def estimate_codes(
    known: CodeCounts,
    expected: Floats,
    in_order: tuple[bool, bool],
    unlisted: tuple[int, int] = (-1, -1),
) -> Floats:
    """Return estimated counts of a pair, code by code, at least zero, shape (S_i, S_j).

    ``expected`` are counts that follow from the coarse table. ``unlisted`` are the codes of all
    unlisted values, -1 for none, whose rows are always open.
    """
    rows, columns = expected.sum(axis=1), expected.sum(axis=0)
    counts = np.where(np.outer(rows, columns) > 0, _pad(known.codes, expected.shape), 0.0)
    if not known.scale:
        return rake(np.maximum(counts, 0.0), rows, columns, RAKING_ROUNDS)
    seen = _see(counts, expected, known)
    one, other = (
        _settle_rows(own, in_order[at], unlisted[at]) for at, own in ((0, seen), (1, seen.turned))
    )
    if one.evidence >= other.evidence:
        return _fill_rows(seen, one.chances)
    return _fill_rows(seen.turned, other.chances).T


def _see(counts: Floats, expected: Floats, known: CodeCounts) -> Seen:
    """Pool the margins; return the likelihoods and expected counts of cells of open rows."""
    pooled = [
        _pool_margin(one, other, known)
        for one, other in ((counts, expected), (counts.T, expected.T))
    ]
    (rows, row_doubts), (columns, column_doubts) = pooled
    doubts = row_doubts, column_doubts
    expected = rake(expected, rows, columns, RAKING_ROUNDS)
    return Seen(counts, known.scale, expected, *_open_cells(counts, expected, known.scale), doubts)


def _open_cells(counts: Floats, expected: Floats, scale: float) -> tuple[Floats, Floats]:
    live = np.flatnonzero(expected > 0)
    cells = counts.ravel()[live], expected.ravel()[live]
    step = 1 + len(live) // MOST_BINS
    some = log_likelihoods(cells[0][::step], cells[1][::step], scale)
    frequencies = fit_frequencies(np.exp(some - some.max(axis=1, keepdims=True)))
    found = np.zeros((2, counts.size))
    for start in range(0, len(live), MOST_BINS):  # all cells at once would take much memory
        own, mean = (each[start : start + MOST_BINS] for each in cells)
        logs = log_likelihoods(own, mean, scale)
        largest = logs.max(axis=1)
        likely = np.exp(logs - largest[:, None]) * frequencies
        sums = np.maximum(likely.sum(axis=1), 1e-300)
        gained = np.log(sums) + largest + np.square(own / scale) / 2
        found[:, live[start : start + MOST_BINS]] = gained, likely @ RATIOS / sums * mean
    return found[0].reshape(counts.shape), found[1].reshape(counts.shape)


def _pool_margin(counts: Floats, expected: Floats, known: CodeCounts) -> tuple[Floats, Floats]:
    """Return pooled row sums of expected and noisy counts, and their variances, shape (S_i,)."""
    own, present = expected.sum(axis=1), expected.sum(axis=0) > 0
    # The error of a smoothed count below the noise is at most the count.
    trust = np.minimum(known.margin_scale**2, np.square(own))
    counted = known.scale**2 * max(int(present.sum()), 1)
    pooled = np.maximum(own + trust / (trust + counted) * (counts[:, present].sum(axis=1) - own), 0)
    return pooled * own.sum() / max(pooled.sum(), 1e-300), trust * counted / (trust + counted)


def _settle_rows(seen: Seen, in_order: bool, unlisted: int) -> Posterior:
    """Return the probabilities that each row is open or has each value, shape (S_i, 1 + S_j)."""
    counts, scale = seen.counts, seen.scale
    held, doubt = seen.expected.sum(axis=1, keepdims=True), seen.doubts[0][:, None]
    own = np.square(counts / scale) - np.square(counts - held) / (scale**2 + doubt)
    logs = (own - np.log1p(doubt / scale**2)) / 2
    logs = np.concatenate([seen.open_logs.sum(axis=1, keepdims=True), logs], axis=1)
    alone = np.arange(len(held)) == unlisted
    logs[alone, 1:] = -np.inf
    values = seen.expected / np.maximum(held, 1e-300)
    telling = (held[:, 0] > 0) & ~alone
    opened, anew = 1 - NEARLY, 0.5
    for _ in range(ROUNDS):
        prior = np.concatenate([np.full(held.shape, opened), (1 - opened) * values], axis=1)
        found = _follow(logs, prior, anew) if in_order else find_values(logs, prior)
        opened = (found.chances[telling, 0].sum() / max(int(telling.sum()), 1) + 1 - NEARLY) / 2
        anew = min(found.drawn / max(len(logs) - 1, 1), 1.0)
    return found


def _follow(logs: Floats, prior: Floats, anew: float) -> Posterior:
    """Return the posterior of ordered codes; code 0, the missing value, is independent."""
    first, rest = find_values(logs[:1], prior[:1]), follow_values(logs[1:], prior[1:], anew)
    chances = np.concatenate([first.chances, rest.chances])
    return Posterior(chances, first.evidence + rest.evidence, rest.drawn)


def _fill_rows(seen: Seen, chances: Floats) -> Floats:
    """Return mean counts; a settled row keeps only its likeliest value, which is mostly right."""
    rows, columns = seen.expected.sum(axis=1), seen.expected.sum(axis=0)
    sums = seen.open_counts.sum(axis=1, keepdims=True)
    shares = np.where(sums > 0, seen.open_counts / np.maximum(sums, 1e-300), 0.0)
    table = (chances[:, 1:] + chances[:, :1] * shares) * rows[:, None] + 1e-9 * (columns > 0)
    table = rake(table, rows, columns, RAKING_ROUNDS)
    settled = chances[:, :1] < 0.5
    left = np.where(settled & (table < table.max(axis=1, keepdims=True) / 2), 0.0, table)
    kept = left.sum(axis=1, keepdims=True)
    return np.asarray(
        left * np.divide(rows[:, None], kept, out=np.zeros_like(kept), where=kept > 0)
    )


def _pad(counts: Floats, shape: tuple[int, ...]) -> Floats:
    return np.pad(counts, [(0, size - own) for size, own in zip(shape, counts.shape, strict=True)])
