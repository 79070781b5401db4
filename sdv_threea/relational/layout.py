"""The columns under which the rows of a table are released, and how they are filled.

Beside the user's columns: how many rows it owns, by link, so that cardinalities depend on the other
columns; which row of a public table it refers to; and the codes of the row that owns it, its
*context*, so that it depends on them.
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
from sdv_threea.relational.schema import Link, Schema
from sdv_threea.relational.sizes import Children
from sdv_threea.relational.units import Database, count_children, join_parent


@dataclass(frozen=True)
class Layout:
    """The columns under which the rows of a table are released: public names and released facts.

    Args:
        own: The user's columns.
        counts: Columns that count the rows owned, by link.
        references: Columns that name a row of a public table, by link.
        present: Columns that tell whether another table is referred to at all, by link.
        context: Columns of the row's owner.
    """

    own: tuple[str, ...]
    counts: Mapping[Link, str] = field(default_factory=dict)
    references: Mapping[Link, str] = field(default_factory=dict)
    present: Mapping[Link, str] = field(default_factory=dict)
    context: tuple[str, ...] = ()


def lay_out(schema: Schema, table: str, own: tuple[str, ...]) -> Layout:
    """Name the columns that are released for a table, but for those of its context."""
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
    """Describe the columns of a table, its counts and references included, by what is public."""
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
    """Fill the columns of :func:`own_domain`.

    Formal guarantees:
        * a row of the result is a function of a row of the table and of the rows that it owns
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
    """Choose the columns of a table that the rows it owns get as context: those that vary."""
    return tuple(
        transformer
        for transformer in transformers
        if transformer.name not in layout.context and transformer.size > 2 - transformer.nullable
    )


def context_domain(transformers: tuple[Transformer, ...]) -> tuple[Category, ...]:
    """Describe the codes of the context: all of it is known."""
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
    """Fill the context of the rows of a child.

    Formal guarantees:
        * a row of the result is a function of the row of the parent that it refers to

    Args:
        transformers: The context.
        rows: The own columns of the parent.
        referred: The row of the parent by row of the child, -1 for none, shape (n,).

    Returns:
        Codes as objects, ``None`` for missing values and for values that are not on the list.
    """
    codes = encode(rows, transformers)
    named = {
        context_name(transformer): _name_codes(codes[:, at], codes[:, at] > 0)
        for at, transformer in enumerate(transformers)
    }
    return join_parent(len(referred), referred, pd.DataFrame(named, index=rows.index))


def context_name(transformer: Transformer) -> str:
    """Name a column of the owner beside those of the row."""
    return f'owner: {transformer.name}'


def _name_codes(codes: NDArray[np.integer], known: NDArray[np.bool_]) -> NDArray[np.object_]:
    """Turn codes into categories, ``None`` where they are not known."""
    named = codes.astype(object)
    named[~known] = None
    return named
