"""Hostile records: half of their cells are extreme, or all; some have the rarest of all values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

#: So many records of a crowd have the values of ordinary ones, the rarest of all columns first: all
#: that a fit has found is to be found in the crowd.
COMPLETE = 24

#: Cells that are extreme, by what metadata says of them: of columns of which nothing is stated.
EXTREMES: dict[str, list[Any]] = {
    'numerical': [1e300, -1e300, 1e200, 5e-324, -0.0, 0.1 + 0.2, 2.0**53 + 2, 1e15 + 0.3, np.nan],
    'categorical': ['', 'a\0', 'a\0b', 'nan', 'z' * 80, 'é', 'e\u0301', '1', '1.0', True, 1, None],
    'boolean': [True, False, None],
    'datetime': ['1678-01-01', '2261-12-31', '1970-01-01', '2000-02-29', None],
}


class Pool(NamedTuple):
    """The cells that some columns, which have to fit together, may have: ordinary, and extreme."""

    columns: list[str]
    ordinary: list[tuple[Any, ...]]
    extreme: list[tuple[Any, ...]]


def list_pool(
    columns: Mapping[str, Mapping[str, Any]],
    rows: pd.DataFrame,
    kinds: Iterable[tuple[Any, ...]] = (),
) -> Pool:
    """List the cells that some columns may have."""
    names, extreme = list(columns), list(kinds)
    counts = rows[names].value_counts(dropna=False)
    # From the commonest to the rarest.
    ordinary = [each if isinstance(each, tuple) else (each,) for each in counts.index.tolist()]
    ((_, about), *others) = columns.items()
    if not others and set(about) <= {'sdtype', 'datetime_format'}:
        found = EXTREMES[about['sdtype']]
        if about['sdtype'] == 'datetime':
            form = about['datetime_format']
            found = [each and np.datetime64(each, 's').item().strftime(form) for each in found]
        extreme += [(each,) for each in found]
    return Pool(names, ordinary, extreme or ordinary)


def gather(pools: Sequence[Pool], rows: pd.DataFrame, size: int, seed: int = 0) -> pd.DataFrame:
    """Gather hostile records: all values, the rarest together; then ever more extreme cells."""
    rng = np.random.default_rng(seed)
    hostility = rng.permutation(np.linspace(0, 1.5, size))  # the chance that a cell is extreme
    columns: dict[str, list[Any]] = {}
    for pool in pools:
        extreme = rng.random(size) < hostility
        drawn = [_pick(pool.extreme if own else pool.ordinary, rng) for own in extreme]
        drawn[:COMPLETE] = [each for each, _ in zip(cycle(pool.ordinary[::-1]), drawn[:COMPLETE])]
        columns |= {name: [each[at] for each in drawn] for at, name in enumerate(pool.columns)}
    return pd.DataFrame({name: pd.Series(columns[name], dtype=rows[name].dtype) for name in rows})


def _pick(cells: list[tuple[Any, ...]], rng: np.random.Generator) -> tuple[Any, ...]:
    return cells[rng.integers(len(cells))]
