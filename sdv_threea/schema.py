"""The public graph of tables: references between tables, and ownership of rows.

A *unit* of privacy is a row of one table, with every row that refers to it, directly or through
other rows. The *owner* of a private table is the parent through which its rows belong to a unit,
and on which sampled rows depend. A private table without an owner is a *root*: each of its rows is
a unit, with the rows that it owns.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property


class SchemaError(ValueError):
    """The tables cannot be protected as requested."""


@dataclass(frozen=True)
class Link:
    """A foreign key; ``required`` and ``unique`` are public.

    Args:
        required: Whether every row of the child refers to a row of the parent.
        unique: Whether at most one row of the child refers to each row of the parent.
    """

    child: str
    columns: tuple[str, ...]
    parent: str
    required: bool = False
    unique: bool = False

    @property
    def name(self) -> str:
        """The referring table and columns, for column names and receipts."""
        return f'{self.child}({", ".join(self.columns)})'


@dataclass(frozen=True)
class Schema:
    """A public acyclic graph of tables.

    Args:
        unit: The table whose rows are the units of privacy; ``None`` for the only root.
        public: Tables that may be published as they are.
    """

    tables: tuple[str, ...]
    links: tuple[Link, ...] = ()
    unit: str | None = None
    public: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        named = {link.child for link in self.links} | {link.parent for link in self.links}
        unknown = sorted((named | set(self.public)) - set(self.tables))
        if unknown:
            raise SchemaError(f'There are no tables {unknown}: the tables are {list(self.tables)}.')
        for link in self.links:
            if link.child == link.parent:
                raise SchemaError(
                    f"Table '{link.child}' refers to itself by {link.name}, which is not "
                    'supported: remove that relationship from the metadata.'
                )
            if link.child in self.public and link.parent not in self.public:
                raise SchemaError(
                    f"The public table '{link.child}' refers to the private table "
                    f"'{link.parent}', so it reveals private rows: it cannot be public."
                )
        self._check_unit()

    def _check_unit(self) -> None:
        roots = [table for table in self.order if table in self.private and not self._ties(table)]
        if self.unit is None and len(roots) > 1:
            raise SchemaError(
                f'Any of the tables {roots} could hold the units of privacy: choose one by '
                "'privacy_unit', and name what is public by 'public_tables'."
            )
        if self.unit is not None and self.unit not in self.tables:
            raise SchemaError(f"There is no table '{self.unit}' among {list(self.tables)}.")
        if self.unit in self.public:
            raise SchemaError(f"The unit of privacy, '{self.unit}', cannot be a public table.")

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The tables, parents before their children."""
        waiting, ordered = list(self.tables), []
        while waiting:
            ready = [
                table
                for table in waiting
                if not any(link.child == table and link.parent in waiting for link in self.links)
            ]
            if not ready:
                raise SchemaError(
                    f'The tables {waiting} refer to each other in a circle, which is not '
                    'supported: remove one of their relationships from the metadata.'
                )
            ordered += ready
            waiting = [table for table in waiting if table not in ready]
        return tuple(ordered)

    @cached_property
    def private(self) -> tuple[str, ...]:
        """The tables that are not public, parents before their children."""
        return tuple(table for table in self.order if table not in self.public)

    @cached_property
    def main(self) -> str | None:
        """The table whose rows are the units of privacy; ``None`` if all tables are public."""
        return self.unit or next((table for table in self.private if not self._ties(table)), None)

    @cached_property
    def reached(self) -> frozenset[str]:
        """The unit's table, and the tables whose rows refer to it, directly or not."""
        found = {self.main}
        for table in self.private:
            if any(link.parent in found for link in self._ties(table)):
                found.add(table)
        return frozenset(table for table in found if table is not None)

    @cached_property
    def owners(self) -> dict[str, Link | None]:
        """By private table, the foreign key through which its rows belong to a unit."""
        return {table: self._choose_owner(table) for table in self.private}

    @cached_property
    def unit_links(self) -> dict[str, tuple[Link, ...]]:
        """By private table, the links through which rows belong to a unit, the owner's first."""
        return {table: self._list_unit_links(table) for table in self.private}

    def _list_unit_links(self, table: str) -> tuple[Link, ...]:
        owner = self.owners[table]
        if owner is None:
            return ()
        if table not in self.reached:
            return (owner,)
        others = (link for link in self.links_away(table) if link.parent in self.reached)
        return (owner, *others)

    def links_away(self, table: str) -> tuple[Link, ...]:
        """Return the foreign keys by which rows can refer to private rows that do not own them."""
        return tuple(link for link in self._ties(table) if link != self.owners[table])

    def root(self, table: str) -> str:
        """Return the table whose rows are the units of the rows of a private table."""
        owner = self.owners[table]
        return table if owner is None else self.root(owner.parent)

    def links_of(self, table: str) -> tuple[Link, ...]:
        """Return the foreign keys of a table."""
        return tuple(link for link in self.links if link.child == table)

    def owned_by(self, table: str) -> tuple[Link, ...]:
        """Return the foreign keys through which a table owns rows of other tables."""
        links = (self.owners[child] for child in self.private)
        return tuple(link for link in links if link is not None and link.parent == table)

    def _ties(self, table: str) -> tuple[Link, ...]:
        return tuple(link for link in self.links_of(table) if link.parent not in self.public)

    def _choose_owner(self, table: str) -> Link | None:
        ties: Iterable[Link] = self._ties(table)
        if table == self.main:
            return None
        if table in self.reached:
            ties = (link for link in ties if link.parent in self.reached)
        # Prefer a unique key, because samples keep a foreign key unique only if it leads to the
        # owner; then a required key, because then every row has an owner.
        return max(ties, key=lambda link: (link.unique, link.required), default=None)
