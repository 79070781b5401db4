"""Sizes of the tables to draw, within the public bounds on *children*.

Children of a row are the rows that refer to it. If a patient has one to three stays, 10 patients
have 10 to 30 stays. No private row is read.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from sdv_threea.schema import Link, Schema


@dataclass(frozen=True)
class Children:
    """Public bounds on the rows of a child that refer to one parent row; ``None`` for no bound."""

    least: int = 0
    most: int | None = None

    def of(self, num_parents: int) -> tuple[int, float]:
        """Return the fewest and the most rows that refer to ``num_parents`` rows together."""
        most = math.inf if self.most is None else self.most * num_parents
        return self.least * num_parents, most


def complete_children(schema: Schema, stated: Mapping[Link, Children]) -> dict[Link, Children]:
    """Return bounds on children for all foreign keys; a unique key has at most one child."""
    links = [link for link in schema.links if link.child in schema.private]
    found = {link: stated.get(link, Children()) for link in links}
    return {
        link: Children(min(each.least, 1), 1) if link.unique else each
        for link, each in found.items()
    }


def scale_children(
    children: Mapping[Link, Children], schema: Schema, scale: float
) -> dict[Link, Children]:
    """Return the bounds on children in a sample of this scale; public tables keep their size."""
    return {
        link: each if link.unique or link.parent in schema.private else _scale(each, scale)
        for link, each in children.items()
    }


def settle_sizes(
    wanted: Mapping[str, float],
    schema: Schema,
    num_rows: Mapping[str, int],
    children: Mapping[Link, Children],
) -> dict[str, int]:
    """Choose sizes of the private tables, at least one row each, within the bounds on children.

    The sizes are as near to ``wanted`` as the bounds and the row counts of public tables allow. If
    bounds contradict each other, the upper ones are kept.
    """
    possible: dict[str, tuple[float, float]] = {table: (1, math.inf) for table in schema.private}
    possible |= {table: (num_rows[table], num_rows[table]) for table in schema.public}
    for table in schema.private:
        _tighten(possible, children)
        low, high = possible[table]
        size = max(min(max(round(wanted[table]), low), high), 1)
        possible[table] = (size, size)
    return {table: int(possible[table][0]) for table in schema.private}


def _tighten(possible: dict[str, tuple[float, float]], children: Mapping[Link, Children]) -> None:
    """Narrow the possible row counts by those of parents and children, in place."""
    # Each round passes bounds on to neighbouring tables, so one round per table suffices.
    for _ in possible:
        for link, each in children.items():
            (few, many), (parents, most_parents) = possible[link.child], possible[link.parent]
            few = max(few, each.least * parents)
            if each.most is not None and link.required:
                many = min(many, each.most * most_parents)
                parents = max(parents, math.ceil(few / each.most))
            if each.least:
                most_parents = min(most_parents, many // each.least)
            possible[link.child], possible[link.parent] = (few, many), (parents, most_parents)


def _scale(children: Children, scale: float) -> Children:
    most = None if children.most is None else math.ceil(children.most * scale)
    return Children(math.floor(children.least * scale), most)
