"""Errors of columns and pairs of columns, compared with those of other real rows and of chance.

Errors are total variation distances: shares of rows that would have to change. Impossible rows have
two values that no real row has together.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.report.distributions import MISSING, NO_LEVELS, POOLED, UNSEEN, Coded, code_tables

#: A pair of values without real rows counts as impossible if independent columns would give it this
#: many rows. With fewer expected rows, chance alone may explain that there are none.
EXPECTED = 5.0

#: The largest number of pairs of columns that are named, and the most example values of each.
MOST_TOLD, MOST_EXAMPLES = 12, 3

TOLD = ['Column 1', 'Column 2', 'Rows', 'Categories', 'Examples']


#: How often real rows are resampled, to measure the variation of a score by chance.
RESAMPLES = 8

#: The largest number of rows of a table, and the most pairs of columns, that are compared; drawn at
#: random.
MOST_ROWS, MOST_PAIRS = 50_000, 2_000

COLUMNS = ['Table', 'Column', 'Error', 'Real', 'Chance']

LOST = ['Lost', 'New', 'Missing, real', 'Missing, synthetic', 'Values, real', 'Values, synthetic']

PAIRS = ['Table', 'Column 1', 'Column 2', 'Error', 'Real', 'Chance']

ONE, TWO, NEVER = 'single columns', 'pairs of columns', 'impossible rows'

#: Rows of the real table, drawn with repetition, that replace both tables.
World = tuple[Wholes, Wholes]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Impossible:
    """Shares of rows with two values that no real row has together. Not differentially private.

    Args:
        synthetic: Share of the synthetic rows.
        real: Share of real rows that would be impossible if they were not in the table.
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
    coded: Sequence[Coded], pairs: Iterable[tuple[int, ...]], rng: np.random.Generator
) -> Impossible:
    """Return the shares of rows with two values that no real row has together.

    Two values are examined if independent columns would give both to about five real rows or more.
    Intervals of numbers, and values of few rows, are not examined.
    """
    tables = {
        'synthetic': [each.synthetic for each in coded],
        'real': [each.real for each in coded],
        'chance': [rng.permutation(each.real) for each in coded],
    }
    hit = {role: np.zeros(len(codes[0]), dtype=bool) for role, codes in tables.items()}
    told, num_pairs = [], 0
    for first, second in pairs:
        pair = coded[first], coded[second]
        if not all(each.exact for each in pair):
            continue
        num_pairs += 1
        counts, examined = _examine(*pair)
        never, once = (counts == 0) & examined, (counts == 1) & examined
        for role, codes in tables.items():
            hit[role] |= (once if role == 'real' else never)[codes[first], codes[second]]
        told.append(_tell(*pair, never))
    shares = {role: float(rows.mean()) for role, rows in hit.items()}
    spread = float(np.sqrt(shares['real'] * (1 - shares['real']) / len(hit['synthetic'])))
    table = pd.DataFrame(told, columns=TOLD)
    table = table[table['Rows'] > 0].sort_values('Rows', ascending=False, kind='stable')
    return Impossible(**shares, spread=spread, num_pairs=num_pairs, told=table.head(MOST_TOLD))


def _examine(first: Coded, second: Coded) -> tuple[Floats, Bools]:
    """Count the real rows with each combination of two values; mark the combinations to examine."""
    sizes = len(first.labels), len(second.labels)
    counts = _share([first.real, second.real], sizes) * len(first.real)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(len(first.real), 1)
    examined = expected >= EXPECTED
    # The codes of pooled and of new values stand for several values.
    examined[[POOLED, UNSEEN]] = examined[:, [POOLED, UNSEEN]] = False
    return np.rint(counts), examined


def _tell(first: Coded, second: Coded, never: Bools) -> list[object]:
    """Return two columns, their share of impossible synthetic rows, and examples of values."""
    shares = _share([first.synthetic, second.synthetic], never.shape) * never
    worst = np.argsort(-shares, axis=None, kind='stable')[:MOST_EXAMPLES]
    examples = [
        {'values': [first.labels[a], second.labels[b]], 'rows': float(shares[a, b])}
        for a, b in zip(*np.unravel_index(worst, never.shape), strict=True)
        if shares[a, b] > 0
    ]
    named = first.is_category and second.is_category
    return [first.name, second.name, float(shares.sum()), named, examples]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Fidelity:
    """Errors in common bins of both tables; 0 is best. Not differentially private.

    Args:
        scores: For each measure (``single columns``, ``pairs of columns``, ``impossible rows``) the
            mean error of the ``synthetic`` rows, of resampled ``real`` rows with its standard
            deviation ``spread``, and of ``chance``: values spread evenly over a single column, or
            else independent columns.
        columns: ``Table``, ``Column``, and the ``Error`` with that of ``Real`` rows and of
            ``Chance``; ``Lost``, the share of real rows whose value no synthetic row has; ``New``,
            the share of synthetic rows whose value no real row has; shares of missing values, and
            numbers of different values or intervals.
        pairs: Errors of pairs of columns: of all, or of 2,000 drawn at random.
        impossible: Rows with two values that no real row has together, by table.
        one_row: The share of one row of the smallest synthetic table that was compared.
    """

    scores: pd.DataFrame
    columns: pd.DataFrame
    pairs: pd.DataFrame
    impossible: Mapping[str, Impossible]
    one_row: float = 0.0


def measure_fidelity(
    real: Mapping[str, pd.DataFrame],
    synthetic: Mapping[str, pd.DataFrame],
    description: Mapping[str, Any],
    seed: int = 0,
) -> Fidelity:
    """Compare tables in common bins; a second sample of the real rows is the scale.

    Two tables of real rows are drawn with repetition: one as large as the real table, one as large
    as the synthetic table. Their distance is the error due to the sizes of the tables alone, and no
    synthetic table can be expected to have a smaller one. Tables without rows, or without columns
    to compare, are left out.

    Args:
        real: The real tables by name.
        synthetic: Their synthetic counterparts.
        description: SDV metadata as a dictionary.
        seed: Seed of the rows and pairs that are drawn.
    """
    rng = np.random.default_rng(seed)
    columns, pairs, impossible, resampled, one_row = [], [], {}, [], 0.0
    for name, described in description['tables'].items():
        coded = code_tables(real[name], synthetic[name], described['columns'])
        if not (coded and len(coded[0].real) and len(coded[0].synthetic)):
            continue
        coded = _take_rows(coded, rng)
        one_row = max(one_row, 1 / len(coded[0].synthetic))
        chosen = _choose_pairs(len(coded), rng)
        worlds = _draw_worlds(coded[0], rng)
        singles = [(at,) for at in range(len(coded))]
        columns.append(_tabulate(name, coded, singles, worlds))
        columns[-1][LOST] = list(map(_find_lost, coded))
        pairs.append(_tabulate(name, coded, chosen, worlds))
        impossible[name] = find_impossible(coded, chosen, rng)
        resampled.append((columns[-1].attrs['means'], pairs[-1].attrs['means']))
    told = [_join(columns, COLUMNS + LOST), _join(pairs, PAIRS)]
    return Fidelity(
        scores=_score(told, resampled, impossible),
        columns=told[0],
        pairs=told[1],
        impossible=impossible,
        one_row=one_row,
    )


def _take_rows(coded: list[Coded], rng: np.random.Generator) -> list[Coded]:
    for side in ('real', 'synthetic'):
        size = len(getattr(coded[0], side))
        if size > MOST_ROWS:
            rows = rng.choice(size, MOST_ROWS, replace=False)
            coded = [each._replace(**{side: getattr(each, side)[rows]}) for each in coded]
    return coded


def _choose_pairs(num_columns: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    every = num_columns * (num_columns - 1) // 2
    if every <= MOST_PAIRS:
        return list(combinations(range(num_columns), 2))
    found: set[tuple[int, ...]] = set()
    while len(found) < MOST_PAIRS:
        first, second = rng.choice(num_columns, 2, replace=False)
        found.add((min(first, second), max(first, second)))
    return sorted(found)


def _draw_worlds(column: Coded, rng: np.random.Generator) -> list[World]:
    sizes = len(column.real), len(column.synthetic)
    return [
        (rng.integers(sizes[0], size=sizes[0]), rng.integers(sizes[0], size=sizes[1]))
        for _ in range(RESAMPLES)
    ]


def _tabulate(
    table: str, coded: Sequence[Coded], groups: Sequence[tuple[int, ...]], worlds: list[World]
) -> pd.DataFrame:
    """Return the errors of groups of columns; ``attrs`` has the means of resampled real rows."""
    rows, drawn = [], []
    for group in groups:
        own = [coded[at] for at in group]
        sizes, codes = [len(each.labels) for each in own], [each.real for each in own]
        real = _share(codes, sizes)
        error = _distance(real, _share([each.synthetic for each in own], sizes))
        again = [
            _distance(*(_share([each[rows] for each in codes], sizes) for rows in world))
            for world in worlds
        ]
        drawn.append(again)
        # Chance: values of a column are spread evenly, and two columns are independent.
        alone = len(group) == 1
        unknowing = own[0].even if alone else np.outer(real.sum(axis=1), real.sum(axis=0))
        names, mean = [each.name for each in own], float(np.mean(again))
        rows.append([table, *names, error, mean, _distance(real, unknowing)])
    told = pd.DataFrame(rows, columns=PAIRS if not groups or len(groups[0]) > 1 else COLUMNS)
    told.attrs['means'] = np.mean(drawn, axis=0) if drawn else np.zeros(RESAMPLES)
    return told


def _find_lost(column: Coded) -> list[float]:
    """Return the figures of a column that :data:`LOST` names, in that order."""
    size = len(column.labels)
    real, synthetic = (_share([codes], [size]) for codes in (column.real, column.synthetic))
    named = np.arange(size) != MISSING
    told = named & (np.arange(size) >= (len(NO_LEVELS) if column.exact else 0))
    lost = real[told & (synthetic == 0)].sum()
    new = synthetic[UNSEEN] if column.exact else 0.0
    values = [np.count_nonzero(each[named]) for each in (real, synthetic)]
    return [float(each) for each in (lost, new, real[MISSING], synthetic[MISSING], *values)]


def _share(codes: Sequence[Wholes], sizes: Sequence[int]) -> Floats:
    joint = np.ravel_multi_index(tuple(codes), tuple(sizes))
    counts = np.bincount(joint, minlength=int(np.prod(sizes))).reshape(sizes)
    return np.asarray(counts / max(len(codes[0]), 1))


def _distance(first: Floats, second: Floats) -> float:
    return float(np.abs(first - second).sum() / 2)


def _join(parts: list[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    filled = [each for each in parts if len(each)]
    for each in filled:
        each.attrs.clear()
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame(columns=columns)


def _score(
    told: list[pd.DataFrame],
    resampled: list[tuple[Floats, Floats]],
    impossible: Mapping[str, Impossible],
) -> pd.DataFrame:
    rows = {}
    for at, (name, table) in enumerate(zip((ONE, TWO), told, strict=True)):
        if table.empty:
            continue
        # Each resampled table is weighted by its number of columns or pairs.
        weights = table['Table'].value_counts(sort=False).reindex(list(impossible), fill_value=0)
        worlds = np.average([each[at] for each in resampled], axis=0, weights=weights)
        rows[name] = {
            'synthetic': float(table['Error'].mean()),
            'real': float(worlds.mean()),
            'spread': float(worlds.std(ddof=1)),
            'chance': float(table['Chance'].mean()),
        }
    counted = [each for each in impossible.values() if each.num_pairs]
    if counted:
        rows[NEVER] = {
            role: float(np.mean([getattr(each, role) for each in counted]))
            for role in ('synthetic', 'real', 'spread', 'chance')
        }
    return pd.DataFrame.from_dict(
        rows, orient='index', columns=['synthetic', 'real', 'spread', 'chance']
    )
