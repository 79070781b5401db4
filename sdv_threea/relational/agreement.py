"""How a row depends on the row before it, column by column: for small budgets.

One table per column counts the bins of a row and of the row before it. Two rows are in one cell of
each table, so whole tables cost no more than counts of equal values. They show which columns hardly
vary within a unit, which values occur once in it, and which value follows which. Columns depend on
each other only within a row.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.arrays import Floats, Wholes
from sdv_threea.encoding.encoders import Transformer, encode
from sdv_threea.joint.density import LEAST_INFORMATION
from sdv_threea.joint.inside import add_up
from sdv_threea.joint.joint_constants import JointConstants
from sdv_threea.joint.pair_bins import cut_pair_bins
from sdv_threea.joint.pairs import PairCounts
from sdv_threea.joint.tables import estimate_tables, mutual_information, rake
from sdv_threea.maths.shrinkage import ratio, shrunk_effects
from sdv_threea.privacy.door import release
from sdv_threea.privacy.spending import ROUNDING
from sdv_threea.relational.allotment import plan_agreement
from sdv_threea.relational.following import Given, Joined
from sdv_threea.relational.model import Agreement, TableRelease, draw_rows, encode_context
from sdv_threea.relational.task import Task
from sdv_threea.relational.transitions import draw_before, name_before, own_transformers, pair_rows
from sdv_threea.release import Release
from sdv_threea.settings import Constants
from sdv_threea.statistics import registry

#: The smallest share of a bin, because margins are divisors.
LEAST_SHARE = 1e-9


#: The transformers of the columns that depend on the row before.
Own = tuple[Transformer, ...]


class Moves(NamedTuple):
    """For each column, the cell of two rows in its table, -1 for none, shape (P, r): private."""

    cells: NDArray[np.integer]


class Bins(NamedTuple):
    """The bins of a column in the table of two rows: released.

    Args:
        at: The position of the column among those with scores.
        of_code: The bin of each code, shape (S,); -1 for codes that do not occur.
    """

    transformer: Transformer
    at: int
    of_code: Wholes
    size: int

    def find(self, codes: NDArray[np.integer]) -> Wholes:
        """Return the bins of codes, -1 for none."""
        return np.where(codes >= 0, self.of_code[codes], -1)

    def locate(self, before: NDArray[np.integer], codes: NDArray[np.integer]) -> Wholes:
        """Return the cells of pairs of codes: those of their bins, or of equal codes of a bin."""
        one, other = (np.where(own >= 0, self.of_code[own], -1) for own in (before, codes))
        rows = np.where(before == codes, self.size, one)
        return np.where((one < 0) | (other < 0), -1, rows * self.size + other)

    def share(self, codes: NDArray[np.integer]) -> Floats:
        """Return the share of each bin among drawn codes, shape (G,)."""
        own = self.find(codes)
        return np.bincount(own[own >= 0], minlength=self.size) / max(len(codes), 1)

    def share_codes(self, codes: NDArray[np.integer]) -> Floats:
        """Return the share of each code among drawn codes, shape (S,)."""
        shares = np.bincount(codes[codes >= 0], minlength=len(self.of_code)) / max(len(codes), 1)
        return np.where(self.of_code >= 0, shares, 0.0)


def list_bins(model: TableRelease, num_bins: int, constants: Constants) -> tuple[Bins, ...]:
    """List the table's own columns that vary, except the target, which is drawn given the others.

    Columns have the bins of pairs of columns if these are counted, or else ``num_bins`` bins.
    """
    released, own = model.released, own_transformers(model)
    if released.joint is not None:  # the class is the last column
        of_codes = [each.of_code for each in released.joint.columns[: len(released.scored)]]
    else:
        of_codes = _cut(released, num_bins, constants)
    found = []
    for at, (place, of_code) in enumerate(zip(released.scored, of_codes, strict=True)):
        transformer = released.transformers[place]
        bins = Bins(transformer, at, of_code, int(of_code.max(initial=-1)) + 1)
        if transformer in own and transformer.name != released.domain.target and bins.size > 1:
            found.append(bins)
    return tuple(found)


def _cut(released: Release, num_bins: int, constants: Constants) -> list[Wholes]:
    """Return the bin of each code of the columns with scores, shape (S,) each; -1 for none."""
    transformers = [released.transformers[place] for place in released.scored]
    weights = released.mixture.weights.sum(axis=1)
    columns = [weights @ released.chances(each.name) for each in transformers]
    ordered = [each.ordered for each in transformers]
    apart = [getattr(each, 'apart', ()) for each in transformers]
    occurs = [own > 0 for own in columns]
    return cut_pair_bins(
        columns,
        occurs,
        ordered,
        num_bins,
        1 / num_bins,
        constants.joint,
        constants.approximate,
        apart,
    )


def release_agreement(
    task: Task, joined: Joined, model: TableRelease, num_pairs: float
) -> tuple[TableRelease, tuple[Receipt, ...]]:
    """Release how a row depends on the row before it, column by column; add it to the model.

    Formal guarantees:
        * a unit has at most one pair of rows, which depends only on the rows of that unit and on
          their ranks
        * a pair adds one to the number of pairs and to at most one cell of each of ``r`` tables:
          the sums move as histograms of ``r + 1`` columns do
    """
    part, num_bins = plan_agreement(task, num_pairs, len(own_transformers(model)))
    constants, names = task.settings.constants, name_before(model)
    bins = list_bins(model, num_bins, constants)
    pairs = joined.rows.map(partial(pair_rows, names, 1, task.toss()))
    own = tuple(each.transformer for each in bins)
    moves = pairs.map(partial(_locate, names, bins, own)).keep()
    sizes = tuple(each.size * (each.size + 1) for each in bins)
    statistic = registry.AGREEMENT.state(
        partial(_count_moves, sizes), neighbors=part.neighbors, columns=len(bins)
    )
    noisy, receipt = release(moves, statistic, mu=part.mu * (1 - ROUNDING), noise=task.noise)
    given = joined.given.as_read(1, task.draws, followed=1)
    context = draw_before(model, *given[:2], task.draws)
    drawn = [encode(draw_rows(model, context, task.draws), own) for _ in range(2)]
    *cells, _ = np.split(noisy[1:], np.cumsum(sizes))  # the split leaves an empty rest
    num_pairs = max(float(noisy[0]), 1.0)
    shares = [_share(each / num_pairs, one) for each, one in zip(cells, bins, strict=True)]
    counted = Counted(shares, num_pairs, receipt.noise_scale / num_pairs)
    joint = constants.joint
    if model.released.joint is None:  # no bin is evidently empty, because of the noise
        joint = replace(joint, emptiness=0.0)
    found = _list_followers(bins, counted, drawn, joint, ordered=task.ordered)
    if not found:
        return model, (receipt,)
    return replace(model, agreement=_agree(model, found, joined.given, task)), (receipt,)


class Follower(NamedTuple):
    """How a column depends on its value in the row before: released.

    Args:
        table: Probabilities of the bins of the row before and of this row, shape (G, G).
        kept: The probability that the code is the same if both are in a bin, shape (G,).
        shares: Probabilities of codes, shape (S,).
    """

    bins: Bins
    table: Floats
    kept: Floats
    shares: Floats


def _locate(names: dict[str, str], bins: tuple[Bins, ...], own: Own, pairs: pd.DataFrame) -> Moves:
    earlier = pairs[list(names.values())].set_axis(list(names), axis='columns')
    both = encode(earlier, own).T, encode(pairs[list(names)], own).T
    cells = [each.locate(*codes) for each, *codes in zip(bins, *both, strict=True)]
    return Moves(np.array(cells, dtype=np.int64).reshape(len(bins), len(pairs)).T)


def _count_moves(sizes: tuple[int, ...], chunk: Moves) -> Wholes:
    starts = np.cumsum([0, *sizes])
    cells = (chunk.cells + starts[:-1])[chunk.cells >= 0]
    return np.append(len(chunk.cells), np.bincount(cells, minlength=starts[-1]))


class Counted(NamedTuple):
    """Noisy shares of pairs of rows: released.

    Args:
        shares: By column, of pairs of bins, shape (G, G), and of equal codes in them, shape (G,).
        scale: Noise scale of a share.
    """

    shares: list[tuple[Floats, Floats]]
    num_pairs: float
    scale: float


def _share(cells: Floats, bins: Bins) -> tuple[Floats, Floats]:
    """Return the shares of pairs of bins, shape (G, G), and of pairs of equal codes, shape (G,)."""
    *both, same = cells.reshape(-1, bins.size)
    table = np.array(both)
    several = np.bincount(bins.of_code[bins.of_code >= 0], minlength=bins.size) > 1
    # If a bin has one code, two codes in it are equal.
    np.fill_diagonal(table, same + np.where(several, table.diagonal(), 0.0))
    return table, same


def _list_followers(
    bins: tuple[Bins, ...],
    counted: Counted,
    drawn: Sequence[NDArray[np.integer]],
    constants: JointConstants,
    *,
    ordered: bool,
) -> list[Follower]:
    """Return how columns depend on the row before, most informative columns first.

    Noisy tables are shrunk toward tables of rows that repeat the value before with some
    probability. ``drawn`` are two rows for the same owners, shape (P, r) each.
    """
    num, num_pairs = len(bins), counted.num_pairs
    margins, expected, tables = [], {}, {}
    for at, (own, (table, _)) in enumerate(zip(bins, counted.shares, strict=True)):
        margin, toward = _expect(own, table, counted.scale, [codes[:, at] for codes in drawn])
        margins.append(margin * num_pairs)
        expected[at, num + at] = toward * num_pairs
        tables[at, num + at] = table * num_pairs
    pairs = PairCounts(tables, dict.fromkeys(tables, counted.scale * num_pairs))
    in_order = [each.transformer.ordered for each in bins]
    estimated = estimate_tables(pairs, margins * 2, expected, in_order * 2, constants)
    found = []
    for at, ((_, same), table) in enumerate(zip(counted.shares, estimated.values(), strict=True)):
        table = table if ordered else (table + table.T) / 2
        if mutual_information(table) > LEAST_INFORMATION:
            shares = bins[at].share_codes(drawn[0][:, at])
            kept = _keep_codes(bins[at], table, same, shares, counted.scale)
            found.append(Follower(bins[at], table, kept, shares))
    return sorted(found, key=lambda each: -mutual_information(each.table))


def _expect(
    bins: Bins, table: Floats, scale: float, drawn: Sequence[NDArray[np.integer]]
) -> tuple[Floats, Floats]:
    """Return the margin of rows, shape (G,), and a table in which rows may repeat their bin."""
    first, second = map(bins.find, drawn)
    whole = np.maximum(np.mean([bins.share(codes) for codes in drawn], axis=0), LEAST_SHARE)
    chance = bins.share(np.where(first == second, drawn[0], -1))
    kept = _believe(table.diagonal() - chance, whole - chance, scale)
    left = whole * (1 - kept)
    toward = np.diag(whole * kept) + np.outer(left, left) / max(left.sum(), LEAST_SHARE)
    return whole, rake(toward, whole, whole)


def _keep_codes(bins: Bins, table: Floats, same: Floats, shares: Floats, scale: float) -> Floats:
    """Return the probability that two rows in a bin have the same code, shape (G,)."""
    own = shares[None], np.square(shares)[None]
    whole, squares = (add_up(each, bins.of_code, bins.size)[0] for each in own)
    chance = ratio(squares, whole**2) * table.diagonal()
    return _believe(same - chance, table.diagonal() - chance, scale)


def _believe(excess: Floats, gains: Floats, scale: float) -> Floats:
    """Return the probabilities that values are repeated, shape (G,), from an excess over chance.

    The excess is probability times gain, with noise of this ``scale``. The mean probability, and
    departures from the mean, are shrunk by their noise.
    """
    power = max(float(gains @ gains), 1e-300)
    mean, variance = max(float(gains @ excess) / power, 0.0), scale**2 / power
    # The square of a probability is at most one; the rest is noise.
    square = min(max(mean**2 - variance, 0.0), 1.0)
    mean *= square / max(square + variance, 1e-300)
    own = shrunk_effects(excess - gains * mean, gains, np.full(len(gains), scale**2))
    return np.clip(mean + own, 0.0, 1.0) if mean else np.zeros(len(gains))


def _agree(model: TableRelease, found: list[Follower], given: Given, task: Task) -> Agreement:
    """Return the model of a row given the row before it, fitted to drawn rows of the owners."""
    columns, joint = tuple(each.bins.transformer.name for each in found), model.released.joint
    if joint is None:
        return Agreement(columns, moves=tuple(_find_moves(each) for each in found))
    # Owners occur as often as the release read their rows, because its tables of pairs have these
    # weights.
    given = given.as_read(model.rows_per_unit, task.draws)
    context = draw_before(model, *given[:2], task.draws)
    names = name_before(model)
    before = context[[names[name] for name in columns]].astype('float64').fillna(0)
    codes = np.hstack([encode_context(model, context), before]).astype(np.int64)
    chain = joint.follow({each.bins.at: each.table for each in found}, codes, task.draws)
    return Agreement(columns, kept=tuple(each.kept for each in found), chain=chain)


def _find_moves(found: Follower) -> Floats:
    """Return the probability that the code before a row sets its code, shape (S, S).

    With the remaining probability, as large as possible, the row does not depend on the row before.
    """
    bins, codes = found.bins, np.flatnonzero(found.bins.of_code >= 0)
    whole, given = found.table.sum(axis=0), found.table / found.table.sum(axis=1, keepdims=True)
    free = (given / whole).min(axis=1, keepdims=True)
    moved, stays = given - free * whole, found.kept * given.diagonal()
    stays = np.minimum(stays, moved.diagonal())
    moved = moved - np.diag(stays)
    own, shares = bins.of_code[codes], found.shares[codes]
    whole_bins = add_up(found.shares[None], bins.of_code, bins.size)[0]
    inside = ratio(shares, whole_bins[own])
    moves = np.zeros((len(bins.of_code),) * 2)
    moves[np.ix_(codes, codes)] = moved[np.ix_(own, own)] * inside + np.diag(stays[own])
    return moves
