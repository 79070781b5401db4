"""How many rows to draw of each table: about as many as released, and as many as keys allow.

How many rows refer to one row of a parent may be public, and then ties the sizes of the two tables
to each other: of 10 patients with one to three stays each there are 10 to 30 stays.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from sdv_threea.relational.schema import Link, Schema


@dataclass(frozen=True)
class Children:
    """How many rows refer to one row of a parent: public.

    Args:
        least: At least so many.
        most: At most so many; ``None`` where that is not public.
    """

    least: int = 0
    most: int | None = None

    def of(self, num_parents: int) -> tuple[int, float]:
        """Bound how many rows refer to so many rows of a parent together."""
        most = math.inf if self.most is None else self.most * num_parents
        return self.least * num_parents, most


def complete_children(schema: Schema, stated: Mapping[Link, Children]) -> dict[Link, Children]:
    """Say of every foreign key of the private tables what is public: keys are unique.

    Args:
        schema: The graph of tables.
        stated: What the user said, by link.

    Returns:
        The bounds, by link.
    """
    links = [link for link in schema.links if link.child in schema.private]
    found = {link: stated.get(link, Children()) for link in links}
    return {
        link: Children(min(each.least, 1), 1) if link.unique else each
        for link, each in found.items()
    }


def scale_children(
    children: Mapping[Link, Children], schema: Schema, scale: float
) -> dict[Link, Children]:
    """Bound the children of a sample: public rows, as they are copied, get ``scale`` times them."""
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
    """Choose the sizes of the private tables, within what the bounds on children make possible.

    Args:
        wanted: About how many rows each private table is to have.
        schema: The graph of tables.
        num_rows: Number of rows of the public tables.
        children: How many rows refer to one row of a parent.

    Returns:
        Sizes, at least one. Where not all bounds can be met, upper ones are.
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
    """Narrow the possible sizes of tables by those of their parents and children, in place."""
    for _ in possible:  # a step for each level of the hierarchy
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
