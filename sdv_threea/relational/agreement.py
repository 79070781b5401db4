"""How often two rows of one owner share values, and rows drawn with that frequency.

If noise is too large for fine bins of a row and the row before it, one histogram per column counts
the codes that both rows share. Such a histogram is cheap enough for a few hundred units, and needs
no pair counts. A sampled row then keeps some values of the row before it, and its other values are
drawn given these.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.arrays import Floats, Wholes
from sdv_threea.encoding.transformers import encode
from sdv_threea.maths.shrinkage import shrunk_effects, stein_factor
from sdv_threea.privacy.door import release
from sdv_threea.privacy.spending import ROUNDING
from sdv_threea.relational.following import Joined
from sdv_threea.relational.model import Agreement, TableRelease, draw_rows, encode_context
from sdv_threea.relational.task import Task
from sdv_threea.relational.transitions import name_before, own_transformers, pair_rows
from sdv_threea.rows.sums import take
from sdv_threea.statistics import registry


class Alike(NamedTuple):
    """The codes that a row shares with the row before it, -1 for others, shape (P, r): private."""

    codes: NDArray[np.integer]


def release_agreement(
    task: Task, joined: Joined, model: TableRelease
) -> tuple[TableRelease, tuple[Receipt, ...]]:
    """Release how often a row has the codes of the row before it, by column and code; add it.

    Formal guarantees:
        * a unit has one pair of rows at most, which depends on the rows of that unit alone, and on
          their ranks
        * a pair adds one to the number of pairs and to at most one code of each of ``r`` columns:
          the sums move as histograms of ``r + 1`` columns do
    """
    own = own_transformers(model)
    part = task.budget.part(task.constants.agreement_share)
    pairs = joined.rows.map(partial(pair_rows, model, 1, task.toss()))
    alike = pairs.map(partial(_compare, model)).keep()
    statistic = registry.AGREEMENT.state(
        partial(_count_alike, tuple(each.size for each in own)),
        neighbors=part.neighbors,
        columns=len(own),
    )
    summed = take(alike, statistic)
    noisy, receipt = release(*summed, mu=part.mu * (1 - ROUNDING), noise=task.noise)
    num_pairs = max(float(noisy[0]), 1.0)
    paired = joined.given.as_read(1, task.draws, followed=1).context
    drawn = [encode(draw_rows(model, paired, task.draws), own) for _ in range(2)]
    counts = np.split(noisy[1:] / num_pairs, np.cumsum([each.size for each in own])[:-1])
    found = []
    for at, each in enumerate(own):
        kept, often = _believe(counts[at], receipt.noise_scale / num_pairs, drawn, at)
        # The target follows from the other columns.
        if often > 0 and each.name != model.released.domain.target:
            found.append((-often, each.name, kept))
    if not found:
        return model, (receipt,)
    _, columns, chances = zip(*sorted(found, key=lambda one: one[:2]), strict=True)
    chain = None
    if model.released.joint is not None:
        # Draw each owner as often as the release read its rows: its tables of pairs have these
        # weights.
        context = joined.given.as_read(model.rows_per_unit, task.draws).context
        codes = encode_context(model, context).astype(np.int64)
        names = [model.released.transformers[at].name for at in model.released.scored]
        first = [names.index(name) for name in columns]
        chain = model.released.joint.begin_with(first, codes, task.draws)
    return replace(model, agreement=Agreement(columns, chances, chain)), (receipt,)


def _compare(model: TableRelease, pairs: pd.DataFrame) -> Alike:
    """Return the codes that both rows of pairs have."""
    own = own_transformers(model)
    names = [each.name for each in own]
    earlier = pairs[list(name_before(model))].set_axis(names, axis='columns')
    codes = encode(pairs[names], own)
    return Alike(np.where(codes == encode(earlier, own), codes, -1))


def _count_alike(sizes: tuple[int, ...], chunk: Alike) -> Wholes:
    """Count the pairs, and those that share each code of each column."""
    counts = [
        np.bincount(codes[codes >= 0], minlength=size)
        for codes, size in zip(chunk.codes.T, sizes, strict=True)
    ]
    return np.concatenate([[len(chunk.codes)], *counts]).astype(np.int64)


def _believe(
    shares: Floats, scale: float, drawn: Sequence[NDArray[np.integer]], at: int
) -> tuple[Floats, float]:
    """Return the chance that each code is kept, shape (S,), and the mean chance.

    ``shares`` are the shares of pairs that share each code, with noise of this ``scale``. Two rows
    ``drawn`` for the same owners, shape (P, r) each, show how often codes are equal by chance. The
    excess over chance is the effect; its mean over codes, and the departures of single codes from
    the mean, are shrunk by their noise.
    """
    first, second = (codes[:, at].astype(np.int64) for codes in drawn)
    whole = np.bincount(first, minlength=len(shares)) / len(first)
    chance = np.bincount(first[first == second], minlength=len(shares)) / len(first)
    gains, excess = whole - chance, shares - chance
    power = max(float(gains @ gains), 1e-300)
    mean = max(float(gains @ excess) / power, 0.0)
    mean *= stein_factor(np.array([mean]), scale / math.sqrt(power))
    variances = np.full(len(shares), scale**2)
    own = shrunk_effects(excess - gains * mean, gains, variances)
    kept = np.clip(mean + own, 0.0, 1.0) if mean else np.zeros(len(shares))
    return kept, float(whole @ kept)
