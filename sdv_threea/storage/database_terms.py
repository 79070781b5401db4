"""The user's statements about a whole database: privacy unit, public facts, targets."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pandas.api.types import is_integer
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea.domain import Domain
from sdv_threea.relational.sizes import Children
from sdv_threea.schema import Link, Schema, SchemaError
from sdv_threea.storage.relationships import as_columns, read_schema

#: The rows that a bound limits: those of a table that refer to their owner, or those with a foreign
#: key ``(table, column, ...)``.
Key = str | tuple[str, ...]

#: The user's bounds: one for all tables with an owner, or one for each :data:`Key`.
Bounds = int | Mapping[Key, int] | None

#: The error for a sequence index that is a target or has a transformer or a constraint.
NOT_PLAIN = (
    "The sequence_index '{index}' orders the rows of the table '{name}', so it is no target, and "
    "has no transformer and no constraint other than After('{name}.{index}', 'table.column') or "
    'Within, by columns of the row that owns its rows.'
)


@dataclass(frozen=True)
class DatabaseTerms:
    """The user's statements about a database: arguments of its synthesizer, and public metadata."""

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
        """Raise an error if terms contradict the metadata, or the schema cannot be protected."""
        schema = self.read_schema()
        self.read_children(schema)
        self.read_orders(schema)

    def find_target(self, table: str) -> str | None:
        """Return the column of a table that models will be trained to predict, if one is named."""
        return (self.target or {}).get(table)

    def predicts_elsewhere(self, table: str) -> bool:
        """Return whether only other tables have a target; then none is chosen in this table."""
        return bool(self.target) and self.find_target(table) is None

    def read_schema(self, dtypes: Mapping[str, Mapping[str, Any]] | None = None) -> Schema:
        """Return the graph of tables."""
        unit = self.privacy_unit
        if unit is not None and not isinstance(unit, str):
            raise SynthesizerInputError(f'privacy_unit must be the name of a table, got {unit!r}.')
        try:
            return read_schema(self.metadata, unit, self._read_public_tables(), dtypes)
        except SchemaError as error:
            raise SynthesizerInputError(str(error)) from None

    def list_keys(self) -> dict[str, tuple[str, ...]]:
        """Return the columns of the primary key of each table."""
        return {name: as_columns(each.primary_key) for name, each in self.metadata.tables.items()}

    def read_children(self, schema: Schema) -> dict[Link, Children]:
        """Return the stated bounds on the number of rows that refer to one row, by foreign key."""
        lower = _read_bounds('min_children', self.min_children, 0, schema)
        upper = _read_bounds('max_children', self.max_children, 1, schema)
        for link, bound in lower.items():
            # A lower bound for all tables may exceed the 1 of a unique key.
            own = isinstance(self.min_children, Mapping)
            end = 1 if link.unique and own else upper.get(link, bound)
            if bound > end:
                raise SynthesizerInputError(
                    f'min_children is {bound} for {link.name}, which is above the largest number '
                    f'of rows that may refer to one row, {end}.'
                )
        links = lower.keys() | upper.keys()
        return {link: Children(lower.get(link, 0), upper.get(link)) for link in links}

    def read_orders(
        self, schema: Schema, domains: Mapping[str, Domain] | None = None
    ) -> dict[str, str | None]:
        """Return the sequence index of each ordered table, ``None`` for an order without index."""
        orders: dict[str, str | None] = {}
        for name in schema.private:
            table, owner = self.metadata.tables[name], schema.owners[name]
            key, index = table.sequence_key, table.sequence_index
            if not (key or index):
                continue
            if owner is None or set(as_columns(key)) != set(owner.columns):
                raise SynthesizerInputError(_refuse_sequences(name, owner))
            known = Domain(()) if domains is None else domains[name]
            if domains and index and (index not in known.names or index == known.target):
                raise SynthesizerInputError(NOT_PLAIN.format(name=name, index=index))
            orders[name] = index
        return orders

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


def _refuse_sequences(table: str, owner: Link | None) -> str:
    known = 'there is none: use ClustMixSequentialSynthesizer for sequences in one table'
    return (
        f"The sequence_key of the table '{table}' must be the foreign key to the row that owns its "
        f'rows, {known if owner is None else list(owner.columns)}.'
    )


def _read_bounds(name: str, given: Bounds, smallest: int, schema: Schema) -> dict[Link, int]:
    if given is None:
        return {}
    owned = {table: link for table, link in schema.owners.items() if link is not None}
    bounds = given if isinstance(given, Mapping) else dict.fromkeys(owned, given)
    for bound in [*bounds.values(), *([] if isinstance(given, Mapping) else [given])]:
        if not is_integer(bound) or bound < smallest:
            raise SynthesizerInputError(
                f'{name} must be whole numbers of at least {smallest}, got {bound!r}.'
            )
    return {_find_link(name, key, schema, owned): int(bound) for key, bound in bounds.items()}


def _find_link(name: str, key: Key, schema: Schema, owned: Mapping[str, Link]) -> Link:
    if isinstance(key, str) and key in owned:
        return owned[key]
    known = {(link.child, *link.columns): link for link in schema.links}
    if isinstance(key, tuple) and key in known and key[0] in schema.private:
        return known[key]
    if isinstance(key, str):
        raise SynthesizerInputError(
            f"{name} has a bound for '{key}', whose rows have no private owner: give bounds for "
            f'some of {sorted(owned)}, or for a foreign key as (table, column).'
        )
    private = [each for each in known if each[0] in schema.private]
    raise SynthesizerInputError(
        f'{name} has a bound for {key!r}, which is no foreign key of a private table: those are '
        f'{private}.'
    )
