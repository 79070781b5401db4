"""References to public rows by their attributes, where noise does not allow a bin for each row.

A private row then has columns with attributes of the public row that it refers to, in coarse bins,
and in samples a public row with these attributes is chosen. Public and released facts alone are
read.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.domain import Category, Domain
from sdv_threea.joint.density import LEAST_INFORMATION
from sdv_threea.joint.tables import inform
from sdv_threea.planning.shares import Known, drowns_pairs
from sdv_threea.relational.layout import Attribute, Layout
from sdv_threea.relational.model import TableRelease
from sdv_threea.relational.row_counts import overall_chances
from sdv_threea.relational.transitions import rank_rows
from sdv_threea.schema import Link

#: Distances that are computed at once.
BLOCK = 2**22

#: Rounds in which rows look for a place; the rest get any place.
ROUNDS = 40


def settle_attributes(layout: Layout, domain: Domain, known: Known) -> tuple[Layout, Domain]:
    """Choose how references to large public tables are released.

    A reference is a column like any other if there are so many references to each public row that
    noise allows to count it in pairs. Otherwise the public row is described by attributes, as many
    as leave pairs countable, and the reference is counted by itself, which shows how popular each
    public row is.

    Args:
        layout: The columns of the table, with all attributes.
        domain: Public facts of these columns, and of the context.
        known: The budget, the expected number of rows, and that of context columns.
    """
    settled, joint = replace(layout, attributes={}), known.settings.constants.joint
    for link, listed in layout.attributes.items():
        column = domain[layout.references[link]]
        assert isinstance(column, Category)
        num_rows = len(column.values or ())  # noqa: PD011 (no pandas)
        # A pair has the square of these bins, each of which holds ``records_per_noise`` times the
        # noise; so a public row holds as many times more.
        bins = math.isqrt(int(joint.records_per_noise * num_rows))
        if not drowns_pairs(_describe(layout, settled, domain), known, bins):
            continue
        for num in range(len(listed), 0, -1):
            tried = replace(settled, attributes={**settled.attributes, link: listed[:num]})
            if not drowns_pairs(_describe(layout, tried, domain), known):
                settled = tried
                break
    return settled, _describe(layout, settled, domain)


def _describe(layout: Layout, settled: Layout, domain: Domain) -> Domain:
    """Return the domain with the settled attributes, and without the others of the layout."""
    left = {each.name for found in layout.attributes.values() for each in found}
    left -= {each.name for found in settled.attributes.values() for each in found}
    columns = tuple(
        replace(own, alone=True) if isinstance(own, Category) and own.name in settled.alone else own
        for own in domain.columns
        if own.name not in left
    )
    return replace(domain, columns=columns)


class Side(NamedTuple):
    """An attribute of drawn rows, and of public rows.

    Args:
        wanted: The bins of drawn rows, shape (n,).
        public: The bins of public rows, shape (P,).
        ordered: Whether the order of the bins means something.
        weight: How much the attribute says about a row, in nats.
    """

    wanted: Wholes
    public: Wholes
    ordered: bool
    weight: float

    def embed(self) -> tuple[Floats, Floats]:
        """Return points of wanted and of public bins, shape (n, D) and (P, D).

        Two categories have the squared distance ``weight``. The bins in order that two rows are
        apart count more if the attribute says more, as it then tells more bins apart.
        """
        size = int(max(self.wanted.max(initial=0), self.public.max())) + 1
        points = np.eye(size) / math.sqrt(2)
        if self.ordered:
            points = np.arange(size)[:, None] / size * math.exp(self.weight / 2)
        points = np.asarray(points * math.sqrt(self.weight), dtype=np.float64)
        return points[self.wanted], points[self.public]


def refer_by_attributes(
    model: TableRelease, link: Link, rows: pd.DataFrame, rng: np.random.Generator
) -> Wholes:
    """Choose the public row of each drawn row by its attributes, -1 for none.

    Among public rows with the same attributes, each gets references in proportion to its released
    popularity. If no public row has all of them, or all that have get their references from other
    rows, one with the nearest is taken.
    """
    listed, released = model.layout.attributes[link], model.released
    column = released.domain[model.layout.references[link]]
    assert isinstance(column, Category)
    popular = np.zeros(len(listed[0].codes))
    order = np.array(column.values, dtype=np.int64)
    popular[order] = overall_chances(released, column.name)[1:]
    here = rows[listed[0].name].notna().to_numpy()
    sides = [_find_side(model, each, rows[each.name][here]) for each in listed]
    found = np.full(len(rows), -1)
    most = model.constants.clear_of_noise() * model.noise
    found[here] = choose_nearest(sides, popular, rng, most)
    return found


def _find_side(model: TableRelease, attribute: Attribute, drawn: pd.Series) -> Side:
    """Return an attribute in the bins of the pair counts, weighted by what it says about rows.

    Bins of pairs are coarser. A code inside a bin says nothing about the other columns of a row,
    unless pairs of codes are counted.
    """
    codes = drawn.astype('float64').fillna(1.0).to_numpy(np.int64)
    joint, released = model.released.joint, model.released
    scored = [released.transformers[place].name for place in released.scored]
    if joint is None or attribute.name not in scored:  # it may be the target
        return Side(codes, attribute.codes, attribute.ordered, 1.0)
    at = scored.index(attribute.name)
    own = [place for place, name in enumerate(scored) if name in model.layout.own]
    told = inform(len(joint.columns), joint.tables)[at, own]
    bins = joint.columns[at].of_code
    if any(at in pair for pair in joint.functions):
        bins = np.arange(len(bins))
    seen = np.flatnonzero(bins >= 0)
    # A public row that is never referred to gets the bin of the code before its own.
    bins = bins[seen[np.maximum(np.searchsorted(seen, np.arange(len(bins)), 'right') - 1, 0)]]
    weight = max(float(told.max(initial=0.0)), LEAST_INFORMATION)
    return Side(bins[codes], bins[attribute.codes], attribute.ordered, weight)


def choose_nearest(
    sides: Sequence[Side], popular: Floats, rng: np.random.Generator, noise: float = 0.0
) -> Wholes:
    """Choose a public row for each of n drawn rows, shape (n,): the nearest, or one of several.

    Public rows that are equally near get references in proportion. Together they get no more than
    their share, unless noise may explain more; other rows take the next nearest.

    Args:
        sides: The attributes.
        popular: The share of references to each public row, shape (P,); rows without any are not
            chosen.
        rng: Source of randomness, which needs no secrecy.
        noise: How much larger noise may have made a share.
    """
    public = np.flatnonzero(popular > 0)
    public = public if len(public) else np.arange(len(popular))
    weights = popular[public] if popular.any() else np.ones(len(public))
    wanted, ours = _number([each.wanted for each in sides])
    listed, theirs = _number([each.public[public] for each in sides])
    points = [side.embed() for side in sides]
    first, second = (np.hstack(each) for each in zip(*points, strict=True))
    shares, numbers = np.bincount(theirs, weights) / weights.sum(), np.bincount(theirs)
    passed = np.floor(np.append(0.0, np.cumsum(shares)) * len(ours) + rng.random())
    passed[-1] = len(ours)  # whatever rounding did
    room = np.diff(passed) + np.ceil(noise * np.sqrt(numbers) * len(ours))
    cells = _fill(ours, first[wanted], second[public[listed]], room.astype(np.int64), rng)
    return np.asarray(public[_share_out(cells, theirs, weights, rng)])


def _fill(
    kinds: Wholes, points: Floats, places: Floats, room: Wholes, rng: np.random.Generator
) -> Wholes:
    """Return the place of each row, shape (n,): the nearest with room, which near rows take first.

    ``kinds`` is the kind of each row, and ``points`` those of the kinds, shape (K, D). There is
    ``room`` for a number of rows at each of the ``places``, shape (V,) and (V, D).
    """
    found, left = np.zeros(len(kinds), dtype=np.int64), room.copy()
    waiting = rng.permutation(len(kinds))
    for _ in range(ROUNDS if len(kinds) else 0):
        free, (here, own) = np.flatnonzero(left), np.unique(kinds[waiting], return_inverse=True)
        nearest, distances = _find_nearest(points[here], places[free])
        chosen = free[nearest][own]
        taken = rank_rows(chosen, distances[own]) < left[chosen]
        found[waiting[taken]] = chosen[taken]
        left -= np.bincount(chosen[taken], minlength=len(left))
        waiting = waiting[~taken]
        if not len(waiting):
            break
    most = np.minimum(left, len(waiting))
    found[waiting] = rng.permutation(np.repeat(np.arange(len(left)), most))[: len(waiting)]
    return found


def _find_nearest(points: Floats, places: Floats) -> tuple[Wholes, Floats]:
    """Return the nearest place to each point, shape (K,), and its squared distance."""
    nearest, distances = np.empty(len(points), dtype=np.int64), np.empty(len(points))
    squares = np.square(places).sum(axis=1)
    for block in np.array_split(np.arange(len(points)), 1 + len(points) * len(places) // BLOCK):
        apart = squares - 2 * points[block] @ places.T
        nearest[block], distances[block] = apart.argmin(axis=1), apart.min(axis=1)
    return nearest, distances + np.square(points).sum(axis=1)


def _number(columns: Sequence[Wholes]) -> tuple[Wholes, Wholes]:
    """Return the first row of each combination of codes, and the combination of each row, (n,)."""
    codes = np.stack(columns, axis=1)
    _, first, numbers = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    return first, numbers.reshape(-1)


def _share_out(wanted: Wholes, cells: Wholes, weights: Floats, rng: np.random.Generator) -> Wholes:
    """Choose a public row of the wanted cell, shape (n,): evenly, in proportion to the weights.

    ``cells`` and ``weights`` are those of public rows, shape (P,).
    """
    order = rng.permutation(len(cells))
    order = order[np.argsort(cells[order], kind='stable')]
    passed = np.append(0.0, np.cumsum(weights[order]))
    first = np.searchsorted(cells[order], np.arange(cells.max() + 2))
    numbers = np.bincount(wanted, minlength=len(first) - 1)
    ranks = rank_rows(wanted, rng.permutation(len(wanted)))
    places = (ranks + rng.random(len(numbers))[wanted]) / numbers[wanted]
    low, high = passed[first[wanted]], passed[first[wanted + 1]]
    at = np.searchsorted(passed, low + places * (high - low), side='right') - 1
    return np.asarray(order[np.clip(at, first[wanted], first[wanted + 1] - 1)])
