"""The user's statements about a whole database: privacy unit, public facts, targets."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea.relational.sizes import Children
from sdv_threea.storage.children import Bounds, read_children
from sdv_threea.storage.references import as_columns, read_schema
from sdv_threea.units.schema import Link, Schema, SchemaError


@dataclass(frozen=True)
class DatabaseTerms:
    """The user's statements about a whole database, read against its metadata.

    Args:
        metadata: The metadata, without private facts.
        privacy_unit: The table whose rows are the units of privacy, or ``None``.
        public_tables: Tables that may be published as they are.
        min_children: The fewest rows that refer to one row.
        max_children: The most rows that refer to one row.
        target: The column that models will be trained to predict, by table.
    """

    metadata: Metadata
    privacy_unit: str | None
    public_tables: Sequence[str]
    min_children: Bounds
    max_children: Bounds
    target: Mapping[str, str] | None

    @property
    def is_bounded(self) -> bool:
        """True if the number of rows that refer to one row has a stated bound."""
        return (self.min_children, self.max_children) != (None, None)

    def check(self) -> None:
        """Refuse terms that contradict the metadata.

        Raises:
            SynthesizerInputError: If tables are unknown, or the schema cannot be protected.
        """
        if self.target is not None and not isinstance(self.target, Mapping):
            raise SynthesizerInputError(
                f'target must map names of tables to columns, got {self.target!r}.'
            )
        unknown = sorted(set(self.target or ()) - set(self.metadata.tables))
        if unknown:
            raise SynthesizerInputError(
                f'target names the tables {unknown}: they are {list(self.metadata.tables)}.'
            )
        self.read_children(self.read_schema())

    def find_target(self, table: str) -> str | None:
        """Return the column of a table that models will be trained to predict."""
        return (self.target or {}).get(table)

    def read_schema(self, dtypes: Mapping[str, Mapping[str, Any]] | None = None) -> Schema:
        """Return the graph of tables.

        Raises:
            SynthesizerInputError: If the schema cannot be protected as asked for.
        """
        unit = self.privacy_unit
        if unit is not None and not isinstance(unit, str):
            raise SynthesizerInputError(f'privacy_unit must be the name of a table, got {unit!r}.')
        try:
            return read_schema(self.metadata, unit, self._read_public_tables(), dtypes)
        except SchemaError as error:
            raise SynthesizerInputError(str(error)) from None

    def list_keys(self) -> dict[str, tuple[str, ...]]:
        """List the columns of the primary key of every table."""
        return {name: as_columns(each.primary_key) for name, each in self.metadata.tables.items()}

    def list_columns(self, others: Mapping[str, Collection[str]]) -> dict[str, set[str]]:
        """List the columns of every table, with the others that are given by table."""
        stated = {name: set(each.columns) for name, each in self.metadata.tables.items()}
        return {name: own.union(others.get(name, ())) for name, own in stated.items()}

    def read_children(self, schema: Schema) -> dict[Link, Children]:
        """Return the stated bounds on children, by foreign key."""
        return read_children(self.min_children, self.max_children, schema)

    def _read_public_tables(self) -> frozenset[str]:
        named = self.public_tables
        listed = isinstance(named, Collection) and not isinstance(named, str | Mapping)
        if not listed or not all(isinstance(each, str) for each in named):
            raise SynthesizerInputError(
                f"public_tables must be a list of names, for example ['countries'], got {named!r}."
            )
        unknown = sorted(set(named) - set(self.metadata.tables))
        if unknown:
            raise SynthesizerInputError(
                f'public_tables must be in the metadata: there are no tables {unknown}, only '
                f'{list(self.metadata.tables)}.'
            )
        return frozenset(named)
