"""Divide a database that is not in memory into groups of whole units.

Each table is read once, part by part. Its modelled columns go to files without a name, which the
system deletes after the fit. Keys are matched with references, and rows with others of their
sequence, in portions: all keys whose hashes have the same remainder at a time.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sdv_threea.arrays import Wholes
from sdv_threea.rows.chunks import Groups, Rows
from sdv_threea.rows.guard import guarded
from sdv_threea.rows.intake.cells import INVALID_PLACE
from sdv_threea.rows.intake.keys import (
    Flaws,
    find_flaws,
    find_rows,
    hash_keys,
    number_values,
)
from sdv_threea.rows.partitions import check_parts
from sdv_threea.rows.units.membership import NOBODY, PLACES, Database
from sdv_threea.schema import Link, Schema
from sdv_threea.storage.reading import PrivateTable

#: The columns of the primary key of each table.
Keys = Mapping[str, tuple[str, ...]]

#: Translates rows of a part to modelled columns.
Translate = Callable[[pd.DataFrame], pd.DataFrame]


class Part(NamedTuple):
    """The rows of a part of a table: their modelled columns, and their keys as stored."""

    rows: pd.DataFrame
    keys: pd.DataFrame


class Piece(NamedTuple):
    """The rows of a part that belong to one group, their numbers, and the rows they refer to."""

    rows: pd.DataFrame
    numbers: Wholes
    parents: Mapping[Link, Wholes]


class Firsts(NamedTuple):
    """The first row of each key, where it was, and the columns that are flawed.

    Flawed is the key if it is missing or unreadable, and a column that varies among rows of a key.
    """

    rows: pd.DataFrame
    places: Wholes
    flawed: frozenset[str]


@dataclass(frozen=True)
class Flawed:
    """Invalid keys: links with a broken reference, and flaws of primary keys by table."""

    broken: set[Link] = field(default_factory=set)
    flaws: dict[str, Flaws] = field(default_factory=dict)


def divide(
    tables: Mapping[str, PrivateTable],
    translate: Mapping[str, Translate],
    schema: Schema,
    keys: Keys,
    public: Mapping[str, pd.DataFrame],
) -> tuple[Rows[Database], Flawed]:
    """Divide private tables into groups, as many as the largest number of parts of a table.

    The *address* of a row is the number of its group times
    :data:`~sdv_threea.rows.units.membership.PLACES`, plus its place in the group.

    Formal guarantees:
        * all rows of a unit are in one group, in the order of their tables
        * whether a row refers to another is a function of the key cells of these two rows
    """
    parts = {}
    for name, table in tables.items():
        read = [*keys[name], *(each for link in schema.links_of(name) for each in link.columns)]
        read = list(dict.fromkeys(read))
        rows = table.rows.map(partial(check_parts, table.header[read].dtypes.to_dict()))
        parts[name] = rows.map(partial(_split, read, translate[name])).spill()
    with guarded():
        flawed, count = Flawed(), max([each.count for each in parts.values()], default=1)
        known: dict[str, Groups] = {}
        pieces: dict[str, Groups] = {}
        for name in schema.private:
            above = {
                link: _find_public(link, parts[name], public[link.parent], keys, flawed)
                if link.parent in public
                else _find_private(link, parts[name], known[link.parent], flawed)
                for link in schema.links_of(name)
            }
            links = schema.unit_links[name]
            pieces[name], known[name] = _deal_out(
                parts.pop(name), above, frozenset(public), links, keys[name], count
            )
            if keys[name]:
                found = [find_flaws(_join(each)[0]) for each in _read_all(known[name]) if each]
                flawed.flaws[name] = Flaws(*(any(each) for each in zip(*found, strict=True)))
        sizes = {name: len(rows) for name, rows in public.items()}
        groups = Groups(count, in_file=count > 1)
        for number in range(count):
            of_tables = {name: list(each.read(number)) for name, each in pieces.items()}
            groups.add(number, _assemble(of_tables, sizes))
    return Rows(groups), flawed


def keep_firsts(key: str, table: pd.DataFrame) -> Firsts:
    """Return the first row of each key, in the order of the table.

    Formal guarantees:
        * which rows have one key is a function of their stored cells of the key
    """
    numbers = number_values([table[key]])[0]
    _, places, of_key = np.unique(numbers, return_index=True, return_inverse=True)
    codes = {name: number_values([table[name]])[0] for name in table.columns if name != key}
    flawed = {name for name, own in codes.items() if (own != own[places][of_key]).any()}
    places = np.sort(places)
    missing = {key} if (numbers < 0).any() else set[str]()
    return Firsts(table.iloc[places].reset_index(drop=True), places, frozenset(flawed | missing))


def find_firsts(key: str, rows: Rows[pd.DataFrame]) -> tuple[Rows[pd.DataFrame], frozenset[str]]:
    """Return the first row of each key, and the flawed columns, of rows that are not in memory.

    The rows are those that :func:`keep_firsts` returns of the whole table, in the same order.
    """
    parts = rows.map(partial(keep_firsts, key)).spill()
    with guarded():
        scattered, firsts, found = (parts.alike() for _ in range(3))
        flawed = set[str]()
        for number, (part,) in enumerate(_read_all(parts)):
            flawed |= part.flawed
            places = np.arange(len(part.rows)) + number * PLACES
            _scatter(scattered, part.rows, places, [key])
        for some in filter(None, _read_all(scattered)):
            there, places = _join(some)
            kept = keep_firsts(key, there)
            flawed |= kept.flawed
            parts_of, places = np.divmod(places[kept.places], PLACES)
            for number in np.unique(parts_of).tolist():
                firsts.add(number, places[parts_of == number])
        for number, (part,) in enumerate(_read_all(parts)):
            first = np.zeros(len(part.rows), dtype=np.bool_)
            for places in firsts.read(number):
                first[places] = True
            found.add(number, part.rows[first])
    return Rows(found), frozenset(flawed)


def _split(keys: list[str], translate: Translate, chunk: pd.DataFrame) -> Part:
    return Part(translate(chunk).reset_index(drop=True), chunk[keys].reset_index(drop=True))


def _find_public(
    link: Link, parts: Groups, parent: pd.DataFrame, keys: Keys, flawed: Flawed
) -> Groups:
    found, key = parts.alike(), list(keys[link.parent])
    for number, (part,) in enumerate(_read_all(parts)):
        rows = find_rows(part.keys[list(link.columns)], parent[key])
        if (rows == INVALID_PLACE).any():
            flawed.broken.add(link)
        found.add(number, rows)
    return found


def _find_private(link: Link, parts: Groups, known: Groups, flawed: Flawed) -> Groups:
    """Return the address of the private row that each row refers to, part by part."""
    asked, answers, found = known.alike(), parts.alike(), parts.alike()
    for number, (part,) in enumerate(_read_all(parts)):
        places = np.arange(len(part.rows)) + number * PLACES
        _scatter(asked, part.keys[list(link.columns)], places)
    for wanted, there in zip(_read_all(asked), _read_all(known), strict=True):
        if wanted:
            keys, places = _join(wanted)
            of_known, addresses = _join(there or [(keys.iloc[:0], places[:0])])
            rows = find_rows(keys, of_known)
            if (rows == INVALID_PLACE).any():
                flawed.broken.add(link)
            led = np.where(rows >= 0, np.append(addresses, NOBODY)[rows], NOBODY)
            for number in np.unique(places // PLACES).tolist():
                at = places // PLACES == number
                answers.add(number, (places[at] % PLACES, led[at]))
    for number, (part,) in enumerate(_read_all(parts)):
        referred = np.full(len(part.rows), NOBODY)
        for places, led in answers.read(number):
            referred[places] = led
        found.add(number, referred)
    return found


def _deal_out(
    parts: Groups,
    above: Mapping[Link, Groups],
    public: frozenset[str],
    links: tuple[Link, ...],
    key: tuple[str, ...],
    count: int,
) -> tuple[Groups, Groups]:
    """Return the pieces of a table by group, and its keys and addresses by the key's remainder."""
    pieces, known = (Groups(count, in_file=True) for _ in range(2))
    sizes, start = np.zeros(count, dtype=np.int64), 0
    for at, (part,) in enumerate(_read_all(parts)):
        referred = {link: next(each.read(at)) for link, each in above.items()}
        numbers = start + np.arange(len(part.rows))
        start += len(numbers)
        homes, places = numbers % count, np.zeros_like(numbers)
        for link in reversed(links):
            homes = np.where(referred[link] >= 0, referred[link] // PLACES, homes)
        # The first part makes a piece for each group, even without rows, so that all have the
        # columns.
        for group in range(count) if at == 0 else np.unique(homes).tolist():
            here = np.flatnonzero(homes == group)
            places[here] = sizes[group] + np.arange(len(here))
            sizes[group] += len(here)
            own = {
                link: each[here] if link.parent in public else _localize(each[here], group)
                for link, each in referred.items()
            }
            rows = part.rows.iloc[here].reset_index(drop=True)
            pieces.add(group, Piece(rows, numbers[here], own))
        if key:
            _scatter(known, part.keys[list(key)], homes * PLACES + places)
    return pieces, known


def _localize(addresses: Wholes, group: int) -> Wholes:
    """Return references as places in this group; see ``PLACES`` for those to other groups."""
    home, row = np.divmod(addresses, PLACES)
    led = np.where(home == group, row, -2 - (home + 1) * PLACES - row)
    return np.where(addresses < 0, NOBODY, led)


def _assemble(of_tables: Mapping[str, list[Piece]], public: Mapping[str, int]) -> Database:
    tables, numbers, parents = {}, {}, dict[Link, Wholes]()
    for name, pieces in of_tables.items():
        tables[name] = pd.concat([each.rows for each in pieces], ignore_index=True)
        numbers[name] = np.concatenate([each.numbers for each in pieces])
        for link in pieces[0].parents:
            parents[link] = np.concatenate([each.parents[link] for each in pieces])
    sizes = {**public, **{name: len(each) for name, each in numbers.items()}}
    return Database(tables, parents, sizes, numbers)


def _scatter(groups: Groups, rows: pd.DataFrame, numbers: Wholes, key: Sequence[str] = ()) -> None:
    """Store rows, each with its number, by the remainder of the hash of their key or whole."""
    remainders = hash_keys(rows[list(key or rows)]) % np.uint64(groups.count)
    for remainder in np.unique(remainders).tolist():
        here = np.flatnonzero(remainders == remainder)
        groups.add(int(remainder), (rows.iloc[here], numbers[here]))


def _join(scattered: Iterable[tuple[pd.DataFrame, Wholes]]) -> tuple[pd.DataFrame, Wholes]:
    keys, numbers = zip(*scattered, strict=True)
    return pd.concat(keys, ignore_index=True), np.concatenate(numbers)


def _read_all(groups: Groups) -> Iterator[list[Any]]:
    return (list(groups.read(number)) for number in range(groups.count))
