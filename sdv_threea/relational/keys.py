"""Which row refers to which: references drawn for all rows at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sdv_threea.maths.shrinkage import stein_factor
from sdv_threea.relational.sizes import Children

#: The largest shares are believed up to so many standard deviations of their noise.
GRAIN = 2.0

#: The largest share of references that may go to rows that noise hides.
MOST_LIFTED = 0.02

#: Numbers this close to the next whole one are whole, but for the rounding of floats.
ROUNDING = 1e-6


def adjust_counts(
    counts: NDArray[np.int64],
    total: int,
    most: int | None,
    rng: np.random.Generator,
    least: int = 0,
) -> NDArray[np.int64]:
    """Change as few counts as possible, by one where that is enough, so that they add up.

    Those that are the least allowed stay so, as long as others can make up for it.

    Args:
        counts: At least zero, shape (n,).
        total: What they should add up to.
        most: The largest count allowed, or ``None``.
        rng: Source of the choice.
        least: The smallest count allowed.

    Returns:
        Counts that add up to ``total``, or to what the bounds allow that is next to it.
    """
    adjusted, total = np.clip(counts, least, most) - least, total - least * len(counts)
    # Without a bound, none needs to become larger than all are together.
    end = total if most is None else most - least
    while (gap := total - int(adjusted.sum())) != 0:
        room, reach = _with_room(adjusted, gap, end)
        if not len(room):
            break
        chosen = rng.permutation(room)[: abs(gap)]
        # All at once what would else take as many rounds, as far as each has room.
        far = np.minimum(abs(gap) // len(chosen), np.abs(reach - adjusted[chosen]))
        adjusted[chosen] += np.sign(gap) * far
    return np.asarray(adjusted + least)


def _with_room(counts: NDArray[np.int64], gap: int, most: int) -> tuple[NDArray[np.int64], int]:
    """Find the counts to change to close a gap: zeros stay, and none becomes zero, if it can be.

    Args:
        counts: At least zero, shape (n,).
        gap: Positive if counts have to rise, negative if they have to fall.
        most: The largest count allowed.

    Returns:
        Places of the counts to change, empty if none can, and the count that they may reach.
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
    """Deal the rows of a parent out evenly, and to no owner the same one twice if it can be.

    Args:
        owners: The owner of every row that is to refer to a parent, shape (n,).
        num_parents: Number of rows of the parent, at least one.
        rng: Source of the choice.

    Returns:
        Rows of the parent, shape (n,): each of them ``n / num_parents`` times, up to one.
    """
    order = np.argsort(owners, kind='stable')
    cards = rng.permutation(num_parents)
    dealt = np.empty(len(owners), dtype=np.int64)
    # Any stretch of the circle of cards that is no longer than it has no card twice.
    dealt[order] = cards[np.arange(len(owners)) % num_parents]
    return dealt


def level(
    drawn: NDArray[np.int64], chances: NDArray[np.float64], noise: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Change as few drawn references as possible, so that each occurs as often as it should.

    Independent draws would spread the number of references to a row beyond what is released, and so
    does the noise: the largest numbers are taken with a grain of salt, and a row that noise hides
    is referred to once, if there are many more references than rows.

    Args:
        drawn: Rows of the parent, shape (n,).
        chances: The released share of each row of the parent, shape (P,).
        noise: Standard deviation of the noise of a share.
        rng: Source of the choice.

    Returns:
        Rows of the parent, shape (n,).
    """
    wanted = _round_shares(_within_noise(chances / chances.sum(), noise), len(drawn))
    if noise and len(chances) <= MOST_LIFTED * len(drawn):
        wanted = adjust_counts(wanted, len(drawn), None, rng, 1)
    return _move(drawn, wanted, rng)


def keep_within(
    referred: NDArray[np.int64],
    num_parents: int,
    children: Children,
    required: bool,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Change as few references as possible, so that as many lead to each row as there may be.

    Args:
        referred: Rows of the parent, -1 for none, shape (n,).
        num_parents: Number of rows of the parent, at least one.
        children: How many rows may refer to one of them.
        required: Whether each row has to refer to one.
        rng: Source of the choice.

    Returns:
        Rows of the parent, shape (n,), within the bounds if there are enough rows for that.
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
    """Let some rows refer to nobody, or to somebody, so that enough and not too many refer."""
    here = referred >= 0
    change = min(max(int(here.sum()), least), most) - int(here.sum())
    chosen = rng.permutation(np.flatnonzero(~here if change > 0 else here))[: int(abs(change))]
    admitted = referred.copy()
    admitted[chosen] = 0 if change > 0 else -1
    return admitted


def _move(
    drawn: NDArray[np.int64], wanted: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Move as few references as possible, chosen at random, so that each occurs as often as wanted.

    If there are more references than are wanted, or fewer, as many are moved as can be.
    """
    surplus = np.bincount(drawn, minlength=len(wanted)) - wanted
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


def _within_noise(shares: NDArray[np.float64], noise: float) -> NDArray[np.float64]:
    """Shrink shares toward their mean, and pull in those that the noise may have made largest."""
    mean = shares.mean()
    shrunk = mean + stein_factor(shares - mean, noise) * (shares - mean)
    return np.asarray(np.minimum(shrunk, max(shares.max() - GRAIN * noise, mean)))


def _round_shares(shares: NDArray[np.float64], total: int) -> NDArray[np.int64]:
    """Round shares to numbers that add up, by largest remainder."""
    exact = shares / shares.sum() * total
    whole = np.floor(exact + ROUNDING).astype(np.int64)
    first = np.argsort(whole - exact, kind='stable')[: max(total - int(whole.sum()), 0)]
    whole[first] += 1
    return np.asarray(whole)


def choose_within(
    units: NDArray[np.int64], units_of_parent: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Choose for each row a row of the parent of the same unit; any row where that has none.

    Args:
        units: The unit of every row, shape (n,).
        units_of_parent: The unit of every row of the parent, at least one, shape (P,).
        rng: Source of the choice.

    Returns:
        Rows of the parent, shape (n,).
    """
    order = np.argsort(units_of_parent, kind='stable')
    first = np.searchsorted(units_of_parent[order], units, side='left')
    last = np.searchsorted(units_of_parent[order], units, side='right')
    inside = order[
        np.minimum(
            first + (rng.random(len(units)) * (last - first)).astype(np.int64), len(order) - 1
        )
    ]
    return np.where(last > first, inside, rng.integers(len(order), size=len(units)))
