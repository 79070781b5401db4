"""Rules of sampled rows beyond pairs: values that another column fixes, and sums of columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

#: A value fixes a column if, in its rows, at most MOST_VALUES make up LEAST_SHARE of the column.
#: In throw-away fits at epsilon 1, most people who are not asked have the code for that.
MOST_VALUES, LEAST_SHARE = 3, 0.9

#: The fixed values are at most this frequent in other rows.
RARE_ELSEWHERE = 0.5

#: The most parts of a sum, and the most numbers among which parts are sought.
MOST_PARTS, MOST_NUMBERS = 4, 16

#: The mean of a sum is that of its parts up to this share, and each part has at least this share of
#: it. Means are known closely at any budget, but noise masks whether single rows add up.
MEAN_APART = 0.05

#: Columns are taken for the parts of a sum if their total correlates with it at least this much.
LEAST_CORRELATION = 0.7


class Found(NamedTuple):
    """A rule of sampled rows.

    Args:
        parameters: The arguments of the constraint.
        columns: Its columns.
        obey: The share of rows that obey it.
        by_chance: The share that would if the columns were independent.
    """

    parameters: dict[str, Any]
    columns: list[str]
    obey: float
    by_chance: float


class _Fixed(NamedTuple):
    """The values that are fixed in a column, and the shares of a rule."""

    cells: list[Any]
    obey: float
    by_chance: float


def find_fixed(
    table: pd.DataFrame,
    conditions: list[str],
    others: list[str],
    least_rows: int,
) -> Iterator[Found]:
    """Yield the values of ``conditions`` that fix values of ``others``.

    A value needs ``least_rows``. If every value of a column fixes another column, it is left out:
    :func:`_find_combinations` of the module relations finds such pairs.
    """
    codes = {name: pd.factorize(table[name], use_na_sentinel=False) for name in others}
    found: list[tuple[str, Any, dict[str, _Fixed]]] = []
    for name in conditions:
        by_value: list[tuple[Any, dict[str, _Fixed]]] = []
        for value, rows in table.groupby(name, observed=True).indices.items():
            if not least_rows <= len(rows) <= len(table) - least_rows:
                continue
            here = np.zeros(len(table), dtype=np.bool_)
            here[rows] = True
            fixed = {
                other: own
                for other in others
                if other != name
                and (own := _fix(codes[other][0], codes[other][1], here)) is not None
            }
            by_value.append((value, fixed))
        always = set(others).intersection(*(fixed for _, fixed in by_value))
        for value, fixed in by_value:
            kept = {other: own for other, own in fixed.items() if other not in always}
            found.append((name, value, kept))
    yield from _leave_out_implied(found)


def _leave_out_implied(found: list[tuple[str, Any, dict[str, _Fixed]]]) -> Iterator[Found]:
    """Yield rules, those about most columns first, without rules that earlier ones imply.

    If a rule relates two columns, only rules with the same condition column may relate them again.
    """
    owners: dict[frozenset[str], str] = {}
    for name, value, fixed in sorted(found, key=lambda rule: -len(rule[2])):
        kept = {
            other: own
            for other, own in fixed.items()
            if owners.get(frozenset((name, other)), name) == name
        }
        for pair in combinations([name, *kept], 2):
            owners.setdefault(frozenset(pair), name)
        if kept:
            then = {other: own.cells for other, own in kept.items()}
            yield Found(
                {'if_column_name': name, 'if_values': [_plain(value)], 'then_values': then},
                [name, *then],
                min(own.obey for own in kept.values()),
                max(own.by_chance for own in kept.values()),
            )


def _fix(codes: NDArray[np.int64], values: Any, here: NDArray[np.bool_]) -> _Fixed | None:
    """Return the values that nearly all of some rows have and few others, and both shares."""
    inside = np.bincount(codes[here], minlength=len(values)) / here.sum()
    outside = np.bincount(codes[~here], minlength=len(values)) / (~here).sum()
    chosen = np.argsort(-inside, kind='stable')[:MOST_VALUES]
    chosen = chosen[inside[chosen] > outside[chosen]]
    passed = np.cumsum(inside[chosen])
    if not len(chosen) or passed[-1] < LEAST_SHARE:
        return None
    chosen = chosen[: int(np.argmax(passed >= LEAST_SHARE)) + 1]
    if outside[chosen].sum() > RARE_ELSEWHERE:
        return None
    found = [_plain(values[at]) for at in chosen]
    by_chance = float(np.isin(codes, chosen).mean())
    return _Fixed(found, float(passed[len(chosen) - 1]), by_chance)


def find_sums(numbers: Mapping[str, pd.Series]) -> Iterator[Found]:
    """Yield the columns that are likely sums of others: their means add up, and they vary together.

    The shares are those of rows within half a standard deviation.
    """
    table = pd.DataFrame(dict(list(numbers.items())[:MOST_NUMBERS])).dropna()
    table = (
        table.loc[:, (table > 0).any() & (table >= 0).all()] if len(table) else table.iloc[:, :0]
    )
    means = table.mean()
    for total in table:
        small = [
            name
            for name in table
            if name != total and MEAN_APART * means[total] <= means[name] < means[total]
        ]
        sums = [
            parts
            for size in range(2, MOST_PARTS + 1)
            for parts in combinations(small, size)
            if abs(means[list(parts)].sum() - means[total]) <= MEAN_APART * means[total]
        ]
        rated = [
            (float(table[list(parts)].sum(axis=1).corr(table[total])), parts) for parts in sums
        ]
        correlation, best = max(rated, default=(0.0, ()))
        if correlation >= LEAST_CORRELATION:
            yield _tell_sum(str(total), [str(part) for part in best], table)


def _tell_sum(total: str, parts: list[str], table: pd.DataFrame) -> Found:
    added, own = table[parts].sum(axis=1).to_numpy(), table[total].to_numpy()
    reach = own.std() / 2
    formula = ' + '.join(part if part.isidentifier() else f'`{part}`' for part in parts)
    obey = float((np.abs(own - added) <= reach).mean())
    low, high = (np.searchsorted(np.sort(added), own + far) for far in (-reach, reach))
    by_chance = float((high - low).mean() / len(own))
    return Found({'column_name': total, 'formula': formula}, [total, *parts], obey, by_chance)


def _plain(value: Any) -> Any:
    """Return a value as Python's own, ``None`` for a missing one."""
    if pd.isna(value):
        return None
    return value.item() if isinstance(value, np.generic) else value
