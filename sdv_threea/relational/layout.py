"""The columns that are released of one table of a database, and how they are filled.

A model of one table knows nothing of other tables. So what a row has to do with other tables is
written into columns of its own. In go the private tables and their foreign keys; out comes one
table with the user's columns and with these:

* the number of rows that a row owns, for each table that it owns rows of. So cardinalities depend
  on the user's columns;
* which row of a public table it refers to, and whether it refers to a private one at all;
* the codes of the row that owns it: its *context*. So a row depends on its owner.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.domain import Category, Column, Domain, Number
from sdv_threea.encoding.transformers import Transformer, encode
from sdv_threea.intake.columns import make_table
from sdv_threea.relational.sizes import Children
from sdv_threea.units.membership import Database, count_children, join_parent
from sdv_threea.units.schema import Link, Schema


@dataclass(frozen=True)
class Layout:
    """The names of the columns that are released of a table: public.

    Args:
        own: The user's columns.
        counts: Columns with the number of rows that a row owns, by foreign key.
        references: Columns with the row of a public table that a row refers to, by foreign key.
        present: Columns that tell whether a row refers to a row of another table, by foreign key.
        context: Columns of the row's owner.
    """

    own: tuple[str, ...]
    counts: Mapping[Link, str] = field(default_factory=dict)
    references: Mapping[Link, str] = field(default_factory=dict)
    present: Mapping[Link, str] = field(default_factory=dict)
    context: tuple[str, ...] = ()


def lay_out(schema: Schema, table: str, own: tuple[str, ...]) -> Layout:
    """Name the columns that are released of a table.

    Its context is left empty: which columns of the owner vary is only known once that is released.
    """
    owner = schema.owners[table]
    others = [link for link in schema.links_of(table) if link != owner]
    public = [link for link in others if link.parent in schema.public]
    loose = [link for link in others if link.parent not in schema.public and not link.required]
    return Layout(
        own,
        counts={link: f'number of {link.name}' for link in schema.owned_by(table)},
        references={link: f'reference of {link.name}' for link in public},
        present={link: f'presence of {link.name}' for link in loose},
    )


def own_domain(
    layout: Layout, domain: Domain, num_rows: Mapping[str, int], children: Mapping[Link, Children]
) -> Domain:
    """Describe all columns of a layout but the context, by what is public.

    Args:
        layout: The columns.
        domain: What is public of the user's columns.
        num_rows: Number of rows of the public tables.
        children: How many rows may refer to one row of a parent, by foreign key.

    Returns:
        The user's columns, then the counts as whole numbers, the references and the presences as
        categories.
    """
    columns: list[Column] = list(domain.columns)
    for link, name in layout.counts.items():
        least, most = children[link].least, children[link].most
        high = None if most is None else float(most)
        columns.append(Number(name=name, low=float(least), high=high, step=1.0, nullable=False))
    for link, name in layout.references.items():
        rows: tuple[Hashable, ...] = tuple(range(num_rows[link.parent]))
        columns.append(Category(name=name, values=rows, nullable=False if link.required else None))
    for name in layout.present.values():
        columns.append(Category(name=name, values=(False, True), nullable=False))
    return Domain(tuple(columns), domain.target)


def own_columns(
    layout: Layout, database: Database, table: str, units: Mapping[str, NDArray[np.int64]]
) -> pd.DataFrame:
    """Return the private table with the columns of :func:`own_domain`.

    Formal guarantees:
        * a row of the result is a function of a row of the table and of the rows that it owns

    Args:
        layout: The columns.
        database: The private rows.
        table: Name of the table.
        units: The unit of every row, by table.

    Returns:
        A row per row of the table.
    """
    columns: dict[str, Any] = {name: database.tables[table][name].array for name in layout.own}
    for link, name in layout.counts.items():
        columns[name] = count_children(link, units, database.parents).astype(np.float64)
    for link, name in layout.references.items():
        columns[name] = _name_codes(database.parents[link], database.parents[link] >= 0)
    for link, name in layout.present.items():
        columns[name] = (database.parents[link] >= 0).astype(object)
    return make_table(columns, pd.RangeIndex(database.num_rows[table]))


def context_transformers(
    transformers: tuple[Transformer, ...], layout: Layout
) -> tuple[Transformer, ...]:
    """Choose the columns of a table that the rows it owns get as their context.

    They are the columns that vary: at least two codes can occur, that of a missing value included.
    The context of the table itself is not passed on.
    """
    # Code 0, of a missing value, is counted in the size of columns that are never missing, too.
    return tuple(
        transformer
        for transformer in transformers
        if transformer.name not in layout.context and transformer.size > 2 - transformer.nullable
    )


def context_domain(transformers: tuple[Transformer, ...]) -> tuple[Category, ...]:
    """Describe the columns of a context: categories whose values are codes of the owner's columns.

    Nothing has to be asked of private rows, as the owner's table is released already.
    """
    return tuple(
        Category(
            name=context_name(transformer),
            values=tuple(range(1, transformer.size)),
            nullable=transformer.nullable,
            ordered=transformer.ordered,
        )
        for transformer in transformers
    )


def context_columns(
    transformers: tuple[Transformer, ...], rows: pd.DataFrame, referred: NDArray[np.int64]
) -> pd.DataFrame:
    """Return the context of the rows of a child: the codes of the rows that they refer to.

    Formal guarantees:
        * a row of the result is a function of the row of the parent that it refers to

    Args:
        transformers: Those of the parent's columns that are passed on.
        rows: The own columns of the parent.
        referred: The row of the parent by row of the child, -1 for none, shape (n,).

    Returns:
        A row per row of the child. Codes are objects; ``None`` stands for a missing value, for a
        value that has no code, and for no parent.
    """
    codes = encode(rows, transformers)
    named = {
        context_name(transformer): _name_codes(codes[:, at], codes[:, at] > 0)
        for at, transformer in enumerate(transformers)
    }
    return join_parent(len(referred), referred, pd.DataFrame(named, index=rows.index))


def context_name(transformer: Transformer) -> str:
    """Name a column of the context after the owner's column."""
    return f'owner: {transformer.name}'


def _name_codes(codes: NDArray[np.integer], known: NDArray[np.bool_]) -> NDArray[np.object_]:
    """Return codes as objects, ``None`` where they are not known."""
    named = codes.astype(object)
    named[~known] = None
    return named
