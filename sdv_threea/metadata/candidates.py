"""Candidates for constraints: tests of two arrays, mostly of two sampled columns.

A test is repeated with the second array shuffled, which gives the share of rows that obey by
chance. Rules between tables are sought in sampled tables that refer to each other.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, combinations, product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.arrays import Wholes

#: A relation is suggested if at least the first share of the rows obeys it, and at most the second
#: share would by chance. Sums need only the second, because noise masks whether rows add up.
MOST_OBEY, FEWER_BY_CHANCE = 0.95, 0.85
SUMS = ('Formula', 'TotalOf')

#: The mean of a sum may differ from the sum of the parts' means by this share, and each part's mean
#: must be at least this share of it. Means are accurate at any budget, unlike single rows.
MEAN_APART = 0.05

#: The least correlation between a sum and its added parts.
LEAST_CORRELATION = 0.7

Array = NDArray[Any]


#: In columns with more categories than this, no value that occurs once per parent is sought.
MOST_KINDS = 20


class Rule(NamedTuple):
    """A relation in sampled rows, with the share of rows that obey, and that by chance."""

    constraint: str
    columns: list[str]
    parameters: dict[str, Any]
    obey: float
    by_chance: float


class Candidate(NamedTuple):
    """A constraint to be tested: ``test`` returns true for each row or group that obeys."""

    constraint: str
    columns: list[str]
    parameters: dict[str, Any]
    test: Callable[[Array, Array], Array]
    one: Array
    other: Array


def judge(candidates: Iterator[Candidate]) -> Iterator[Rule]:
    """Yield the candidates that nearly all rows obey, but not by chance."""
    for constraint, columns, parameters, test, one, other in candidates:
        known = pd.notna(one) & pd.notna(other)
        one, other = one[known], other[known]
        if not len(one):
            continue
        # A fixed shuffle that moves every row away from its neighbours.
        mixed = np.argsort(np.arange(len(one)) * 0.5 * (5**0.5 - 1) % 1.0)
        obey, by_chance = (float(np.mean(test(one, each))) for each in (other, other[mixed]))
        least = 0.0 if constraint in SUMS else MOST_OBEY
        if obey >= least and by_chance <= FEWER_BY_CHANCE:
            yield Rule(constraint, columns, parameters, obey, by_chance)


def join_ends(rules: Iterable[Rule], metadata: Mapping[str, Any]) -> list[Rule]:
    """Join two bounds of a column, by two columns of one parent, in one rule ``Within``."""
    found = list(rules)
    parents = {
        (each['child_table_name'], each['parent_table_name'])
        for each in metadata.get('relationships', ())
    }
    after = [rule for rule in found if rule.constraint == 'After']
    for low, high in product(after, after):
        (own, start), (end, other) = low.columns, high.columns
        tables = tuple(name.split('.')[0] for name in (own, start, end))
        keys = [rule.parameters.get('foreign_key') for rule in (low, high)]
        if own != other or tables[1:] != tables[-1:] * 2 or tables[:2] not in parents:
            continue
        if keys[0] == keys[1]:
            names = {'column_name': own, 'low_column_name': start, 'high_column_name': end}
            key = {'foreign_key': keys[0]} if keys[0] else {}
            obey, by_chance = min(low.obey, high.obey), max(low.by_chance, high.by_chance)
            found.append(Rule('Within', [own, start, end], {**names, **key}, obey, by_chance))
            found = [rule for rule in found if rule is not low and rule is not high]
    return found


def is_near(own: Array, added: Array) -> Array:
    """Return true for numbers within half a standard deviation of others."""
    return np.asarray(np.abs(own - added) <= own.std() / 2)


def as_numbers(column: pd.Series, facts: Mapping[str, Any]) -> pd.Series:
    """Return numbers as floats, and dates as counts of microseconds; NaN where missing."""
    if facts['sdtype'] == 'numerical':
        return pd.to_numeric(column, errors='coerce').astype('float64')
    dates = pd.to_datetime(column, format=facts.get('datetime_format'), errors='coerce')
    # Columns of dates may have different units.
    dates = dates.astype('datetime64[us, UTC]' if dates.dt.tz is not None else 'datetime64[us]')
    return dates.astype('int64').where(dates.notna()).astype('float64')


def plain(value: Any) -> Any:
    """Return a value as Python's own type, ``None`` if it is missing."""
    if pd.isna(value):
        return None
    return value.item() if isinstance(value, np.generic) else value


class _Pair(NamedTuple):
    """Rows of a child that refer to a parent row, and these parent rows.

    Args:
        rows: Both tables, shape (n, m) and (n, k).
        places: The position of the parent's row, shape (n,).
        key: The arguments that name the foreign key, if several lead to the parent.
    """

    names: tuple[str, str]
    rows: tuple[pd.DataFrame, pd.DataFrame]
    places: Wholes
    above: pd.DataFrame
    columns: tuple[Mapping[str, Any], Mapping[str, Any]]
    key: dict[str, Any]

    def list_names(self, side: int, *sdtypes: str) -> list[str]:
        """List the columns of the child (0) or the parent (1) with one of these sdtypes."""
        return [name for name, each in self.columns[side].items() if each['sdtype'] in sdtypes]

    def read(self, side: int, name: str) -> Array:
        """Read numbers and dates as floats, and other cells as objects."""
        column, facts = self.rows[side][name], self.columns[side][name]
        if facts['sdtype'] in ('numerical', 'datetime'):
            return np.asarray(as_numbers(column, facts), dtype=np.float64)
        return np.asarray(column, dtype=object)

    def compare(
        self, constraint: str, low: tuple[int, str], high: tuple[int, str], test: Any
    ) -> Candidate:
        """Return a candidate on two columns, each given by its side and name."""
        columns = [f'{self.names[side]}.{name}' for side, name in (high, low)]
        parameters = {'column_name': columns[0], 'other_column_name': columns[1], **self.key}
        return Candidate(constraint, columns, parameters, test, self.read(*low), self.read(*high))

    def group(self, constraint: str, name: str, test: Any, cells: Array, **more: Any) -> Candidate:
        """Return a candidate for a constraint on the rows that refer to the same parent row."""
        column, parent = f'{self.names[0]}.{name}', self.names[1]
        parameters = {'column_name': column, **more, 'parent_table_name': parent, **self.key}
        return Candidate(constraint, [column, parent], parameters, test, self.places, cells)


def find_between(
    tables: Mapping[str, pd.DataFrame], metadata: Mapping[str, Any]
) -> Iterator[Candidate]:
    """Yield candidates for rules between tables; ``metadata`` is SDV's, as in JSON."""
    links = metadata.get('relationships', ())
    for link in links:
        pair = _join(tables, metadata, link)
        if len(pair.places):
            yield from chain(
                _find_pairs(pair), _find_totals(pair), _find_single(pair), _find_ranks(pair)
            )
    for both in combinations(links, 2):
        if both[0]['child_table_name'] == both[1]['child_table_name']:
            yield from _find_distinct(tables, metadata, both)


def _join(
    tables: Mapping[str, pd.DataFrame], metadata: Mapping[str, Any], link: Mapping[str, Any]
) -> _Pair:
    names = link['child_table_name'], link['parent_table_name']
    child, parent = (tables[each] for each in names)
    keys = [link['child_foreign_key'], link['parent_primary_key']]
    own, other = map(_as_list, keys)
    known = pd.MultiIndex.from_frame(parent[other].astype(object))
    places = known.get_indexer(pd.MultiIndex.from_frame(child[own].astype(object)))
    here = (places >= 0) & child[own].notna().all(axis=1).to_numpy()
    alike = [
        each
        for each in metadata['relationships']
        if (each['child_table_name'], each['parent_table_name']) == names
    ]
    below, above = (
        {
            name: each
            for name, each in metadata['tables'][table]['columns'].items()
            if each['sdtype'] != 'id' and name not in key
        }
        for table, key in zip(names, (own, other), strict=True)
    )
    places = places[here]
    rows = child[here].reset_index(drop=True), parent.iloc[places].reset_index(drop=True)
    key = {'foreign_key': keys[0]} if len(alike) > 1 else {}
    return _Pair(names, rows, places, parent, (below, above), key)


def _find_pairs(pair: _Pair) -> Iterator[Candidate]:
    for sdtype in ('categorical', 'numerical', 'datetime'):
        for below, above in product(pair.list_names(0, sdtype), pair.list_names(1, sdtype)):
            own, other = (0, below), (1, above)
            if sdtype == 'datetime':
                yield pair.compare('After', own, other, np.less_equal)
                yield pair.compare('After', other, own, np.less_equal)
            yield pair.compare('SameAs', other, own, np.equal)


def _find_totals(pair: _Pair) -> Iterator[Candidate]:
    """Yield numbers of the parent that nearly equal sums over its children."""
    cells = pair.rows[0][pair.list_names(0, 'numerical', 'categorical')].select_dtypes('number')
    numbers = {name: cells[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in cells}
    parts = {_spell(pair.names[0], [name]): own for name, own in numbers.items()}
    for one, other in combinations(numbers, 2):
        parts[_spell(pair.names[0], [one, other])] = numbers[one] * numbers[other]
    for total, (formula, part) in product(pair.list_names(1, 'numerical'), parts.items()):
        whole = as_numbers(pair.above[total], pair.columns[1][total]).to_numpy()
        known = np.isfinite(whole)
        sums = np.bincount(pair.places, weights=np.nan_to_num(part), minlength=len(whole))[known]
        own = whole[known]
        if not len(own) or not own.std() or not sums.std():
            continue
        is_close = abs(sums.mean() - own.mean()) <= MEAN_APART * abs(own.mean())
        if is_close and np.corrcoef(own, sums)[0, 1] >= LEAST_CORRELATION:
            name = f'{pair.names[1]}.{total}'
            parameters = {'column_name': name, 'formula': formula, **pair.key}
            yield Candidate('TotalOf', [name, pair.names[0]], parameters, is_near, own, sums)


def _find_single(pair: _Pair) -> Iterator[Candidate]:
    for name in pair.list_names(0, 'categorical', 'boolean'):
        kinds, values = pd.factorize(pair.rows[0][name])
        for kind, value in enumerate(values if len(values) <= MOST_KINDS else ()):
            yield pair.group('ExactlyOne', name, _occurs_once, kinds == kind, value=plain(value))


def _occurs_once(places: Array, has: Array) -> Array:
    return np.asarray(np.bincount(places, weights=has)[np.unique(places)] == 1)


def _find_ranks(pair: _Pair) -> Iterator[Candidate]:
    for name in pair.list_names(0, 'numerical'):
        yield pair.group('Ranks', name, _is_rank, pair.read(0, name))


def _is_rank(places: Array, numbers: Array) -> Array:
    order = np.lexsort((numbers, places))
    sorted_places = places[order]
    first = np.searchsorted(sorted_places, sorted_places)
    return np.asarray(numbers[order] == np.arange(len(numbers)) - first + 1)


def _find_distinct(
    tables: Mapping[str, pd.DataFrame],
    metadata: Mapping[str, Any],
    links: tuple[Mapping[str, Any], Mapping[str, Any]],
) -> Iterator[Candidate]:
    """Yield two foreign keys that may never occur together twice, unless the metadata says so."""
    table = links[0]['child_table_name']
    keys = [_as_list(each['child_foreign_key']) for each in links]
    names = list(dict.fromkeys(chain.from_iterable(keys)))
    primary = metadata['tables'][table].get('primary_key')
    if primary is None or not {*_as_list(primary)} <= {*names}:
        cells = [tables[table][each].astype(object) for each in keys]
        one, other = (
            np.where(each.isna().any(axis=1), np.nan, pd.MultiIndex.from_frame(each).factorize()[0])
            for each in cells
        )
        columns = [f'{table}.{name}' for name in names]
        parameters = {'column_names': columns}
        yield Candidate('Distinct', columns, parameters, _occurs_alone, one, other)


def _occurs_alone(one: Array, other: Array) -> Array:
    _, places, counts = np.unique([one, other], axis=1, return_inverse=True, return_counts=True)
    return np.asarray(counts[places.ravel()] == 1)


def _as_list(key: str | list[str]) -> list[str]:
    return [key] if isinstance(key, str) else list(key)


def _spell(table: str, names: list[str]) -> str:
    texts = [f'{table}.{name}' for name in names]
    plain = [all(part.isidentifier() for part in (table, name)) for name in names]
    quoted = [each if fine else f'`{each}`' for each, fine in zip(texts, plain, strict=True)]
    return ' * '.join(quoted)
