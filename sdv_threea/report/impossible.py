"""Impossible rows: rows with two values that no real row has together.

Input: codes of both tables. Output: the shares of such synthetic and real rows, and the pairs of
values that cause most of them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from sdv_threea.arrays import Bools, Wholes
from sdv_threea.report.codes import POOLED, UNSEEN, Coded

#: Two values that no real row has together count as impossible if independent columns would have
#: this many such rows. With fewer expected rows, there may be none by chance alone.
EXPECTED = 5.0

#: The most pairs of columns that are named, and the most pairs of values of each.
MOST_TOLD, MOST_EXAMPLES = 12, 3

TOLD = ['Column 1', 'Column 2', 'Rows', 'Categories', 'Examples']


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Impossible:
    """Shares of rows with two values that no real row has together. Not differentially private.

    Args:
        synthetic: Share of the synthetic rows.
        real: Share of the real rows that would be called impossible if they were not in the table:
            the share to expect of new real rows.
        spread: Standard deviation of ``real`` for this number of rows.
        chance: Share of the rows of independent columns.
        num_pairs: Number of pairs of columns examined.
        told: The pairs of columns with most such rows (``Column 1``, ``Column 2``, ``Rows``: their
            share; ``Categories``: whether neither is a number) and ``Examples`` of values. No value
            of fewer than five real rows is named.
    """

    synthetic: float
    real: float
    spread: float
    chance: float
    num_pairs: int
    told: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=TOLD))


def find_impossible(
    coded: Coded, pairs: Iterable[tuple[int, ...]], rng: np.random.Generator
) -> Impossible:
    """Return the shares of rows with two values that no real row has together.

    Two values are examined if independent columns would give both to about five real rows or more.
    Intervals of numbers, and values of few rows, are not examined.
    """
    shuffled = np.array([rng.permutation(column) for column in coded.real])
    tables = {'synthetic': coded.synthetic, 'real': coded.real, 'chance': shuffled}
    hit = {role: np.zeros(codes.shape[1], dtype=bool) for role, codes in tables.items()}
    told, num_pairs = [], 0
    for first, second in pairs:
        if not (coded.exact[first] and coded.exact[second]):
            continue
        num_pairs += 1
        counts, expected = _count(coded, first, second)
        never, once = (counts == 0) & expected, (counts == 1) & expected
        for role, codes in tables.items():
            hit[role] |= (once if role == 'real' else never)[codes[first], codes[second]]
        told.append(_tell(coded, first, second, never))
    shares = {role: float(rows.mean()) for role, rows in hit.items()}
    spread = float(np.sqrt(shares['real'] * (1 - shares['real']) / len(hit['synthetic'])))
    table = pd.DataFrame(told, columns=TOLD)
    table = table[table['Rows'] > 0].sort_values('Rows', ascending=False, kind='stable')
    return Impossible(**shares, spread=spread, num_pairs=num_pairs, told=table.head(MOST_TOLD))


def _count(coded: Coded, first: int, second: int) -> tuple[Wholes, Bools]:
    """Count the real rows with each combination of two values; mark the combinations to examine."""
    shape = len(coded.labels[first]), len(coded.labels[second])
    joint = coded.real[first] * shape[1] + coded.real[second]
    counts = np.bincount(joint, minlength=shape[0] * shape[1]).reshape(shape)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(coded.real.shape[1], 1)
    looked = expected >= EXPECTED
    # The codes for pooled and for new values stand for several values.
    looked[[POOLED, UNSEEN]] = looked[:, [POOLED, UNSEEN]] = False
    return counts, looked


def _tell(coded: Coded, first: int, second: int, never: Bools) -> list[object]:
    """Return two columns, their share of impossible synthetic rows, and examples of values."""
    shape = never.shape
    joint = coded.synthetic[first] * shape[1] + coded.synthetic[second]
    counts = np.bincount(joint, minlength=shape[0] * shape[1]).reshape(shape) * never
    shares = counts / max(coded.synthetic.shape[1], 1)
    worst = np.argsort(-shares, axis=None, kind='stable')[:MOST_EXAMPLES]
    examples = [
        {'values': [coded.labels[first][a], coded.labels[second][b]], 'rows': float(shares[a, b])}
        for a, b in zip(*np.unravel_index(worst, shape), strict=True)
        if shares[a, b] > 0
    ]
    named = coded.categories[first] and coded.categories[second]
    return [coded.names[first], coded.names[second], float(shares.sum()), named, examples]
