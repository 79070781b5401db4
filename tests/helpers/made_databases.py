"""Made databases of every shape, and their neighbours."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from chance import draw_from
from unpaired import Unpaired

from sdv_threea.domain import Category, Domain, Number
from sdv_threea.relational.databases import release_database
from sdv_threea.rows.chunks import Groups, Rows, hold
from sdv_threea.rows.units.membership import PLACES, Database, find_units
from sdv_threea.schema import Link, Schema
from sdv_threea.settings import Settings


def seeded_noise(seed):
    return draw_from(np.random.default_rng(seed))


def link(child, parent, column=None, **facts):
    return Link(child, (column or f'{parent}_id',), parent, **facts)


#: A schema of each kind; 'a' holds the units.
SCHEMAS = {
    'single': Schema(('a',)),
    'two_level': Schema(('a', 'b'), (link('b', 'a', required=True),)),
    'chain': Schema(
        ('a', 'b', 'c'), (link('b', 'a', required=True), link('c', 'b', required=True))
    ),
    'diamond': Schema(
        ('a', 'b', 'c', 'd'),
        (link('b', 'a'), link('c', 'a'), link('d', 'b', required=True), link('d', 'c')),
    ),
    'one_to_one': Schema(
        ('a', 'b', 'c'), (link('b', 'a', required=True, unique=True), link('c', 'b'))
    ),
    'orphans': Schema(('a', 'b', 'c'), (link('b', 'a'), link('c', 'b'))),
    'two_keys': Schema(('a', 'b'), (link('b', 'a', 'sender'), link('b', 'a', 'receiver'))),
    'optional_first': Schema(
        ('a', 'b'), (link('b', 'a', 'payer'), link('b', 'a', 'holder', required=True))
    ),
    'loose': Schema(
        ('a', 'b', 'x', 'y', 'z'),
        (
            link('b', 'a', required=True),
            link('b', 'x'),
            link('y', 'x', required=True),
            link('y', 'z'),
            link('b', 'y', required=True),
        ),
        unit='a',
    ),
    'public': Schema(
        ('p', 'a', 'b'),
        (link('a', 'p'), link('b', 'a', required=True), link('b', 'p', required=True)),
        public=frozenset({'p'}),
    ),
    'star': Schema(('a', *'bcd'), tuple(link(child, 'a', required=True) for child in 'bcd')),
}

OPEN = (Number(name='amount'), Category(name='kind'))
KNOWN = (
    Number(name='amount', low=0, high=20, step=1.0, nullable=True),
    Category(name='kind', values=('u', 'v', 'w'), nullable=True),
)


@dataclass
class Made:
    """A database with its schema and what is public of its columns."""

    schema: Schema
    database: Database
    columns: tuple = KNOWN
    target: str | None = None
    children: dict = field(default_factory=dict)
    num_groups: int = 1

    @property
    def domains(self):
        return {table: Domain(self.columns, self.target) for table in self.schema.private}

    def release(self, epsilon=5.0, noise=None, seed=3, *, pairs=False, **settings):
        chosen = (Settings if pairs else Unpaired)(epsilon=epsilon, delta=1e-5, **settings)
        return release_database(
            divide(self.schema, self.database, self.num_groups),
            self.schema,
            {name: self.database.num_rows[name] for name in self.schema.public},
            self.domains,
            dict.fromkeys(self.schema.private, chosen),
            children=self.children,
            noise=noise or seeded_noise(seed),
            rng=np.random.default_rng(seed),
        )


def divide(schema, database, count):
    """Deal the units out to groups; a reference to another group says where its row lies there."""
    if count == 1:
        return hold(database)
    units = find_units(schema, database.num_rows, database.parents)
    homes = {table: np.random.default_rng(0).permutation(10**4)[each % 10**4] % count
             for table, each in units.items()}  # fmt: skip
    places = {table: np.zeros(len(each), dtype=int) for table, each in units.items()}
    for table, home in homes.items():
        for group in range(count):
            places[table][home == group] = np.arange((home == group).sum())
    groups = Groups(count, in_file=True)
    for group in range(count):
        here = {table: np.flatnonzero(home == group) for table, home in homes.items()}
        parents = {}
        for each, referred in database.parents.items():
            if each.child not in here:
                continue
            parents[each] = found = referred[here[each.child]].copy()
            if each.parent in homes:
                led, there = found >= 0, np.maximum(found, 0)
                home, row = homes[each.parent][there], places[each.parent][there]
                away = -2 - (home + 1) * PLACES - row
                found[led] = np.where(home == group, row, away)[led]
        tables = {
            table: database.tables[table].iloc[rows].reset_index(drop=True)
            for table, rows in here.items()
        }
        sizes = {**database.num_rows, **{table: len(rows) for table, rows in here.items()}}
        groups.add(group, Database(tables, parents, sizes, here))
    return Rows(groups)


def fill(num_rows, rng):
    kind = rng.choice(['u', 'v', None], num_rows, p=[0.6, 0.3, 0.1])
    amount = np.clip(np.round(rng.normal(6 + 5 * (kind == 'u'), 3)), 0, 20)
    amount[rng.random(num_rows) < 0.1] = np.nan
    return pd.DataFrame({'amount': amount, 'kind': pd.Series(kind, dtype=object)})


def refer(edge, num_rows, num_parents, rng):
    """Draw which row refers to which: to some parents many rows refer, to some none."""
    if edge.unique:
        return rng.permutation(num_parents)[:num_rows]
    referred = rng.choice(num_parents, num_rows, p=rng.dirichlet(np.full(num_parents, 2.0)))
    return referred if edge.required else np.where(rng.random(num_rows) < 0.15, -1, referred)


def share_unit(edge, first, parents, num_parents, rng):
    """Choose second references, most of them to a row that belongs to the same row as the first."""
    above = {edge.child: np.arange(num_parents)}
    for each, referred in parents.items():
        above.setdefault(each.child, referred)
    ours = np.append(above[first.parent], -2)[parents[first]]
    theirs = above[edge.parent]
    found = parents[edge].copy()
    for row in np.flatnonzero(rng.random(len(found)) < 0.7):
        same = np.flatnonzero(theirs == ours[row])
        if ours[row] >= 0 and len(same):
            found[row] = rng.choice(same)
    return found


def make_database(name, num_units=60, seed=0, columns=KNOWN, **fields):
    """Make a database of a schema of :data:`SCHEMAS`: children have more rows than parents."""
    rng, schema = np.random.default_rng(seed), SCHEMAS[name]
    num_rows, parents = {}, {}
    for table in schema.order:
        links = schema.links_of(table)
        above = max((num_rows[each.parent] for each in links), default=0)
        num_rows[table] = 5 if table in schema.public else int(1.7 * above) or num_units
        if any(each.unique for each in links):
            num_rows[table] = max(int(0.8 * above), 1)
        for each in links:
            parents[each] = refer(each, num_rows[table], num_rows[each.parent], rng)
    if name == 'diamond':
        by_b, by_c = schema.links_of('d')
        parents[by_c] = share_unit(by_c, by_b, parents, num_rows['c'], rng)
    tables = {table: fill(num_rows[table], rng) for table in schema.private}
    return Made(schema, Database(tables, parents, num_rows), columns, **fields)


def reach(made, table, row):
    """Find every row that belongs to a row: by the first of its keys that is not missing."""
    schema, parents = made.schema, made.database.parents
    gone = {each: np.zeros(rows, dtype=bool) for each, rows in made.database.num_rows.items()}
    gone[table][row] = True
    for child in schema.private:
        free = ~gone[child]
        for each in schema.unit_links[child]:
            referred = parents[each]
            gone[child] |= free & np.append(gone[each.parent], False)[referred]
            free &= referred < 0
    return gone


def remove_unit(made, table, row):
    """Remove a row and all rows that belong to it; others that refer to it lead nowhere."""
    schema, database = made.schema, made.database
    kept = {each: ~gone for each, gone in reach(made, table, row).items()}
    places = {each: np.append(np.cumsum(rows) - 1, -1) for each, rows in kept.items()}
    parents = {}
    for each, referred in database.parents.items():
        moved = np.where(referred >= 0, places[each.parent][referred], referred)
        lost = (referred >= 0) & np.append(~kept[each.parent], False)[referred]
        parents[each] = np.where(lost, -2 - referred, moved)[kept[each.child]]
    tables = {
        each: rows[kept[each]].reset_index(drop=True) for each, rows in database.tables.items()
    }
    num_rows = {each: int(rows.sum()) for each, rows in kept.items()}
    return replace(made, schema=schema, database=Database(tables, parents, num_rows))


def add_children(made, edge, row, num_rows, amount=20.0, kind='u'):
    """Give one row this many more children, all alike."""
    database = made.database
    more = pd.DataFrame({'amount': [amount] * num_rows, 'kind': [kind] * num_rows})
    tables = {
        **database.tables,
        edge.child: pd.concat([database.tables[edge.child], more], ignore_index=True),
    }
    parents = dict(database.parents)
    for each in made.schema.links_of(edge.child):
        new = row if each == edge else 0 if each.parent not in made.schema.reached else -1
        parents[each] = np.append(parents[each], np.full(num_rows, new))
    rows = {**database.num_rows, edge.child: len(tables[edge.child])}
    return replace(made, database=Database(tables, parents, rows))
