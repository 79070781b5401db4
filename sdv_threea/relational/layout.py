"""The columns that are released of one table of a database.

A model of one table reads no other table, so relations to other tables become columns:

* the number of rows that a row owns, by owned table, so that it depends on the user's columns;
* the row of a public table that a row refers to, its attributes if noise does not allow a bin for
  each public row, and whether a row refers to a private one at all;
* whether a reference within the units' tables leads to a row of the same unit or of another;
* the codes of a row's owner, and of the rows above it: its *context*, so that the row depends on
  them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.arrays import Bools, Wholes
from sdv_threea.domain import TIME_STEPS, Category, Column, Domain, Number
from sdv_threea.encoding.encoders import Transformer, encode
from sdv_threea.relational.sizes import Children
from sdv_threea.rows.intake.columns import make_table
from sdv_threea.rows.units.membership import (
    NOBODY,
    Database,
    Parents,
    count_children,
    follow,
    join_parent,
)
from sdv_threea.schema import Link, Schema

#: The index that orders the rows of each owner, by table; ``None`` for the order of the table.
Orders = Mapping[str, str | None]


@dataclass(frozen=True)
class Attribute:
    """An attribute of the rows of a public table, in coarse bins: public.

    Args:
        codes: The bin of each row, from 1, shape (P,).
        ordered: Whether the order of the bins means something.
    """

    name: str
    codes: Wholes = field(compare=False)
    ordered: bool

    def describe(self, *, nullable: bool | None) -> Category:
        """Describe a column with this attribute of the row that each row refers to."""
        bins = tuple(range(1, int(self.codes.max(initial=1)) + 1))
        return Category(name=self.name, values=bins, nullable=nullable, ordered=self.ordered)

    def look_up(self, referred: Wholes) -> NDArray[np.object_]:
        """Return the bins of the rows referred to, ``None`` for no reference; shape (n,)."""
        codes = np.append(self.codes, 0)[np.maximum(referred, NOBODY)]
        return name_known(codes, codes > 0)


class Likeness(NamedTuple):
    """Which rows of a public table are alike.

    Args:
        order: The rows in an order of likeness, shape (P,).
        apart: How unlike each of them is the one before it, shape (P,).
        attributes: Attributes that tell rows apart, those that tell the most first.
    """

    order: tuple[int, ...]
    apart: tuple[float, ...]
    attributes: tuple[Attribute, ...] = ()


#: Which rows are alike, by large public table.
Alike = Mapping[str, Likeness]

#: Candidate granularities of gaps between times, in seconds: a week, a day, and so on. Times
#: themselves lie years from the start of 2000, so no time equals one of these steps.
LONG_STEPS = (604_800.0, *TIME_STEPS)

#: The values of a column ``shared``: no reference, one into the row's own unit, one elsewhere.
NONE, OWN, OTHER = range(3)

#: The value of columns of a table beside where there is no row, or it has no value.
NO_ROW = 0


@dataclass(frozen=True)
class Layout:
    """The names of the columns that are released of a table: public.

    Args:
        own: The user's columns.
        counts: By foreign key, a column with the number of rows that a row owns.
        references: By foreign key, a column with the row of a public table that a row refers to.
        attributes: By foreign key, columns with attributes of this row.
        present: By foreign key, a column that is true if a row refers to a row of another table.
        shared: By foreign key, a column that says whether a row refers to a row of its own unit, to
            one of another unit, or to none: :data:`OWN`, :data:`OTHER` or :data:`NONE`.
        context: Columns of the row's owner, then the passed ones, and the rank.
        rank: The column with the row's number among those of its owner; ``None`` without an order.
        firsts: By foreign key, a column with the first index of the rows that a row owns.
        gap: The column with the gap to the row before, in place of the index.
        passed: Table and column of each column of the context that is not the owner's own: of rows
            further up, and of rows of earlier tables that the rows above own.
    """

    own: tuple[str, ...]
    counts: Mapping[Link, str] = field(default_factory=dict)
    references: Mapping[Link, str] = field(default_factory=dict)
    attributes: Mapping[Link, tuple[Attribute, ...]] = field(default_factory=dict)
    present: Mapping[Link, str] = field(default_factory=dict)
    shared: Mapping[Link, str] = field(default_factory=dict)
    context: tuple[str, ...] = ()
    rank: str | None = None
    firsts: Mapping[Link, str] = field(default_factory=dict)
    gap: str | None = None
    passed: tuple[tuple[str, str], ...] = ()

    @property
    def distant(self) -> tuple[str, ...]:
        """The columns of the context that are passed."""
        end = len(self.context) - (self.rank is not None)
        return self.context[end - len(self.passed) : end]

    @property
    def alone(self) -> tuple[str, ...]:
        """The columns of references whose rows are described by attributes."""
        return tuple(self.references[link] for link, found in self.attributes.items() if found)


def lay_out(
    schema: Schema,
    table: str,
    own: tuple[str, ...],
    orders: Orders = MappingProxyType({}),
    alike: Alike = MappingProxyType({}),
) -> Layout:
    """Name the modelled columns of a table; the context is named once its owner is released.

    A name that is taken, by a column of the user or by another foreign key, gets an underscore. A
    root table gets no attributes: how many rows it has is not known before it is released.
    """
    owner, ways = schema.owners[table], schema.unit_links[table]
    used, index = set(own), orders.get(table)
    others = [link for link in schema.links_of(table) if link != owner]
    public = [link for link in others if link.parent in schema.public]
    shared = [link for link in others if link in ways]
    asked = {*public, *shared}
    loose = [link for link in others if link not in asked and not link.required]

    def name(kind: str, links: Iterable[Link]) -> dict[Link, str]:
        return {link: add_name(f'{kind} of {link.name}', used) for link in links}

    def name_attributes(link: Link) -> tuple[Attribute, ...]:
        known = alike[link.parent].attributes if link.parent in alike and owner else ()
        # Attributes that the row may have, too, come first.
        same = sorted(known, key=lambda each: each.name not in own)
        telling = same[: _count_telling(same)]
        return tuple(
            replace(each, name=add_name(f'{each.name} of {link.name}', used)) for each in telling
        )

    owned = schema.owned_by(table)
    return Layout(
        tuple(each for each in own if each != index),
        counts=name('number', owned),
        references=name('reference', public),
        attributes={link: name_attributes(link) for link in public},
        present=name('presence', loose),
        shared=name('unit', shared),
        firsts=name('first', (link for link in owned if orders.get(link.child))),
        gap=None if index is None else add_name(f'gap of {index}', used),
    )


def _count_telling(listed: Sequence[Attribute]) -> int:
    """Return how many attributes tell as many public rows apart as all of them do."""
    cells = [
        len(np.unique(np.stack([each.codes for each in listed[:num]]), axis=1).T)
        for num in range(1, len(listed) + 1)
    ]
    return 1 + cells.index(max(cells)) if cells else 0


def add_name(name: str, used: set[str]) -> str:
    """Return an unused name, and add it to the used ones."""
    while name in used:
        name = f'_{name}'
    used.add(name)
    return name


def own_domain(
    layout: Layout,
    domain: Domain,
    num_rows: Mapping[str, int],
    children: Mapping[Link, Children],
    indices: Mapping[Link, Column] = MappingProxyType({}),
    alike: Alike = MappingProxyType({}),
) -> Domain:
    """Describe by public facts counts, references and presences, then the user's columns.

    ``indices`` are those of the rows that a row owns. Public rows are listed in the order of
    ``alike``.

    The user's columns come last, because the last column may be taken as the target.
    """
    columns: list[Column] = []
    for link, name in layout.counts.items():
        least, most = children[link].least, children[link].most
        high = None if most is None else float(most)
        columns.append(Number(name=name, low=float(least), high=high, step=1.0, nullable=False))
    for link, name in layout.references.items():
        known = alike.get(link.parent, Likeness(tuple(range(num_rows[link.parent])), ()))
        nullable, listed = False if link.required else None, layout.attributes.get(link, ())
        column = Category(name=name, values=known.order, nullable=nullable, apart=known.apart)
        columns += [column, *(each.describe(nullable=nullable) for each in listed)]
    for name in layout.present.values():
        columns.append(Category(name=name, values=(False, True), nullable=False))
    for link, name in layout.shared.items():
        ends = (OWN, OTHER) if link.required else (NONE, OWN, OTHER)
        columns.append(Category(name=name, values=ends, nullable=False))
    for link, name in layout.firsts.items():
        columns.append(replace(indices[link], name=name, nullable=children[link].least == 0))
    columns += [_replace_index(each, layout) for each in domain.columns]
    return replace(domain, columns=tuple(columns))


def _replace_index(column: Column, layout: Layout) -> Column:
    """Return a column of the user, or in the place of the index the gap, which is not negative."""
    if layout.gap is None or column.name in layout.own or not isinstance(column, Number):
        return column
    known = Number(name=layout.gap, low=0.0)  # a row alone has none
    if find_unit(column) > 1:
        return replace(known, step=1.0)
    return replace(known, step=column.step, steps=LONG_STEPS if column.of_times else column.steps)


def find_unit(index: Number) -> float:
    """Return the unit in which gaps are counted: of dates without a time of day a day.

    Magnitudes of numerical columns are estimated; usual magnitudes are likelier.
    """
    return (index.step or 1.0) if index.of_times else 1.0


def own_columns(
    layout: Layout, database: Database, table: str, units: Mapping[str, Wholes]
) -> pd.DataFrame:
    """Return the private table with the columns of :func:`own_domain`.

    Formal guarantees:
        * a row of the result is a function of a row of the table and of the rows that it owns, of
          the public rows that it refers to, and of whether the others that it refers to belong to
          its unit
    """
    columns: dict[str, Any] = {}
    for link, name in layout.counts.items():
        columns[name] = count_children(link, units, database.parents).astype(np.float64)
    for link, name in layout.references.items():
        columns[name] = name_known(database.parents[link], database.parents[link] >= 0)
        for each in layout.attributes.get(link, ()):
            columns[each.name] = each.look_up(database.parents[link])
    for link, name in layout.present.items():
        columns[name] = (database.parents[link] != NOBODY).astype(object)
    for link, name in layout.shared.items():
        led = follow(units, link, database.parents)
        ends = np.where(led == units[table], OWN, OTHER)
        columns[name] = np.where(database.parents[link] != NOBODY, ends, NONE).astype(object)
    own = (*layout.firsts.values(), *((layout.gap,) if layout.gap else ()), *layout.own)
    columns |= {name: database.tables[table][name].array for name in own}
    return make_table(columns, pd.RangeIndex(database.num_rows[table]))


def context_transformers(
    transformers: tuple[Transformer, ...], layout: Layout
) -> tuple[Transformer, ...]:
    """Return the transformers of the columns that owned rows get as context.

    These columns vary: at least two codes can occur, that of a missing value included. Columns of
    the table's own context are passed on by :func:`~sdv_threea.relational.following.choose_passed`;
    a reference that is described by attributes is not passed on.
    """
    # The size of a column counts code 0, the missing value, even if the column has no missing ones.
    return tuple(
        transformer
        for transformer in transformers
        if transformer.name not in (*layout.context, *layout.alone)
        and transformer.size > 2 - transformer.nullable
    )


def name_context(
    transformers: tuple[Transformer, ...], taken: Iterable[str], kind: str = 'owner'
) -> tuple[str, ...]:
    """Name the columns of a context after those of another row, other than ``taken`` names."""
    used = set(taken)
    return tuple(add_name(f'{kind}: {each.name}', used) for each in transformers)


def context_domain(
    transformers: tuple[Transformer, ...],
    names: tuple[str, ...],
) -> tuple[Category, ...]:
    """Describe the columns of a context: categories of the owner's released codes."""
    return tuple(
        Category(
            name=name,
            values=tuple(range(1, transformer.size)),
            nullable=transformer.nullable,
            ordered=transformer.ordered,
            apart=getattr(transformer, 'apart', ()),
        )
        for transformer, name in zip(transformers, names, strict=True)
    )


class Level(NamedTuple):
    """The columns of one table that rows below it get as context: released.

    Args:
        link: The foreign key that leads to this table: from the rows that get the context, or from
            the table above them before; or, if it is beside them, from it to a table above them.
        names: The names that the columns have in the context.
    """

    link: Link
    transformers: tuple[Transformer, ...]
    names: tuple[str, ...]
    beside: bool = False


def describe_beside(level: Level, drawn: pd.DataFrame) -> tuple[Category, ...]:
    """Describe the columns of a table beside; ``drawn`` has drawn values of them.

    :data:`NO_ROW` is in the middle of numbers, where its score is zero. A correlation is then one
    among rows that have a row beside them.
    """
    found = []
    described = context_domain(level.transformers, level.names)
    for own, transformer in zip(described, level.transformers, strict=True):
        codes = drawn[own.name].to_numpy(np.int64)
        middle = int(np.median(codes[codes != NO_ROW])) if (codes != NO_ROW).any() else 0
        values = (*range(1, middle + 1), NO_ROW, *range(middle + 1, transformer.size))
        found.append(replace(own, values=values, nullable=False, apart=()))
    return tuple(found)


def context_columns(
    levels: Iterable[Level], rows: Mapping[str, pd.DataFrame], parents: Parents
) -> pd.DataFrame:
    """Return the context of the rows of a table: the codes of the rows above and beside them.

    The first level is that of the owners. In ``parents``, the link of a table beside the rows leads
    from each row above to a picked one. The result has objects, ``None`` (beside the rows
    :data:`NO_ROW`) for a missing value, a value without a code or no row.

    Formal guarantees:
        * a row of the result is a function of the rows above it, and of their picked rows
    """
    found, places = [], dict[str, Wholes]()
    for link, transformers, names, beside in levels:
        table, led = link.child if beside else link.parent, parents[link]
        before = places.get(link.parent if beside else link.child)
        places[table] = led if before is None else np.append(led, NOBODY)[before]
        codes = encode(rows[table], transformers)
        named = {name: name_known(codes[:, at], codes[:, at] > 0) for at, name in enumerate(names)}
        joined = join_parent(len(places[table]), places[table], pd.DataFrame(named))
        found.append(joined.where(joined.notna(), NO_ROW) if beside else joined)
    return pd.concat(found, axis=1)


def name_known(codes: NDArray[np.integer], known: Bools) -> NDArray[np.object_]:
    """Return codes as objects, ``None`` where they are not known."""
    named = codes.astype(object)
    named[~known] = None
    return named
