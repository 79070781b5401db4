"""The user's bounds on the number of rows that refer to one row of another table."""

from __future__ import annotations

from collections.abc import Mapping

from pandas.api.types import is_integer
from sdv.errors import SynthesizerInputError

from sdv_threea.relational.sizes import Children
from sdv_threea.units.schema import Link, Schema

#: A bound is on a table, by the key to its owner, or on a key ``(table, column, ...)``.
Key = str | tuple[str, ...]

#: The user's bounds: one for all tables with an owner, or one by table or foreign key.
Bounds = int | Mapping[Key, int] | None


def read_children(least: Bounds, most: Bounds, schema: Schema) -> dict[Link, Children]:
    """Return the stated bounds on children, by foreign key.

    Raises:
        SynthesizerInputError: If a bound is not a whole number of at least one (a lower one: zero),
            a lower one is above the upper one, or the table or foreign key does not exist.
    """
    lower = _read_bounds('min_children', least, 0, schema)
    upper = _read_bounds('max_children', most, 1, schema)
    for link, bound in lower.items():
        # A lower bound for all tables does not contradict a unique key.
        end = 1 if link.unique and isinstance(least, Mapping) else upper.get(link, bound)
        if bound > end:
            raise SynthesizerInputError(
                f'min_children is {bound} for {link.name}, which is above the largest number of '
                f'rows that may refer to one row, {end}.'
            )
    return {
        link: Children(lower.get(link, 0), upper.get(link)) for link in lower.keys() | upper.keys()
    }


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
    """Find the foreign key that a bound is about."""
    if isinstance(key, str) and key in owned:
        return owned[key]
    known = {(link.child, *link.columns): link for link in schema.links}
    if isinstance(key, tuple) and key in known and key[0] in schema.private:
        return known[key]
    if isinstance(key, str):
        raise SynthesizerInputError(
            f"{name} has a bound for '{key}', which hangs off no private table: give bounds for "
            f'some of {sorted(owned)}, or for a foreign key as (table, column).'
        )
    private = [each for each in known if each[0] in schema.private]
    raise SynthesizerInputError(
        f'{name} has a bound for {key!r}, which is no foreign key of a private table: those are '
        f'{private}.'
    )
