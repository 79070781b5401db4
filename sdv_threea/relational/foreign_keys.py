"""Foreign keys of sampled rows: which row refers to which row of a parent.

In go sampled rows, the number of rows of a parent and what was released or is public of the
references. Out come positions of rows of the parent, one per row of the child, and -1 for none. All
rows are drawn at once, so that the numbers of references to the rows of a parent, taken together,
are as they should be. No private row is read.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sdv_threea.constants import RelationalConstants
from sdv_threea.maths.shrinkage import stein_factor
from sdv_threea.relational.sizes import Children

#: A number this close below a whole one counts as that whole number: floats are rounded.
WHOLE_WITHIN = 1e-6


def adjust_counts(
    counts: NDArray[np.int64],
    total: int,
    most: int | None,
    rng: np.random.Generator,
    least: int = 0,
) -> NDArray[np.int64]:
    """Return counts that add up to a total, and differ from the given ones in few places.

    Counts are changed at random places, by one where that is enough. A count that is the least
    allowed stays so, as long as others can make up for it.

    Args:
        counts: At least zero, shape (n,).
        total: What they should add up to.
        most: The largest count allowed, or ``None``.
        rng: Source of the choice.
        least: The smallest count allowed.

    Returns:
        Counts that add up to ``total``, or as nearly as the bounds allow; shape (n,).
    """
    adjusted, total = np.clip(counts, least, most) - least, total - least * len(counts)
    # Without an upper bound the total is one: no count has to be larger than all of them together.
    end = total if most is None else most - least
    while (gap := total - int(adjusted.sum())) != 0:
        room, reach = _with_room(adjusted, gap, end)
        if not len(room):
            break
        chosen = rng.permutation(room)[: abs(gap)]
        # Each chosen count takes its part of the gap in one step, as far as it has room.
        far = np.minimum(abs(gap) // len(chosen), np.abs(reach - adjusted[chosen]))
        adjusted[chosen] += np.sign(gap) * far
    return np.asarray(adjusted + least)


def _with_room(counts: NDArray[np.int64], gap: int, most: int) -> tuple[NDArray[np.int64], int]:
    """Find the counts that can be changed to close a gap.

    Zeros stay zero and no other count becomes zero, as long as there is another way.

    Args:
        counts: At least zero, shape (n,).
        gap: What is missing to the total: positive if counts have to rise, negative if to fall.
        most: The largest count allowed.

    Returns:
        The positions of the counts that can be changed, empty if there are none; and the value up
        to which, or down to which, they may be changed.
    """
    if gap > 0:
        first, last = ((counts > 0) & (counts < most), most), (counts < most, most)
    else:
        first, last = (counts > 1, 1), (counts > 0, 0)
    where, end = first if first[0].any() else last
    return np.flatnonzero(where), end


def deal(
    owners: NDArray[np.int64], num_parents: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Choose references to a parent of which nothing was released: evenly, like dealt cards.

    No two rows of one owner refer to the same row, unless the owner has more rows than the parent.

    Args:
        owners: The owner of every row that is to refer to a parent, shape (n,).
        num_parents: Number of rows of the parent, at least one.
        rng: Source of the choice.

    Returns:
        Rows of the parent, shape (n,). Each occurs ``n / num_parents`` times, rounded up or down.
    """
    order = np.argsort(owners, kind='stable')
    cards = rng.permutation(num_parents)
    dealt = np.empty(len(owners), dtype=np.int64)
    # The cards are dealt round and round. An owner gets successive ones, so no card twice before
    # it has got all of them.
    dealt[order] = cards[np.arange(len(owners)) % num_parents]
    return dealt


def level(
    drawn: NDArray[np.int64],
    chances: NDArray[np.float64],
    noise: float,
    constants: RelationalConstants,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Return references that occur as often as their released shares say.

    References that are drawn one by one would occur more unevenly than the released shares: chance
    adds to them. As few of them as possible are therefore changed, at random. The released shares
    are themselves more uneven than the private ones, because of their noise. So they are shrunk
    first, and rows whose share the noise has hidden are referred to once, if there are many more
    references than rows.

    Args:
        drawn: Rows of the parent, shape (n,).
        chances: The released share of each row of the parent, shape (P,).
        noise: Standard deviation of the noise of a share.
        constants: What decides how far the largest share is cut, and when all rows are referred to.
        rng: Source of the choice.

    Returns:
        Rows of the parent, shape (n,).
    """
    shares = _within_noise(chances / chances.sum(), noise, constants.top_discount)
    wanted = _round_shares(shares, len(drawn))
    if noise and len(chances) <= constants.most_lifted * len(drawn):
        wanted = adjust_counts(wanted, len(drawn), None, rng, 1)
    return _move(drawn, wanted, rng)


def keep_within(
    referred: NDArray[np.int64],
    num_parents: int,
    children: Children,
    required: bool,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Return references that keep the public bounds on how many rows refer to one row.

    As few of the given references as possible are changed, at random.

    Args:
        referred: Rows of the parent, -1 for none, shape (n,).
        num_parents: Number of rows of the parent, at least one.
        children: How many rows may refer to one row of the parent.
        required: Whether each row has to refer to a row of the parent.
        rng: Source of the choice.

    Returns:
        Rows of the parent, -1 for none, shape (n,). They keep the bounds if there are enough rows.
    """
    if children == Children():
        return referred
    kept = referred if required else _admit(referred, *children.of(num_parents), rng)
    kept, here = kept.copy(), kept >= 0
    counts = np.bincount(kept[here], minlength=num_parents)
    wanted = adjust_counts(counts, int(here.sum()), children.most, rng, children.least)
    kept[here] = _move(kept[here], wanted, rng)
    return kept


def _admit(
    referred: NDArray[np.int64], least: int, most: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return references of which at least ``least`` and at most ``most`` are not missing.

    References that have to appear lead to the first row of the parent; :func:`_move` spreads them.
    """
    here = referred >= 0
    change = min(max(int(here.sum()), least), most) - int(here.sum())
    chosen = rng.permutation(np.flatnonzero(~here if change > 0 else here))[: int(abs(change))]
    admitted = referred.copy()
    admitted[chosen] = 0 if change > 0 else -1
    return admitted


def _move(
    drawn: NDArray[np.int64], wanted: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return references of which each row of the parent gets as many as wanted.

    As few as possible are moved, chosen at random. If the wanted numbers do not add up to the
    number of references, as many are moved as can be.

    Args:
        drawn: Rows of the parent, shape (n,).
        wanted: Number of references to each row of the parent, shape (P,).
        rng: Source of the choice.

    Returns:
        Rows of the parent, shape (n,).
    """
    surplus = np.bincount(drawn, minlength=len(wanted)) - wanted
    # Number the references to each row of the parent from 0, in random order. Those whose number is
    # below the row's surplus leave it.
    order = rng.permutation(len(drawn))
    mixed = drawn[order]
    by_parent = np.argsort(mixed, kind='stable')
    ranks = np.empty(len(drawn), dtype=np.int64)
    ranks[by_parent] = np.arange(len(drawn)) - np.searchsorted(mixed[by_parent], mixed[by_parent])
    moved = order[ranks < np.maximum(surplus, 0)[mixed]]
    free = rng.permutation(np.repeat(np.arange(len(wanted)), np.maximum(-surplus, 0)))
    moved, free = moved[: len(free)], free[: len(moved)]
    levelled = drawn.copy()
    levelled[moved] = free
    return levelled


def _within_noise(
    shares: NDArray[np.float64], noise: float, discount: float
) -> NDArray[np.float64]:
    """Return shares without the spread that noise alone would give them.

    They are shrunk toward their mean by the factor of James and Stein, and then capped at the
    largest less ``discount`` standard deviations of the noise, as the largest noisy share is too
    large.
    """
    mean = shares.mean()
    shrunk = mean + stein_factor(shares - mean, noise) * (shares - mean)
    return np.asarray(np.minimum(shrunk, max(shares.max() - discount * noise, mean)))


def _round_shares(shares: NDArray[np.float64], total: int) -> NDArray[np.int64]:
    """Round shares of a total to whole numbers that add up to it, by the largest remainder."""
    exact = shares / shares.sum() * total
    whole = np.floor(exact + WHOLE_WITHIN).astype(np.int64)
    first = np.argsort(whole - exact, kind='stable')[: max(total - int(whole.sum()), 0)]
    whole[first] += 1
    return np.asarray(whole)


def choose_within(
    units: NDArray[np.int64], units_of_parent: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Choose, for each row, one of the parent's rows that belong to the same unit.

    A row whose unit has no row of the parent gets any row of it.

    Args:
        units: The unit of every row, shape (n,).
        units_of_parent: The unit of every row of the parent, at least one, shape (P,).
        rng: Source of the choice.

    Returns:
        Rows of the parent, shape (n,).
    """
    # Sorted by unit, the parent's rows of one unit are a slice from ``first`` to ``last``.
    order = np.argsort(units_of_parent, kind='stable')
    first = np.searchsorted(units_of_parent[order], units, side='left')
    last = np.searchsorted(units_of_parent[order], units, side='right')
    inside = order[
        np.minimum(
            first + (rng.random(len(units)) * (last - first)).astype(np.int64), len(order) - 1
        )
    ]
    return np.where(last > first, inside, rng.integers(len(order), size=len(units)))
