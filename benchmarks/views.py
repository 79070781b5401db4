"""The rows of a database in bins, and paired by its foreign keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sdv.metadata import Metadata

from sdv_threea.schema import Link, Schema

#: The most bins of a category, without the bins of other values and of missing ones; of a number.
MOST_VALUES, QUANTILES = 19, 10

#: The sdtypes of attributes; keys and personal information are made up.
ATTRIBUTES = ('numerical', 'categorical', 'boolean', 'ordinal', 'datetime')

#: Rows that are counted at once.
CHUNK = 10_000

Tables = Mapping[str, pd.DataFrame]


class Attribute(NamedTuple):
    """The bins of a column: by value of a category, by edges where ``values`` is None."""

    values: pd.Index | None
    edges: NDArray[np.float64]

    @property
    def size(self) -> int:
        """Number of bins; the last two are those of other and of missing values."""
        return (len(self.edges) + 1 if self.values is None else len(self.values)) + 2

    def code(self, column: pd.Series) -> NDArray[np.int64]:
        """Return the bin of each cell, shape (n,)."""
        if self.values is None:
            found = np.searchsorted(self.edges, column.to_numpy(), side='right')
        else:
            found = self.values.get_indexer(pd.Index(column.astype(object)))
            found = np.where(found < 0, self.size - 2, found)
        return np.where(column.isna(), self.size - 1, found)


class Pairing(NamedTuple):
    """Rows of two tables that belong together; ``kind`` names the relation."""

    kind: str
    left: str
    right: str
    rows: tuple[NDArray[np.int64], NDArray[np.int64]]


class View:
    """The attributes of a database in bins, and its rows paired by foreign keys.

    Args:
        tables: All tables.
        metadata: Their metadata; keys are single columns.
        unit: The table whose rows are the units.
        public: The public tables.
        like: A view whose bins are taken; by default bins are those of these tables.
    """

    def __init__(
        self,
        tables: Tables,
        metadata: Metadata,
        unit: str,
        public: Iterable[str] = (),
        like: View | None = None,
    ) -> None:
        links = tuple(_read_links(metadata))
        self.schema = Schema(tuple(metadata.tables), links, unit, frozenset(public))
        self.data = {name: _read_values(tables[name], metadata, name) for name in tables}
        self.dates = {name: _list_columns(metadata, name, ('datetime',)) for name in tables}
        self.attributes: dict[str, dict[str, Attribute]] = (
            like.attributes
            if like
            else {
                table: {name: _cut(column) for name, column in values.items()}
                for table, values in self.data.items()
            }
        )
        self.codes = {
            table: {name: own.code(self.data[table][name]) for name, own in each.items()}
            for table, each in self.attributes.items()
        }
        keys = {name: each.primary_key for name, each in metadata.tables.items()}
        self.parents = {
            link: pd.Index(tables[link.parent][keys[link.parent]]).get_indexer(
                pd.Index(tables[link.child][link.columns[0]])
            )
            for link in links
        }

    def pair(self, rng: np.random.Generator) -> list[Pairing]:
        """Pair the rows of private tables, siblings in random order."""
        found = []
        for table in self.schema.private:
            owner = self.schema.owners[table]
            for link in self.schema.links_of(table):
                if link.parent in self.schema.public:
                    found.append(_pair('public parent', link, self.parents[link]))
            if owner is None:
                continue
            owners = self.parents[owner]
            found.append(_pair('owner', owner, owners))
            siblings = _neighbours(owners, rng)
            found.append(Pairing('siblings', table, table, siblings))
            for link in self.schema.links_of(owner.parent):
                above = np.append(self.parents[link], -1)[owners]
                found.append(_pair('grandparent', Link(table, (), link.parent), above))
            for other in self.schema.owned_by(owner.parent):
                if other.child > table:
                    both = _match(owners, self.parents[other], rng)
                    found.append(Pairing('two children', table, other.child, both))
        return found

    def count(self, pairing: Pairing) -> NDArray[np.float64]:
        """Count the pairs of bins of all attributes, shape (bins of left, bins of right)."""
        sides = [self._stack(pairing.left), self._stack(pairing.right)]
        total = np.zeros([width for _, width in sides])
        for start in range(0, len(pairing.rows[0]), CHUNK):
            hot = []
            for rows, (codes, width) in zip(pairing.rows, sides, strict=True):
                own = codes[rows[start : start + CHUNK]]
                each = np.zeros((len(own), width), dtype=np.float32)
                np.put_along_axis(each, own, 1.0, axis=1)
                hot.append(each)
            total += hot[0].T @ hot[1]
        return total

    def _stack(self, table: str) -> tuple[NDArray[np.int64], int]:
        """Return the bins of all attributes with numbers of their own, (n, m), and their number."""
        sizes = [each.size for each in self.attributes[table].values()]
        starts = np.cumsum([0, *sizes])
        codes = [
            own + start for own, start in zip(self.codes[table].values(), starts, strict=False)
        ]
        shape = (len(self.data[table]), 0)
        return np.stack(codes, axis=1) if codes else np.zeros(shape, np.int64), int(starts[-1])

    def number(self, table: str) -> NDArray[np.int64]:
        """Return the number of the owner of each row, shape (n,); others have their own."""
        own = np.arange(len(self.data[table]))
        if (owner := self.schema.owners[table]) is None:
            return own
        above = self.parents[owner]
        return np.where(above >= 0, above, len(self.data[owner.parent]) + own)

    def widen(self, table: str) -> pd.DataFrame:
        """Return the rows of a table with columns of the owner and aggregates of the children."""
        parts = [_as_numbers(self, table)]
        if (owner := self.schema.owners[table]) is not None:
            above = _as_numbers(self, owner.parent).reindex(self.parents[owner])
            parts.append(above.reset_index(drop=True).add_prefix('owner: '))
        for link in self.schema.owned_by(table):
            groups = _as_numbers(self, link.child).groupby(self.parents[link])
            every = pd.concat(
                [groups.size().rename('count'), groups.mean(), groups.nunique().add_suffix(' #')],
                axis=1,
            )
            parts.append(every.reindex(range(len(parts[0]))).add_prefix(f'{link.name}: '))
        return pd.concat(parts, axis=1)


def _read_links(metadata: Metadata) -> Iterator[Link]:
    for each in metadata.relationships:
        columns = (each['child_foreign_key'],)
        yield Link(each['child_table_name'], columns, each['parent_table_name'])


def _list_columns(metadata: Metadata, table: str, sdtypes: tuple[str, ...]) -> list[str]:
    columns = metadata.tables[table].columns
    return [name for name, described in columns.items() if described['sdtype'] in sdtypes]


def _read_values(table: pd.DataFrame, metadata: Metadata, name: str) -> pd.DataFrame:
    """Return the attributes of a table: numbers and dates as floats, others as texts."""
    found = {}
    for column in _list_columns(metadata, name, ATTRIBUTES):
        described = metadata.tables[name].columns[column]
        sdtype = described['sdtype']
        own = table[column].reset_index(drop=True)
        if sdtype == 'datetime':
            dates = pd.to_datetime(own, format=described.get('datetime_format'), errors='coerce')
            own = dates.astype('datetime64[ns]').astype('int64').astype(float).where(dates.notna())
        elif sdtype == 'numerical':
            own = pd.to_numeric(own, errors='coerce').astype(float)
        else:
            own = own.map(_write_value)
        found[column] = own
    return pd.DataFrame(found, index=pd.RangeIndex(len(table)))


def _write_value(value: object) -> object:
    """Return a text for a value of a category, the same for 1 and 1.0."""
    if value is None or value != value:
        return None
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        return f'{float(value):g}'
    return str(value)


def _cut(column: pd.Series) -> Attribute:
    if column.dtype.kind == 'f':
        levels = np.arange(1, QUANTILES) / QUANTILES
        known = column.dropna()
        return Attribute(None, np.unique(known.quantile(levels)) if len(known) else np.zeros(0))
    return Attribute(pd.Index(column.value_counts().index[:MOST_VALUES]), np.zeros(0))


def _as_numbers(view: View, table: str) -> pd.DataFrame:
    """Return numbers as they are, and categories as the number of their bin."""
    return pd.DataFrame(
        {
            name: own if own.dtype.kind == 'f' else view.codes[table][name].astype(float)
            for name, own in view.data[table].items()
        },
        index=view.data[table].index,
    )


def _pair(kind: str, link: Link, rows: NDArray[np.int64]) -> Pairing:
    led = np.flatnonzero(rows >= 0)
    return Pairing(kind, link.child, link.parent, (led, rows[led]))


def _order(groups: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return rows that have a group, in the order of groups, randomly inside each."""
    order = np.lexsort((rng.random(len(groups)), groups))
    return order[groups[order] >= 0]


def _neighbours(
    groups: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of siblings: each row with the next one of its group in random order."""
    order = _order(groups, rng)
    same = groups[order[:-1]] == groups[order[1:]]
    return order[:-1][same], order[1:][same]


def _match(
    first: NDArray[np.int64], second: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of rows of two tables, the first of one group with the first of the same."""
    sides = []
    for groups in (first, second):
        order = _order(groups, rng)
        rank = pd.Series(groups[order]).groupby(groups[order]).cumcount().to_numpy()
        sides.append(pd.DataFrame({'row': order, 'group': groups[order], 'rank': rank}))
    both = sides[0].merge(sides[1], on=['group', 'rank'])
    return both['row_x'].to_numpy(), both['row_y'].to_numpy()
