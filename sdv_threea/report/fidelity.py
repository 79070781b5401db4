"""Errors of columns and pairs of columns, compared with those of other real rows and of chance.

Input: codes of the real and of the synthetic table, in common bins. Output: total variation
distances: the shares of rows that would have to change.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.report.codes import MISSING, NO_LEVELS, UNSEEN, Coded, code_tables
from sdv_threea.report.impossible import Impossible, find_impossible

#: How often real rows are resampled, to measure the variation of a score by chance.
RESAMPLES = 8

#: The most rows of a table, and the most pairs of columns, that are compared; drawn at random.
MOST_ROWS, MOST_PAIRS = 50_000, 2_000

COLUMNS = ['Table', 'Column', 'Error', 'Real', 'Chance']
LOST = ['Lost', 'New', 'Missing, real', 'Missing, synthetic', 'Values, real', 'Values, synthetic']
PAIRS = ['Table', 'Column 1', 'Column 2', 'Error', 'Real', 'Chance']

ONE, TWO, NEVER = 'single columns', 'pairs of columns', 'impossible rows'


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Fidelity:
    """Errors in common bins of both tables; 0 is best. Not differentially private.

    Args:
        scores: For each measure (``single columns``, ``pairs of columns``, ``impossible rows``) the
            mean error of the ``synthetic`` rows, that of resampled ``real`` rows with its standard
            deviation ``spread``, and that of ``chance``: values spread evenly over a single column,
            or otherwise independent columns.
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
    """Compare tables in common bins, and with resampled real rows.

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
        coded = _take_rows(coded, rng)
        if not (coded.names and coded.real.shape[1] and coded.synthetic.shape[1]):
            continue
        one_row = max(one_row, 1 / coded.synthetic.shape[1])
        chosen = _choose_pairs(len(coded.names), rng)
        worlds = _draw_worlds(coded, rng)
        singles = [(at,) for at in range(len(coded.names))]
        columns.append(_tabulate(name, coded, singles, worlds, _even_error))
        columns[-1][LOST] = [_find_lost(coded, at) for at in range(len(coded.names))]
        pairs.append(_tabulate(name, coded, chosen, worlds, _unrelated_error))
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


def _take_rows(coded: Coded, rng: np.random.Generator) -> Coded:
    """Return at most :data:`MOST_ROWS` rows of each table, drawn at random."""
    real, synthetic = (
        codes[:, rng.choice(codes.shape[1], MOST_ROWS, replace=False)]
        if codes.shape[1] > MOST_ROWS
        else codes
        for codes in (coded.real, coded.synthetic)
    )
    return replace(coded, real=real, synthetic=synthetic)


def _choose_pairs(num_columns: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    every = num_columns * (num_columns - 1) // 2
    if every <= MOST_PAIRS:
        return list(combinations(range(num_columns), 2))
    found: set[tuple[int, ...]] = set()
    while len(found) < MOST_PAIRS:
        first, second = rng.choice(num_columns, 2, replace=False)
        found.add((min(first, second), max(first, second)))
    return sorted(found)


World = tuple[Wholes, Wholes]


def _draw_worlds(coded: Coded, rng: np.random.Generator) -> list[World]:
    """Resample real rows into pairs of tables, as large as the two compared tables."""
    size = coded.real.shape[1]
    sizes = size, coded.synthetic.shape[1]
    return [
        (
            coded.real[:, rng.integers(size, size=sizes[0])],
            coded.real[:, rng.integers(size, size=sizes[1])],
        )
        for _ in range(RESAMPLES)
    ]


def _tabulate(
    table: str, coded: Coded, groups: Iterable[tuple[int, ...]], worlds: list[World], chance: Any
) -> pd.DataFrame:
    """Return the errors of groups of columns; ``attrs`` has the means of resampled real rows."""
    sizes = [len(each) for each in coded.labels]
    rows, drawn = [], []
    for group in groups:
        real = _share(coded.real, group, sizes)
        error = _distance(real, _share(coded.synthetic, group, sizes))
        again = [_distance(_share(a, group, sizes), _share(b, group, sizes)) for a, b in worlds]
        drawn.append(again)
        names = [coded.names[at] for at in group]
        unknowing = chance(real, coded, group)
        rows.append([table, *names, error, float(np.mean(again)), unknowing])
    told = pd.DataFrame(rows, columns=COLUMNS if chance is _even_error else PAIRS)
    told.attrs['means'] = np.mean(drawn, axis=0) if drawn else np.zeros(RESAMPLES)
    return told


def _find_lost(coded: Coded, at: int) -> list[float]:
    """Return the figures of a column that :data:`LOST` names, in that order."""
    size = [len(coded.labels[at])]
    real, synthetic = (_share(codes[[at]], (0,), size) for codes in (coded.real, coded.synthetic))
    named = np.arange(size[0]) != MISSING
    told = named & (np.arange(size[0]) >= (len(NO_LEVELS) if coded.exact[at] else 0))
    lost = real[told & (synthetic == 0)].sum()
    new = synthetic[UNSEEN] if coded.exact[at] else 0.0
    values = [np.count_nonzero(each[named]) for each in (real, synthetic)]
    return [float(each) for each in (lost, new, real[MISSING], synthetic[MISSING], *values)]


def _share(codes: Wholes, group: tuple[int, ...], sizes: list[int]) -> Floats:
    """Return the share of the rows in each bin of one column, or of two."""
    joint = codes[group[0]]
    for at in group[1:]:
        joint = joint * sizes[at] + codes[at]
    counts = np.bincount(joint, minlength=int(np.prod([sizes[at] for at in group])))
    return np.asarray(counts / max(codes.shape[1], 1))


def _distance(first: Floats, second: Floats) -> float:
    return float(np.abs(first - second).sum() / 2)


def _even_error(real: Floats, coded: Coded, group: tuple[int, ...]) -> float:
    """Return the error of a column whose values are spread evenly."""
    return _distance(real, coded.even[group[0]])


def _unrelated_error(real: Floats, coded: Coded, group: tuple[int, ...]) -> float:
    """Return the error of two independent columns with the right margins."""
    grid = real.reshape([len(coded.labels[at]) for at in group])
    return _distance(grid, np.outer(grid.sum(axis=1), grid.sum(axis=0)))


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
    """Return the mean of each measure for synthetic rows, real rows and chance."""
    rows = {}
    for at, (name, table) in enumerate(zip((ONE, TWO), told, strict=True)):
        if table.empty:
            continue
        # In each pair of resampled tables, a table is weighted by its number of columns or pairs.
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
