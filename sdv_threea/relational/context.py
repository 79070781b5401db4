"""The context of the rows of a table: columns of the rows above them and beside them.

A row depends on all columns of its owner that vary. Columns of the owner's own context, so of rows
further up, are *passed on* as far as their price allows, and so are columns of one row *beside* it:
of each table that was released before and has the same owner. All of this reads released numbers
alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sdv_threea.relational.layout import Level, add_name, context_transformers
from sdv_threea.relational.model import TableRelease
from sdv_threea.schema import Link, Schema

#: A table that another table refers to, directly or not, and one of its columns.
Source = tuple[str, str]


def list_sources(
    schema: Schema, table: str, tables: Mapping[str, TableRelease], passed: tuple[Source, ...]
) -> tuple[Source, ...]:
    """Return the source of each column of a context: all of the owner's own, then the passed."""
    owner = schema.owners[table]
    if owner is None:
        return ()
    parent = tables[owner.parent]
    own = context_transformers(parent.released.transformers, parent.layout)
    return (*((owner.parent, each.name) for each in own), *passed)


def list_passable(
    schema: Schema, table: str, tables: Mapping[str, TableRelease]
) -> tuple[Source, ...]:
    """Return the columns that the owner of a table may pass on: those of its own context."""
    owner = schema.owners[table]
    if owner is None:
        return ()
    return list_sources(schema, owner.parent, tables, tables[owner.parent].layout.passed)


def list_beside(
    schema: Schema, table: str, tables: Mapping[str, TableRelease]
) -> tuple[Source, ...]:
    """Return the columns of the other released tables with the same owner."""
    owner = schema.owners[table]
    links = () if owner is None else schema.owned_by(owner.parent)
    found = {link.child: tables[link.child] for link in links if link.child in tables}
    return tuple(
        (name, column.name)
        for name, each in found.items()
        if name != table
        for column in context_transformers(each.released.transformers, each.layout)
    )


def list_counts(
    schema: Schema, table: str, tables: Mapping[str, TableRelease]
) -> tuple[Source, ...]:
    """Return the numbers of rows that lead to a table: of its owner, of the owner of that, ..."""
    counts, owner = list[Source](), schema.owners[table]
    while owner is not None:
        counts.append((owner.parent, tables[owner.parent].layout.counts[owner]))
        owner = schema.owners[owner.parent]
    return tuple(counts)


def list_levels(
    schema: Schema,
    table: str,
    tables: Mapping[str, TableRelease],
    passed: tuple[Source, ...],
    taken: Iterable[str],
) -> tuple[Level, ...]:
    """Return the columns of a context by the table that they come from, the owner's first.

    Their names are unlike those of the table's own columns, which are ``taken``.
    """
    levels, used, owner, before = list[Level](), set(taken), schema.owners[table], ''
    sources = list_sources(schema, table, tables, passed)

    def add_level(link: Link, kind: str, *, beside: bool = False) -> None:
        source = link.child if beside else link.parent
        wanted = {column for each, column in sources if each == source}
        own = tables[source].released.transformers if wanted else ()
        chosen = tuple(each for each in own if each.name in wanted)
        names = tuple(add_name(f'{kind}{each.name}', used) for each in chosen)
        if names or not beside:
            levels.append(Level(link, chosen, names, beside))

    while owner is not None:
        before += 'owner: '
        add_level(owner, before)
        for link in schema.owned_by(owner.parent):
            if link != owner:
                add_level(link, f'{before}{link.child}: ', beside=True)
        owner = schema.owners[owner.parent]
    return tuple(levels)


def find_levels(
    schema: Schema, table: str, tables: Mapping[str, TableRelease]
) -> tuple[Level, ...]:
    """Return the columns of the context of a table that is released: see :func:`list_levels`."""
    released, layout = tables[table].released, tables[table].layout
    own = (each.name for each in released.transformers if each.name not in layout.context)
    return list_levels(schema, table, tables, layout.passed, own)
