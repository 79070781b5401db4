"""Foreign keys of sampled rows: a row of the parent for each row of the child, -1 for none.

All rows are drawn at once, so that the numbers of references add up. No private row is read.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.domain import Category
from sdv_threea.relational.layout import name_known
from sdv_threea.relational.model import TableRelease
from sdv_threea.relational.row_counts import overall_chances
from sdv_threea.relational.sizes import Children
from sdv_threea.schema import Link

#: Floats this close below a whole number count as that number, because of rounding errors.
WHOLE_WITHIN = 1e-6


def adjust_counts(
    counts: Wholes, total: int, most: int | None, rng: np.random.Generator, least: int = 0
) -> Wholes:
    """Return counts that sum to ``total``, as nearly as the bounds allow, with few changes.

    Counts change at random places, by one if that suffices. A count of ``least`` changes only if no
    other count can. ``most=None`` means that there is no bound.
    """
    adjusted, total = np.clip(counts, least, most) - least, total - least * len(counts)
    # If there is no upper bound, the total is one.
    end = total if most is None else most - least
    while (gap := total - int(adjusted.sum())) != 0:
        room, reach = _with_room(adjusted, gap, end)
        if not len(room):
            break
        chosen = rng.permutation(room)[: abs(gap)]
        # Each chosen count closes its part of the gap in one step, within the bounds.
        far = np.minimum(abs(gap) // len(chosen), np.abs(reach - adjusted[chosen]))
        adjusted[chosen] += np.sign(gap) * far
    return np.asarray(adjusted + least)


def _with_room(counts: Wholes, gap: int, most: int) -> tuple[Wholes, int]:
    """Return the positions of counts that can change to close a gap, and the limit of a change."""
    if gap > 0:
        first, last = ((counts > 0) & (counts < most), most), (counts < most, most)
    else:
        first, last = (counts > 1, 1), (counts > 0, 0)
    where, end = first if first[0].any() else last
    return np.flatnonzero(where), end


def refer_to_public(
    model: TableRelease, link: Link, rows: pd.DataFrame, rng: np.random.Generator
) -> Wholes:
    """Read references to a public table from drawn rows, and level their counts; -1 for none."""
    name = model.layout.references[link]
    column = model.released.domain[name]
    assert isinstance(column, Category)
    here = rows[name].notna().to_numpy()
    referred = rows[name].to_numpy()[here].astype(np.int64)
    chances = overall_chances(model.released, name)[1:]
    if chances.sum() > 0:
        listed = np.array(column.values, dtype=np.int64)
        referred = listed[level(np.argsort(listed)[referred], chances, rng)]
    found = np.full(len(rows), -1)
    found[here] = referred
    return found


def follow_references(
    model: TableRelease,
    rows: pd.DataFrame,
    drawn: pd.DataFrame,
    found: Mapping[Link, Wholes],
    rng: np.random.Generator,
    accept: Callable[[pd.DataFrame], Bools] | None = None,
) -> pd.DataFrame:
    """Return rows with the references that they got, and with user's columns that follow from them.

    The price of a line is that of its product. A row that was ``drawn`` with another reference, or
    with another attribute of it, gets the price from a random row that kept its own, if there is
    one, and if ``accept`` returns true for the row with it.
    """
    layout, released = model.layout, model.released
    names = [released.transformers[place].name for place in released.scored]
    written, copied = dict[str, Any](), dict[str, Any]()
    for link, name in layout.references.items():
        written[name] = name_known(found[link], found[link] >= 0)
        written |= {one.name: one.look_up(found[link]) for one in layout.attributes.get(link, ())}
    for pair in released.joint.functions if released.joint else ():
        key, name = (names[at] if at < len(names) else '' for at in pair)
        if key in written and name in layout.own:
            places = _find_donors(drawn[key].to_numpy(), written[key], rng)
            copied[name] = rows[name].to_numpy()[places]
    followed = rows.assign(**written, **copied)
    if copied and accept is not None:
        refused = ~accept(followed)
        followed.loc[refused, list(copied)] = rows.loc[refused, list(copied)]
    return followed


def _find_donors(
    drawn: NDArray[np.object_], got: NDArray[np.object_], rng: np.random.Generator
) -> Wholes:
    """Return for each row a random one that was drawn with the value that it got, shape (n,).

    A row that was drawn with its value keeps its own, as does one that finds no other.
    """
    codes, every = pd.factorize(np.concatenate([got, drawn]))[0], np.arange(len(got))
    ours, theirs = codes[: len(got)], codes[len(got) :]
    kept = rng.permutation(np.flatnonzero(ours == theirs))
    kept = kept[np.argsort(ours[kept], kind='stable')]
    first, last = (np.searchsorted(ours[kept], ours, side) for side in ('left', 'right'))
    moved = (ours != theirs) & (ours >= 0) & (last > first)
    places = first + (rng.random(len(got)) * (last - first)).astype(np.int64)
    return np.where(moved, np.append(kept, -1)[np.minimum(places, len(kept))], every)


def level(drawn: Wholes, chances: Floats, rng: np.random.Generator) -> Wholes:
    """Return references whose counts follow the released shares, with as few changes as possible.

    References drawn one by one would be too uneven by chance. References move to rows near theirs.
    """
    return _move(drawn, round_shares(chances, len(drawn)), rng, near=True)


def keep_within(
    referred: Wholes, num_parents: int, children: Children, required: bool, rng: np.random.Generator
) -> Wholes:
    """Return references that keep the bounds on children, with as few changes as possible.

    The bounds hold if there are enough rows. References are rows of the parent, -1 for none, shape
    (n,); they never become missing if they are ``required``.
    """
    if children == Children():
        return referred
    kept = referred if required else _admit(referred, *children.of(num_parents), rng)
    kept, here = kept.copy(), kept >= 0
    counts = np.bincount(kept[here], minlength=num_parents)
    wanted = adjust_counts(counts, int(here.sum()), children.most, rng, children.least)
    kept[here] = _move(kept[here], wanted, rng)
    return kept


def _admit(referred: Wholes, least: int, most: float, rng: np.random.Generator) -> Wholes:
    """Return references, ``least`` to ``most`` of them present; new ones lead to parent row 0."""
    here = referred >= 0
    change = min(max(int(here.sum()), least), most) - int(here.sum())
    chosen = rng.permutation(np.flatnonzero(~here if change > 0 else here))[: int(abs(change))]
    admitted = referred.copy()
    admitted[chosen] = 0 if change > 0 else -1
    return admitted


def _move(drawn: Wholes, wanted: Wholes, rng: np.random.Generator, *, near: bool = False) -> Wholes:
    """Return references with the wanted counts; as few as possible move, at random or ``near``."""
    surplus = np.bincount(drawn, minlength=len(wanted)) - wanted
    # Number the references to each row of the parent from 0, in random order. The first ones move,
    # as many as the row has too many.
    order = rng.permutation(len(drawn))
    mixed = drawn[order]
    by_parent = np.argsort(mixed, kind='stable')
    ranks = np.empty(len(drawn), dtype=np.int64)
    ranks[by_parent] = np.arange(len(drawn)) - np.searchsorted(mixed[by_parent], mixed[by_parent])
    moved = order[ranks < np.maximum(surplus, 0)[mixed]]
    free = rng.permutation(np.repeat(np.arange(len(wanted)), np.maximum(-surplus, 0)))
    moved, free = moved[: len(free)], free[: len(moved)]
    if near:
        moved, free = moved[np.argsort(drawn[moved], kind='stable')], np.sort(free)
    levelled = drawn.copy()
    levelled[moved] = free
    return levelled


def round_shares(shares: Floats, total: int) -> Wholes:
    """Round shares of a total to whole numbers that sum to it, by the largest remainder."""
    exact = shares / shares.sum() * total
    whole = np.floor(exact + WHOLE_WITHIN).astype(np.int64)
    first = np.argsort(whole - exact, kind='stable')[: max(total - int(whole.sum()), 0)]
    whole[first] += 1
    return np.asarray(whole)


def choose_within(units: Wholes, units_of_parent: Wholes, rng: np.random.Generator) -> Wholes:
    """Choose for each row a parent row of the same unit, or any parent row if the unit has none."""
    order, first, last = _find_slices(units, units_of_parent)
    places = first + (rng.random(len(units)) * (last - first)).astype(np.int64)
    inside = order[np.minimum(places, len(order) - 1)]
    return np.where(last > first, inside, rng.integers(len(order), size=len(units)))


def move_away(
    units: Wholes, units_of_parent: Wholes, away: Bools, here: Bools, rng: np.random.Generator
) -> Bools:
    """Return which rows refer to another unit, if possible as many as before.

    If the unit of a row has no parent row, this row refers to another unit in place of a row that
    is ``away``. Rows that are not ``here`` have no reference.
    """
    away, has = away.copy(), np.isin(units, units_of_parent)
    lacking = np.flatnonzero(here & ~away & ~has)
    free = rng.permutation(np.flatnonzero(here & away & has))
    away[lacking], away[free[: len(lacking)]] = True, False
    return away


def _find_slices(units: Wholes, units_of_parent: Wholes) -> tuple[Wholes, Wholes, Wholes]:
    """Sort the parent's rows by unit; return their order, and the slice of each row's unit."""
    order = np.argsort(units_of_parent, kind='stable')
    first = np.searchsorted(units_of_parent[order], units, side='left')
    last = np.searchsorted(units_of_parent[order], units, side='right')
    return order, first, last
