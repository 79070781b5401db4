"""Rows in the context of the row before them, among the rows of one owner.

If the rows of a table are in order, the row before is the previous row of the same owner. Otherwise
it is a random other row of the owner, so that columns that hardly vary among rows of an owner do
not vary in samples either. Rows and the rows before them are compared by their released codes:
nothing has to be described again, and a transition is a row of categories like any other.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.domain import Category
from sdv_threea.encoding.encoders import Transformer, decode, encode
from sdv_threea.relational.layout import name_context
from sdv_threea.relational.magnitudes import LARGEST_BOUND
from sdv_threea.relational.model import TableRelease, draw_rows
from sdv_threea.rows.units.membership import LEFT_OUT, Coins, bound_rows

#: Number of codes of ranks: the first row, the next two, the next four, and so on.
NUM_RANKS = 1 + int(math.log2(LARGEST_BOUND))

#: Draws the own columns of the rows at these positions of a table, given their known columns.
Draw = Callable[[Wholes], pd.DataFrame]


class Related(NamedTuple):
    """Rows of a table with their context, which comes first: private.

    Args:
        units: The unit of each row, shape (n,).
        previous: The row of the same owner before each row, -1 for none, shape (n,).
        numbers: The number of each row in the whole table, shape (n,).
    """

    rows: pd.DataFrame
    units: Wholes
    previous: Wholes
    numbers: Wholes


def rank_rows(owners: Wholes, places: Wholes | Floats | None = None) -> Wholes:
    """Return the number of each row among those of its owner, from 0.

    ``owners`` is the owner of each row, -1 for none; ``places`` is its position in the order, by
    default that of the table; shape (n,) each. Rows without an owner have rank 0.

    Formal guarantees:
        * the rank of a row depends on the rows of its owner alone, and on their order
    """
    ranks = np.zeros(len(owners), dtype=np.int64)
    order = np.argsort(owners, kind='stable') if places is None else np.lexsort((places, owners))
    order = order[owners[order] >= 0]
    ordered = owners[order]
    ranks[order] = np.arange(len(order)) - np.searchsorted(ordered, ordered, side='left')
    return ranks


def describe_rank(name: str) -> Category:
    """Describe the column of ranks, which is public."""
    return Category(name=name, values=tuple(range(NUM_RANKS)), nullable=False, ordered=True)


def code_ranks(ranks: Wholes) -> NDArray[np.object_]:
    """Return the codes of ranks as the values of their column, shape (n,)."""
    codes = np.minimum(np.log2(ranks + 1.0), NUM_RANKS - 1).astype(np.int64)
    named: NDArray[np.object_] = codes.astype(object)
    return named


def add_rank(model: TableRelease, context: pd.DataFrame, ranks: Wholes) -> pd.DataFrame:
    """Return the context of rows with the column of their rank, if the model has one."""
    if model.layout.rank is None:
        return context
    return context.assign(**{model.layout.rank: code_ranks(ranks)})


def own_transformers(model: TableRelease) -> tuple[Transformer, ...]:
    """Return the transformers of the columns of a table without its context."""
    given = model.layout.context
    return tuple(each for each in model.released.transformers if each.name not in given)


def name_before(model: TableRelease) -> dict[str, str]:
    """Name the columns of the row before, by the row's own, unlike any column of the model."""
    own = own_transformers(model)
    taken = [each.name for each in model.released.transformers]
    named = name_context(own, taken, 'before')
    return {each.name: name for each, name in zip(own, named, strict=True)}


def name_codes(
    codes: NDArray[np.integer], names: tuple[str, ...], rows: Wholes | None = None
) -> pd.DataFrame:
    """Return codes of some or all rows, shape (n, m), as columns of objects; 0 becomes ``None``."""
    picked = codes if rows is None else codes[rows]
    found = picked.astype(object)
    found[picked < 1] = None
    return pd.DataFrame(found, columns=list(names))


def read_codes(rows: pd.DataFrame, own: tuple[Transformer, ...]) -> Wholes:
    """Return the codes that a model of transitions drew, shape (n, m); 0 for a missing value."""
    columns = [rows[each.name].astype('float64').fillna(0).to_numpy() for each in own]
    return np.stack(columns, axis=1).astype(np.int64)


def list_rounds(owners: Wholes, *, ordered: bool) -> Iterator[tuple[Wholes, Wholes]]:
    """Yield the rows to draw in each round, and the row before each; the first round has none.

    ``owners`` is the owner of each row, -1 for none; rows of one owner are neighbours. In an order,
    a row is drawn after its predecessor. Otherwise all rows are drawn after the first one of their
    owner, so that none is far from the others.
    """
    ranks = rank_rows(owners)
    back = np.ones(len(ranks), dtype=np.int64) if ordered else ranks
    rounds = ranks if ordered else np.minimum(ranks, 1)
    order = np.argsort(rounds, kind='stable')
    ends = np.cumsum(np.bincount(rounds))
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        rows = order[start:end]
        yield rows, rows - back[rows]


def draw_in_turn(
    model: TableRelease,
    context: pd.DataFrame,
    owners: Wholes,
    settle: Callable[[Draw, Wholes], pd.DataFrame],
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Draw the own columns of rows, each given the row before it.

    Args:
        model: The model of the table, with a model of following rows or an agreement.
        context: The context of each row: columns of its owner, and its rank.
        owners: The owner of each row, -1 for none, shape (n,).
        settle: Takes a function that draws rows, and their positions; returns rows that may stay.
        rng: Source of randomness, which needs no secrecy.
    """
    following, own = model.following, own_transformers(model)
    codes = np.zeros((len(context), len(own)), dtype=np.int64)
    before, previous = tuple(name_before(model).values()), np.full(len(context), -1)

    def start(rows: Wholes) -> pd.DataFrame:
        return draw_rows(model, context.iloc[rows].reset_index(drop=True), rng)

    def follow(rows: Wholes) -> pd.DataFrame:
        theirs, known = codes[previous[rows]], context.iloc[rows].reset_index(drop=True)
        if following is None:
            kept = pd.DataFrame(theirs, columns=[each.name for each in own])
            return draw_rows(model, known, rng, kept)
        given = pd.concat([known, name_codes(theirs, before)], axis=1)
        return decode(read_codes(draw_rows(following, given, rng), own), own, rng)

    parts = []
    for number, (rows, last) in enumerate(list_rounds(owners, ordered=model.ordered)):
        previous[rows] = last
        drawn = settle(follow if number else start, rows)
        codes[rows] = np.maximum(encode(drawn, own), 0)
        parts.append(drawn.set_axis(rows))
    return pd.concat(parts).sort_index() if parts else start(np.zeros(0, dtype=np.int64))


def draw_gaps(draw: Draw, gap: str, followed: Bools, rows: Wholes) -> pd.DataFrame:
    """Draw rows at some positions; those that lack a gap again, as long as any of them gets one.

    ``followed`` is true for rows that need a gap, as their owner has several, shape (n,).
    """
    drawn = draw(rows)
    again = np.flatnonzero(followed[rows] & drawn[gap].isna())
    while len(again):
        redrawn = draw(rows[again]).set_axis(again)
        found = redrawn[redrawn[gap].notna()]
        if found.empty:
            break
        drawn = pd.concat([drawn.drop(index=found.index), found]).sort_index()
        again = np.setdiff1d(again, found.index)
    return drawn


def draw_before(
    model: TableRelease, given: pd.DataFrame, owned: Wholes, rng: np.random.Generator
) -> pd.DataFrame:
    """Return the context of following rows, with a row before drawn from the model of rows.

    ``given`` is the context of rows, and ``owned`` the number of rows of their owners, shape (P,).
    """
    last = (rng.random(len(given)) * np.maximum(owned - 1, 1)).astype(np.int64)
    earlier, given = add_rank(model, given, last), add_rank(model, given, last + 1)
    own = own_transformers(model)
    codes = np.maximum(encode(draw_rows(model, earlier, rng), own), 0)
    return pd.concat([given, name_codes(codes, tuple(name_before(model).values()))], axis=1)


def pair_rows(
    names: Mapping[str, str], bound: int | None, key: int, related: Related
) -> pd.DataFrame:
    """Return private rows, each with the row before it: at most ``bound`` of each unit.

    ``names`` has names for the columns of the row before, by the row's own.

    Formal guarantees:
        * a row of the result is a function of two rows of one owner and of the owner, so of one
          unit, and which rows are kept depends on this unit alone
    """
    led = np.where(related.previous >= 0, related.units, LEFT_OUT)
    kept = bound_rows(led, bound, Coins(key, related.numbers))
    earlier = related.rows[list(names)].iloc[related.previous[kept]].reset_index(drop=True)
    later = related.rows[kept].reset_index(drop=True)
    return pd.concat([later, earlier.rename(columns=names)], axis=1)


def encode_pairs(model: TableRelease, chunk: pd.DataFrame) -> pd.DataFrame:
    """Encode rows of :func:`pair_rows` to columns of :func:`describe_following`.

    Formal guarantees:
        * a row of the result is a function of a row of the chunk
    """
    own, named = own_transformers(model), name_before(model)
    names, before = tuple(named), tuple(named.values())
    earlier = chunk[list(before)].set_axis(list(names), axis='columns')
    parts = [
        chunk[list(model.layout.context)],
        name_codes(encode(earlier, own), before).set_axis(chunk.index),
        name_codes(encode(chunk[list(names)], own), names).set_axis(chunk.index),
    ]
    return pd.concat(parts, axis=1)


def describe_following(model: TableRelease) -> tuple[Category, ...]:
    """Describe pairs of rows by released facts: the context, and codes of both rows as categories.

    Their values are the codes that occur in samples of the model.
    """
    released, own = model.released, own_transformers(model)
    context = tuple(released.domain[name] for name in model.layout.context)
    found = []
    named = name_before(model)
    for names in (named.values(), named):
        for name, transformer in zip(names, own, strict=True):
            occurs = np.asarray((released.chances(transformer.name) > 0).any(axis=0))
            codes = tuple(each for each in np.flatnonzero(occurs).tolist() if each > 0)
            column = Category(
                name=name,
                values=codes,
                nullable=bool(occurs[0]) and transformer.name != model.layout.gap,
                ordered=transformer.ordered,
                apart=_keep_apart(transformer, codes),
                alone=transformer.name in model.layout.alone,
            )
            found.append(column)
    return (*(each for each in context if isinstance(each, Category)), *found)


def _keep_apart(transformer: Transformer, codes: tuple[int, ...]) -> tuple[float, ...]:
    """Return how unlike each of these codes is its predecessor, if that is known."""
    apart = getattr(transformer, 'apart', ())
    if not apart or not codes:
        return ()
    return tuple(np.maximum.reduceat(apart[: codes[-1]], [0, *codes[:-1]]).tolist())
