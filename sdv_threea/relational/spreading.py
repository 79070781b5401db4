"""References of sampled rows to rows of other units, as uneven as released.

Kinds of rows refer to kinds of rows as released. No private row is read.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.constants import RelationalConstants
from sdv_threea.relational.foreign_keys import round_shares
from sdv_threea.relational.kinds import Codes, deal_numbers, group_kinds, match_kinds
from sdv_threea.relational.magnitudes import FIRST
from sdv_threea.relational.model import References
from sdv_threea.schema import Link

#: Replaces the codes of the parent's rows if references may be swapped with any other.
NO_CODES = np.zeros(0, dtype=np.int64)

#: Rounds in which references are swapped that lead to their own unit, or repeat.
NUM_ROUNDS = 40


def spread_references(  # noqa: PLR0913 (rows at both ends, and what is known of them)
    owners: Wholes,
    units: Wholes,
    theirs: Wholes,
    codes: Sequence[Codes],
    released: References,
    constants: RelationalConstants,
    rng: np.random.Generator,
) -> Wholes:
    """Choose for each row a row of the parent that belongs to another unit, shape (n,).

    If the release shows it, some rows of the parent get more references than others, kinds of rows
    refer to kinds of rows, and two rows of one owner refer to the same row. Otherwise references
    are even, and no two rows of one owner refer to the same row if that is possible.

    Args:
        owners: The owner of each row, -1 for none; rows of one owner are neighbours.
        units: The unit of each row.
        theirs: The unit of each row of the parent, shape (P,).
        codes: For each of the released ``ends``, the codes of rows and of parent rows.
        released: The released facts about the references.
        constants: The threshold above which an effect exceeds its noise.
        rng: Source of randomness, which needs no secrecy.
    """
    kinds = group_kinds(codes, released, len(units), len(theirs))
    numbers = _draw_numbers(released.chances, len(units), len(theirs), rng)
    numbers = deal_numbers(numbers, codes, released, rng)
    slots = rng.permutation(np.repeat(np.arange(len(theirs)), numbers))
    even = numbers / max(len(slots), 1)
    share, noise = released.repeats
    again = share - float(even @ even)
    heads = np.ones(len(units), dtype=np.bool_)
    if again > constants.clear_of_noise() * noise:
        near = (owners[1:] == owners[:-1]) & (owners[1:] >= 0)
        heads[1:] = ~near | (rng.random(len(near)) >= again)
    slots, first = slots[: int(heads.sum())], np.flatnonzero(heads)
    found = match_kinds(kinds.ours[first], slots, kinds, rng)
    distinct = share <= constants.clear_of_noise() * noise
    ends = np.where(distinct, owners, -1)[first], units[first]
    for alike in (kinds.theirs, NO_CODES):
        found = untangle(found, *ends, theirs, alike, rng)
    return np.asarray(found[np.cumsum(heads) - 1])


def keep_apart(
    found: Mapping[Link, Wholes],
    key: tuple[Link, ...],
    units: Wholes,
    theirs: Wholes,
    rng: np.random.Generator,
) -> Wholes:
    """Swap references of the last link of a key until no two rows have the same key.

    Args:
        found: The row of the parent that each row refers to, by link.
        key: The links that no two rows may have in common.
        units: The unit of each row.
        theirs: The unit of each row of the last link's parent; -1 if the parent is public.
        rng: Source of randomness, which needs no secrecy.
    """
    *others, last = (found[link] for link in key)
    whole = np.stack([*others, last], axis=1)
    again = np.ones(len(last), dtype=np.bool_)
    again[np.unique(whole, axis=0, return_index=True)[1]] = False
    # References within a unit stay, unless two rows have the same key.
    here = (whole >= 0).all(axis=1)
    here &= again | (np.append(theirs, -1)[last] != units)
    _, groups = np.unique(whole[here, :-1], axis=0, return_inverse=True)
    moved = last.copy()
    moved[here] = untangle(last[here], groups.ravel(), units[here], theirs, NO_CODES, rng)
    return moved


def _draw_numbers(
    chances: Floats, num_rows: int, num_parents: int, rng: np.random.Generator
) -> Wholes:
    """Draw the number of references to each row of the parent, in random order, shape (P,)."""
    weights = np.ones(num_parents)
    if len(chances):
        magnitudes = np.repeat(np.arange(len(chances)), round_shares(chances, num_parents))
        first, last = np.append(0, FIRST), np.concatenate([[0], FIRST[1:] - 1, FIRST[-1:]])
        drawn = rng.integers(first[magnitudes], last[magnitudes] + 1).astype(np.float64)
        weights = drawn if drawn.any() else weights
    return rng.permutation(round_shares(rng.permutation(weights), num_rows))


def untangle(
    found: Wholes,
    owners: Wholes,
    units: Wholes,
    theirs: Wholes,
    codes: Wholes,
    rng: np.random.Generator,
) -> Wholes:
    """Swap references that lead to the row's own unit, or repeat a reference of the same owner.

    References are swapped if both lead to rows with the same code. Conflicts that remain are kept.
    """

    def is_wrong(referred: Wholes) -> Bools:
        _, first = np.unique(owners * len(theirs) + referred, return_index=True)
        again = owners >= 0
        again[first] = False
        return np.asarray(again | (theirs[referred] == units))

    for _ in range(NUM_ROUNDS):
        wrong = is_wrong(found)
        if not wrong.any():
            break
        kinds = codes[found] if len(codes) else np.zeros(len(found), dtype=np.int64)
        order = np.lexsort((rng.random(len(found)), kinds))[int(rng.integers(2)) :]
        one, other = order[0 : len(order) - 1 : 2], order[1::2]
        chosen = (wrong[one] | wrong[other]) & (kinds[one] == kinds[other])
        one, other = one[chosen], other[chosen]
        tried = found.copy()
        tried[one], tried[other] = found[other], found[one]
        still = is_wrong(tried)
        worse = still[one].astype(int) + still[other] >= wrong[one].astype(int) + wrong[other]
        for each in (one[worse], other[worse]):
            tried[each] = found[each]
        found = tried
    return found
