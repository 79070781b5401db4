"""Foreign keys: SDV's relationships as links, their values as positions of rows, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sdv.metadata import Metadata

from sdv_threea.intake.cells import INVALID_PLACE
from sdv_threea.intake.keys import find_rows
from sdv_threea.privacy.guard import guarded
from sdv_threea.relational.schema import Link, Schema

#: Tables by name.
Tables = Mapping[str, pd.DataFrame]


def read_schema(
    metadata: Metadata,
    unit: str | None,
    public: frozenset[str],
    tables: Tables | None = None,
) -> Schema:
    """Read the graph of tables off the metadata.

    Args:
        metadata: The metadata, what is not public left out of it.
        unit: The table whose rows are the units of privacy, or ``None``.
        public: The public tables.
        tables: The tables, if they are there: a foreign key that is stored in a dtype that has no
            missing value refers to some row everywhere. Nothing but dtypes is read.

    Returns:
        The schema.

    Raises:
        SchemaError: If the schema cannot be protected as asked for.
    """
    links = []
    for each in metadata.relationships:
        child = each['child_table_name']
        columns = as_columns(each['child_foreign_key'])
        key = as_columns(metadata.tables[child].primary_key)
        facts = metadata.tables[child].columns
        whole = all(
            facts[name].get('range_is_nullable') is False
            or (tables is not None and _is_never_missing(tables[child].dtypes[name]))
            for name in columns
        )
        links.append(
            Link(
                child,
                columns,
                each['parent_table_name'],
                required=whole or set(columns) <= set(key),
                unique=columns == key,
            )
        )
    return Schema(tuple(metadata.tables), tuple(links), unit, public)


def _is_never_missing(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in 'iu'


def as_columns(key: str | list[str] | None) -> tuple[str, ...]:
    """List the columns of a key, which may be one name, several or none."""
    if key is None:
        return ()
    return (key,) if isinstance(key, str) else tuple(key)


def key_columns(metadata: Metadata, link: Link) -> tuple[str, ...]:
    """List the columns of the parent that a link refers to."""
    return as_columns(metadata.tables[link.parent].primary_key)


def find_parents(
    child: pd.DataFrame, columns: tuple[str, ...], parent: pd.DataFrame, key: tuple[str, ...]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Find the rows that the rows of a child refer to.

    Args:
        child: The child.
        columns: The columns of its foreign key.
        parent: The parent.
        key: The columns of the parent's key, whose rows are distinct.

    Returns:
        Rows of the parent, -1 for none, shape (n,); and which references are broken, shape (n,): a
        reference with a missing part is none.
    """
    with guarded():
        found = find_rows(child[list(columns)], parent[list(key)])
    return np.maximum(found, -1), found == INVALID_PLACE


def link_rows(tables: Tables, schema: Schema, metadata: Metadata) -> dict[Link, NDArray[np.int64]]:
    """Find the rows that the rows of private tables refer to.

    Args:
        tables: The tables, all references valid.
        schema: The graph of tables.
        metadata: The metadata.

    Returns:
        Rows of the parent, -1 for none, by foreign key.
    """
    return {
        link: find_parents(
            tables[link.child], link.columns, tables[link.parent], key_columns(metadata, link)
        )[0]
        for link in schema.links
        if link.child in schema.private
    }


def write_references(
    child: pd.DataFrame,
    link: Link,
    referred: NDArray[np.int64],
    parent: pd.DataFrame,
    key: tuple[str, ...],
    dtypes: Mapping[str, Any],
) -> None:
    """Write the values of a foreign key into the rows of a child.

    Args:
        child: The child, changed in place.
        link: The link.
        referred: Rows of the parent, -1 for none, shape (n,).
        parent: The parent.
        key: The columns of the parent's key.
        dtypes: The dtypes that the columns of the child had, by name.
    """
    nobody = bool((referred < 0).any())
    for column, name in zip(link.columns, key, strict=True):
        values = parent[name].reset_index(drop=True)
        # A gap has no place among whole numbers: reindexing makes room for it.
        taken = values.reindex(referred) if nobody else values.iloc[referred]
        if _makes_room(dtypes.get(column)) and taken.dtype.kind in 'iu':
            taken = taken.astype(dtypes[column])
        child[column] = taken.set_axis(child.index)


def _makes_room(dtype: Any) -> bool:
    """Whether whole numbers are stored as floats, as pandas does where one may be missing."""
    return isinstance(dtype, np.dtype) and dtype.kind == 'f'
