"""Which kinds of rows refer to which: tables of a column at each end of a reference.

Public facts and released histograms determine the columns and their bins. A reference is in one
cell of each table. Noisy tables are shrunk toward independence; if both columns have the same
values, toward values that are equal as often as counted.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sdv_threea.accounting.sensitivities import reference_sensitivity
from sdv_threea.arrays import Floats, Wholes
from sdv_threea.constants import ApproximateConstants, Evidence
from sdv_threea.encoding.encoders import CategoryEncoder, Transformer, list_coders
from sdv_threea.joint.density import LEAST_INFORMATION
from sdv_threea.joint.joint_constants import JointConstants
from sdv_threea.joint.pair_bins import cut_pair_bins, num_pair_bins
from sdv_threea.joint.pairs import PairCounts
from sdv_threea.joint.tables import estimate_tables
from sdv_threea.maths.shrinkage import ratio, stein_factor
from sdv_threea.relational.model import References, TableRelease
from sdv_threea.relational.row_counts import overall_chances
from sdv_threea.rows.codes import Columns
from sdv_threea.rows.units.links import Ends
from sdv_threea.schema import Link, Schema

#: The largest number of tables of a link, to bound the memory of fits without noise.
MOST_TABLES = 32

#: The weight of a reference in a table of two columns with the same values. With weight 1,
#: references of 5,000 units at epsilon 3, whose kinds form a circle, kept .75 of it in place of .85
#: (six fits).
SAME = 2

#: The smallest share of a bin, because margins are divisors.
LEAST_SHARE = 1e-9


class End(NamedTuple):
    """A column at one end of references: released.

    Args:
        own: Whether it is a column of the row itself, and not of its owner or of the parent.
        public: The public table that it refers to; ``None`` for a column of the user.
        shares: The share of each code, shape (S,).
        least: The smallest share that noise does not explain.
    """

    own: bool
    transformer: Transformer
    public: str | None
    shares: Floats
    least: float

    @property
    def entropy(self) -> float:
        """The entropy of the codes, in nats."""
        shares = self.shares[self.shares > 0]
        return -float(shares @ np.log(shares))


class Both(NamedTuple):
    """A column at each end, and whether they can have the same values."""

    ours: End
    theirs: End
    same: bool

    @property
    def weight(self) -> int:
        """How many times a reference counts in the table."""
        return SAME if self.same else 1


def list_ends(model: TableRelease, *, own: bool) -> list[End]:
    """List the columns of a table that vary: the user's, and references to public tables."""
    released, layout = model.released, model.layout
    public = {name: link.parent for link, name in layout.references.items()}
    found = []
    for transformer in released.transformers:
        name = transformer.name
        shares = overall_chances(released, name)
        if (name in layout.own or name in public) and (shares > 0).sum() > 1:
            least = model.noise * model.constants.clear_of_noise()
            found.append(End(own, transformer, public.get(name), shares, least))
    return found


def pair_ends(schema: Schema, models: Mapping[str, TableRelease], link: Link) -> list[Both]:
    """List pairs: a column of a row or of its owner, and a column of the row that it refers to.

    Pairs with the same values come first: categories of the same name, and references to the same
    public table. Then come columns of the row itself, because they distinguish references of one
    owner. Within these groups, pairs that can have more information come first: information is at
    most the smaller entropy of both columns.
    """
    owner, theirs = schema.owners[link.child], list_ends(models[link.parent], own=False)
    ours = list_ends(models[link.child], own=True)
    ours += list_ends(models[owner.parent], own=False) if owner else []
    pairs = [Both(one, other, _is_same(one, other)) for one in ours for other in theirs]

    def rank(pair: Both) -> tuple[bool, bool, float]:
        return not pair.same, not pair.ours.own, -min(pair.ours.entropy, pair.theirs.entropy)

    return sorted(pairs, key=rank)[:MOST_TABLES]


def plan_ends(
    pairs: Sequence[Both],
    num_references: float,
    mu: float,
    constants: tuple[JointConstants, ApproximateConstants],
    *,
    within: bool,
) -> tuple[tuple[Both, Ends], ...]:
    """Choose pairs and their bins: as many pairs as have counts far above their noise.

    If there is no such table of bins, only equal values are counted. ``mu`` is the price, divided
    by :attr:`~sdv_threea.accounting.Budget.distance`; ``within`` is an argument of the sensitivity.
    """
    for several in range(len(pairs), 0, -1):
        squares = sum(each.weight**2 for each in pairs[:several])
        squared = round(reference_sensitivity(squares, within, 'add_remove') ** 2)
        if num_bins := num_pair_bins(num_references, squared, mu, constants[0]):
            return tuple((each, _cut(each, num_bins, *constants)) for each in pairs[:several])
    alike = [each for each in pairs if each.same]
    return tuple((each, _merge(_cut(each, constants[0].least_bins, *constants))) for each in alike)


def list_columns(
    chosen: Sequence[tuple[Both, Ends]],
) -> tuple[tuple[Columns, Columns, Columns], tuple[tuple[int, int, Ends], ...]]:
    """Return the columns of rows, owners and parents in tables, and each table with its columns."""
    own = _list_once([both.ours for both, _ in chosen if both.ours.own])
    above = _list_once([both.ours for both, _ in chosen if not both.ours.own])
    theirs = _list_once([both.theirs for both, _ in chosen])
    places = {(True, name): at for at, (name, _) in enumerate(own)}
    places |= {(False, name): len(own) + at for at, (name, _) in enumerate(above)}
    names = [name for name, _ in theirs]
    ends = ((places[each.own, each.ours], names.index(each.theirs), each) for _, each in chosen)
    return (own, above, theirs), tuple(ends)


def estimate_ends(
    chosen: Sequence[tuple[Both, Ends]],
    counts: Sequence[Floats],
    scale: float,
    crowd: float,
    constants: JointConstants,
) -> References:
    """Return estimated tables, the most informative first.

    ``counts`` are noisy counts of cells, by table, each reference with the weight of the table;
    ``scale`` is their noise. A reference leads to a row that has ``crowd`` references on average.
    """
    if not chosen:
        return References()
    scales = [scale / both.weight for both, _ in chosen]
    seen = [
        _see(ends, own / both.weight, each)
        for (both, ends), own, each in zip(chosen, counts, scales, strict=True)
    ]
    margins: tuple[list[Floats], list[Floats]] = ([], [])
    tables, expected = {}, {}
    for at, ((both, own), one) in enumerate(zip(chosen, seen, strict=True)):
        known = _share(both.ours, own.of_ours), _share(both.theirs, own.of_theirs)
        settled = [_settle(each, one, axis) for axis, each in enumerate(known)]
        tables[at, len(chosen) + at] = one.table * one.total
        expected[at, len(chosen) + at] = _expect(both, one, *settled) * one.total
        for side, each in zip(margins, settled, strict=True):
            side.append(each * one.total)
    ends = [*(each.ours for each, _ in chosen), *(each.theirs for each, _ in chosen)]
    ordered = [each.transformer.ordered for each in ends]
    pairs = PairCounts(tables, dict(zip(tables, scales, strict=True)))
    estimated = estimate_tables(pairs, margins[0] + margins[1], expected, ordered, constants)
    whole = zip(chosen, seen, estimated.values(), strict=True)
    cells = [_split(*each, one, table, crowd) for each, one, table in whole]
    told = [information + uneven for _, information, uneven in cells]
    order = [at for at in np.argsort(told)[::-1].tolist() if told[at] > 0]
    return References(
        ends=tuple(chosen[at][1] for at in order),
        tables=tuple(cells[at][0] for at in order),
        uneven=tuple(cells[at][2] > 0 for at in order),
    )


class Seen(NamedTuple):
    """A table as it is counted: released.

    Args:
        table: Shares of bins, shape (G, H).
        alike: Shares of equal codes among the bins of the second column, shape (H,).
        total: The number of references.
        scale: Noise scale of a share.
    """

    table: Floats
    alike: Floats
    total: float
    scale: float


def _see(ends: Ends, counts: Floats, scale: float) -> Seen:
    total = max(float(counts.sum()), 1.0)
    *rest, alike = counts.reshape(ends.shape) / total
    table = np.array(rest)
    size = min(table.shape)
    table[range(size), range(size)] += alike[:size]
    return Seen(table, alike, total, scale / total)


def _is_same(one: End, other: End) -> bool:
    if one.public is not None or other.public is not None:
        return one.public == other.public
    kinds = (
        isinstance(one.transformer, CategoryEncoder),
        isinstance(other.transformer, CategoryEncoder),
    )
    return one.transformer.name == other.transformer.name and all(kinds)


def _list_once(ends: Sequence[End]) -> Columns:
    found = {end.transformer.name: end.transformer for end in ends}
    return list_coders(tuple(found.values()))


def _cut(
    both: Both, num_bins: int, joint: JointConstants, approximate: ApproximateConstants
) -> Ends:
    """Cut both columns into bins; into the same bins if they can have the same values."""
    ours, theirs = both.ours, both.theirs
    least = max(ours.least, theirs.least)

    def cut(end: End, shares: Floats) -> Wholes:
        (found,) = cut_pair_bins(
            [shares],
            [shares > 0],
            [end.transformer.ordered],
            num_bins,
            least,
            joint,
            approximate,
            [getattr(end.transformer, 'apart', ())],
        )
        return found

    names = both.ours.own, ours.transformer.name, theirs.transformer.name
    equal = np.full(len(theirs.shares), -1)
    if not both.same:
        return Ends(*names, cut(ours, ours.shares), cut(theirs, theirs.shares), equal)
    codes = {value: code for code, value in enumerate(_list_values(ours), start=1)}
    found = [0, *(codes.get(value, -1) for value in _list_values(theirs))]
    equal[: len(found)] = found
    bins = cut(ours, (ours.shares + _match(theirs.shares, equal, len(ours.shares))) / 2)
    others = np.where(theirs.shares > 0, bins.max() + 1, -1)
    return Ends(*names, bins, np.where(equal >= 0, bins[equal], others), equal)


def _list_values(end: End) -> tuple[Hashable, ...]:
    assert isinstance(end.transformer, CategoryEncoder)
    return end.transformer.values


def _match(shares: Floats, equal: Wholes, size: int) -> Floats:
    return np.bincount(equal[equal >= 0], shares[equal >= 0], size).astype(np.float64)


def _merge(ends: Ends) -> Ends:
    """Merge all bins of each column, so that the table only separates equal codes from others."""
    merged = np.minimum(ends.of_ours, 0), np.minimum(ends.of_theirs, 0)
    return replace(ends, of_ours=merged[0], of_theirs=merged[1])


def _share(end: End, bins: Wholes) -> Floats:
    shares = np.bincount(bins[bins >= 0], end.shares[bins >= 0], int(bins.max()) + 1)
    return np.asarray(shares / shares.sum())


def _settle(known: Floats, seen: Seen, axis: int) -> Floats:
    """Return the margin of references along an axis, shrunk toward ``known``, that of rows."""
    off = seen.table.sum(axis=1 - axis) - known
    noise = seen.scale * math.sqrt(seen.table.shape[1 - axis])
    margin = np.maximum(known + stein_factor(off, noise) * off, LEAST_SHARE)
    return np.asarray(margin / margin.sum())


def _expect(both: Both, seen: Seen, rows: Floats, columns: Floats) -> Floats:
    """Return a table of independent columns, or, for the same values, with a part of equal ones."""
    table = np.outer(rows, columns)
    if both.same:
        chance, size = table.diagonal(), min(table.shape)
        noise = seen.scale * math.sqrt(size)
        kept = _believe(float(seen.table.trace() - chance.sum()), 1 - float(chance.sum()), noise)
        equal = kept * np.sqrt(chance)
        table *= 1 - kept
        table[range(size), range(size)] += equal
    return table


def _believe(excess: float, most: float, noise: float) -> float:
    """Return the excess over chance as a part of ``most``, shrunk by its noise."""
    if most < LEAST_SHARE:
        return 0.0
    part = min(max(excess / most, 0.0), 1.0)
    return part * part**2 / max(part**2 + (noise / most) ** 2, LEAST_SHARE**2)


def _split(
    both: Both, ends: Ends, seen: Seen, table: Floats, crowd: float
) -> tuple[Floats, float, float]:
    """Return the probabilities of cells, and the information of cells and of the second margin.

    The information, in nats, is relative to independent columns and to the shares of the rows.
    """
    size = min(table.shape)
    equal = _match(both.theirs.shares, ends.equal, len(both.ours.shares))
    bins = np.maximum(ends.of_ours, 0)
    both_equal, ours, theirs = (
        np.bincount(bins, own * (ends.of_ours >= 0), size)[:size].astype(np.float64)
        for own in (both.ours.shares * equal, both.ours.shares, equal)
    )
    chance = ratio(both_equal, ours * theirs)  # that codes in a bin are equal
    even = chance * table.diagonal()
    noise = seen.scale * math.sqrt(size)
    excess = float(seen.alike[:size].sum() - even.sum())
    kept = _believe(excess, float((table.diagonal() - even).sum()), noise) if both.same else 0.0
    margins = table.sum(axis=1), table.sum(axis=0)
    independent = np.outer(*margins)
    apart = _set_apart(independent, chance * independent.diagonal())
    cells = _set_apart(table, even + kept * (table.diagonal() - even))
    told = _tell(cells, apart, seen.total / crowd)
    known = _share(both.theirs, ends.of_theirs)
    noise = seen.scale * math.sqrt(table.shape[0])
    uneven = _tell(margins[1], known, seen.total / crowd, noise)
    if told and noise**2 * seen.total < crowd * float(known[known > 0].min()):
        # Some kinds of rows need a place at these kinds of parent rows; chance would blur their
        # shares more than noise does.
        uneven = max(uneven, LEAST_INFORMATION)
    return cells if told else apart, told, uneven


def _tell(shares: Floats, usual: Floats, total: float, noise: float = 0.0) -> float:
    """Return the information of shares relative to usual ones, in nats; 0 if chance explains it."""
    occurs = (shares > 0) & (usual > 0)
    one, other = shares[occurs], usual[occurs]
    told = float((one * np.log(one / other)).sum())
    # Twice the information of chance, times the number of references, is a chi-squared variable;
    # noise adds its variance to that of each share.
    free = max(len(one) - 1, 1)
    least = (free / total + noise**2 * float((1 / other).sum())) / 2
    least *= 1 + Evidence().clear_of_noise() * math.sqrt(2 / free)
    return told if told > max(least, LEAST_INFORMATION) else 0.0


def _set_apart(table: Floats, equal: Floats) -> Floats:
    """Move equal codes from the diagonal of a table to an additional last row."""
    size = len(equal)
    cells = np.vstack([table, np.zeros(table.shape[1])])
    cells[range(size), range(size)] -= equal
    cells[-1, :size] = equal
    return np.maximum(cells, 0.0)
