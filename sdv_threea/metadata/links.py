"""Rules of sampled tables that refer to each other, which may be worth stating."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, combinations, product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.metadata.consequences import LEAST_CORRELATION, MEAN_APART, Found

#: The constraints of this package that state a rule between tables.
AFTER, SAME, TOTAL, ONE, RANKS = 'After', 'SameAs', 'TotalOf', 'ExactlyOne', 'Ranks'

#: Columns of categories with more values than this are not searched for a value that occurs once
#: per parent.
MOST_KINDS = 20


class _Pair(NamedTuple):
    """Rows of a child that refer to a parent row, and these parent rows.

    Args:
        names: The child and the parent.
        rows: Both tables, shape (n, m) and (n, k).
        places: The position of the parent's row, shape (n,).
        above: The parent.
        columns: The metadata of all columns of both tables except keys.
        key: The arguments that name the foreign key, if several lead to the parent.
    """

    names: tuple[str, str]
    rows: tuple[pd.DataFrame, pd.DataFrame]
    places: NDArray[np.int64]
    above: pd.DataFrame
    columns: tuple[Mapping[str, Any], Mapping[str, Any]]
    key: dict[str, Any]

    def list_names(self, side: int, *sdtypes: str) -> list[str]:
        """List the columns of the child (0) or the parent (1) that have one of some sdtypes."""
        return [name for name, each in self.columns[side].items() if each['sdtype'] in sdtypes]

    def read(self, side: int, name: str) -> NDArray[np.float64]:
        """Read numbers or dates of the rows."""
        numbers = as_numbers(self.rows[side][name], self.columns[side][name])
        return np.asarray(numbers, dtype=np.float64)

    def tell(self, parameters: dict[str, Any], columns: list[str], shares: Any) -> Found:
        """Return a rule with the foreign key, if it needs one."""
        return Found({**parameters, **self.key}, columns, *map(float, shares))


def find_between(
    tables: Mapping[str, pd.DataFrame], metadata: Mapping[str, Any]
) -> Iterator[tuple[str, str, Found]]:
    """Yield candidates for rules between tables, even if few rows obey: table, constraint, rule.

    ``metadata`` is SDV's metadata of all tables, as SDV writes it to JSON.
    """
    for link in metadata.get('relationships', ()):
        pair = _join(tables, metadata, link)
        if not len(pair.places):
            continue
        found = chain(
            ((AFTER, each) for each in _find_orders(pair)),
            ((SAME, each) for each in _find_equal(pair)),
            ((TOTAL, each) for each in _find_totals(pair)),
            ((ONE, each) for each in _find_single(pair)),
            ((RANKS, each) for each in _find_ranks(pair)),
        )
        for constraint, rule in found:
            yield rule.columns[0].split('.')[0], constraint, rule


def _join(
    tables: Mapping[str, pd.DataFrame], metadata: Mapping[str, Any], link: Mapping[str, Any]
) -> _Pair:
    names = link['child_table_name'], link['parent_table_name']
    child, parent = (tables[each] for each in names)
    keys = [link['child_foreign_key'], link['parent_primary_key']]
    own, other = ([each] if isinstance(each, str) else list(each) for each in keys)
    known = pd.MultiIndex.from_frame(parent[other].astype(object))
    places = known.get_indexer(pd.MultiIndex.from_frame(child[own].astype(object)))
    here = (places >= 0) & child[own].notna().all(axis=1).to_numpy()
    alike = [
        each
        for each in metadata['relationships']
        if (each['child_table_name'], each['parent_table_name']) == names
    ]
    columns = (
        {
            name: each
            for name, each in metadata['tables'][table]['columns'].items()
            if each['sdtype'] != 'id' and name not in (own, other)[side]
        }
        for side, table in enumerate(names)
    )
    places = places[here]
    rows = child[here].reset_index(drop=True), parent.iloc[places].reset_index(drop=True)
    key = {'foreign_key': keys[0]} if len(alike) > 1 else {}
    return _Pair(names, rows, places, parent, (next(columns), next(columns)), key)


def _find_orders(pair: _Pair) -> Iterator[Found]:
    """Yield the pairs of dates, in the order in which they ascend."""
    for own, other in product(pair.list_names(0, 'datetime'), pair.list_names(1, 'datetime')):
        late, early = pd.Series(pair.read(0, own)), pd.Series(pair.read(1, other))
        names = [f'{pair.names[0]}.{own}', f'{pair.names[1]}.{other}']
        for columns, dates in ((names, (early, late)), (names[::-1], (late, early))):
            parameters = {'column_name': columns[0], 'other_column_name': columns[1]}
            yield pair.tell(parameters, columns, is_below(*dates))


def _find_equal(pair: _Pair) -> Iterator[Found]:
    """Yield the pairs of columns of one sdtype."""
    for sdtype in ('categorical', 'numerical', 'datetime'):
        for own, other in product(pair.list_names(0, sdtype), pair.list_names(1, sdtype)):
            if sdtype == 'categorical':
                one, two = pair.rows[0][own].astype(object), pair.rows[1][other].astype(object)
            else:
                one, two = pd.Series(pair.read(0, own)), pd.Series(pair.read(1, other))
            both = (one.notna() & two.notna()).to_numpy(dtype=np.bool_)
            if not both.any():
                continue
            shares = [each[both].value_counts(normalize=True) for each in (one, two)]
            by_chance = float((shares[0] * shares[1]).sum())
            columns = [f'{pair.names[0]}.{own}', f'{pair.names[1]}.{other}']
            parameters = {'column_name': columns[0], 'other_column_name': columns[1]}
            equal = np.asarray(one[both].to_numpy() == two[both].to_numpy(), dtype=np.float64)
            yield pair.tell(parameters, columns, (equal.mean(), by_chance))


def _find_totals(pair: _Pair) -> Iterator[Found]:
    """Yield numbers of the parent that are close to sums over its children, in mean and by row."""
    cells = pair.rows[0][pair.list_names(0, 'numerical', 'categorical')].select_dtypes('number')
    numbers = {name: cells[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in cells}
    parts = {_spell(pair.names[0], [name]): own for name, own in numbers.items()}
    for one, other in combinations(numbers, 2):
        parts[_spell(pair.names[0], [one, other])] = numbers[one] * numbers[other]
    for total in pair.list_names(1, 'numerical'):
        own = as_numbers(pair.above[total], pair.columns[1][total]).to_numpy()
        for formula, part in parts.items():
            sums = np.bincount(pair.places, weights=np.nan_to_num(part), minlength=len(own))
            known = np.isfinite(own)
            apart = abs(sums[known].mean() - own[known].mean()) if known.any() else np.inf
            if not apart <= MEAN_APART * abs(own[known].mean()) or not own[known].std():
                continue
            if pd.Series(own).corr(pd.Series(sums)) >= LEAST_CORRELATION:
                reach = own[known].std() / 2
                obey = (np.abs(own - sums)[known] <= reach).mean()
                mixed = np.roll(np.sort(sums[known]), known.sum() // 2)
                by_chance = (np.abs(np.sort(own[known]) - mixed) <= reach).mean()
                name = f'{pair.names[1]}.{total}'
                parameters = {'column_name': name, 'formula': formula}
                yield pair.tell(parameters, [name, pair.names[0]], (obey, by_chance))


def _find_single(pair: _Pair) -> Iterator[Found]:
    """Yield categories, with the share of parents of which exactly one child has it."""
    mixed = _mix(len(pair.places))
    for name in pair.list_names(0, 'categorical', 'boolean'):
        kinds, values = pd.factorize(pair.rows[0][name])
        if len(values) > MOST_KINDS:
            continue
        for kind, value in enumerate(values):
            shares = [
                (np.bincount(pair.places, weights=has)[np.unique(pair.places)] == 1).mean()
                for has in (kinds == kind, (kinds == kind)[mixed])
            ]
            own = f'{pair.names[0]}.{name}'
            plain = value.item() if isinstance(value, np.generic) else value
            parameters = {'column_name': own, 'value': plain, 'parent_table_name': pair.names[1]}
            yield pair.tell(parameters, [own, pair.names[1]], shares)


def _find_ranks(pair: _Pair) -> Iterator[Found]:
    """Yield numbers, with the share of rows whose number is their rank among siblings."""
    mixed = _mix(len(pair.places))
    for name in pair.list_names(0, 'numerical'):
        numbers = pair.read(0, name)
        shares = []
        for own in (numbers, numbers[mixed]):
            order = np.lexsort((own, pair.places))
            sorted_places = pair.places[order]
            first = np.searchsorted(sorted_places, sorted_places)
            shares.append((own[order] == np.arange(len(own)) - first + 1).mean())
        column = f'{pair.names[0]}.{name}'
        parameters = {'column_name': column, 'parent_table_name': pair.names[1]}
        yield pair.tell(parameters, [column, pair.names[1]], shares)


def is_below(low: pd.Series, high: pd.Series) -> tuple[float, float]:
    """Return the share of rows in which one number is at most another, and that share by chance."""
    both = low.notna() & high.notna()
    a, b = low[both].to_numpy(), high[both].to_numpy()
    if not len(a):
        return 0.0, 0.0
    by_chance = np.searchsorted(np.sort(a), b, side='right').mean() / len(a)
    return float((a <= b).mean()), float(by_chance)


def as_numbers(column: pd.Series, facts: Mapping[str, Any]) -> pd.Series:
    """Return the cells of a column as floats, dates as counts; NaN where missing."""
    if facts['sdtype'] == 'numerical':
        return pd.to_numeric(column, errors='coerce').astype('float64')
    dates = pd.to_datetime(column, format=facts.get('datetime_format'), errors='coerce')
    # Units of dates differ between columns.
    dates = dates.astype('datetime64[us, UTC]' if dates.dt.tz is not None else 'datetime64[us]')
    return dates.astype('int64').where(dates.notna()).astype('float64')


def _mix(num: int) -> NDArray[np.int64]:
    """Return an order of rows that keeps no rows together; it is not random."""
    return np.argsort(np.arange(num) * 0.5 * (5**0.5 - 1) % 1.0)


def _spell(table: str, names: list[str]) -> str:
    """Return the product of columns as a formula."""
    texts = [f'{table}.{name}' for name in names]
    plain = [all(part.isidentifier() for part in (table, name)) for name in names]
    quoted = [each if fine else f'`{each}`' for each, fine in zip(texts, plain, strict=True)]
    return ' * '.join(quoted)
