"""Estimates of the number of rows of a table, from released counts only."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from sdv_threea.arrays import Floats
from sdv_threea.constants import RelationalConstants
from sdv_threea.domain import Column, Domain, Number
from sdv_threea.encoding.encoders import NumberEncoder
from sdv_threea.maths.shrinkage import precision_weight
from sdv_threea.relational.magnitudes import FIRST, MIDDLES, Magnitudes
from sdv_threea.relational.model import TableRelease
from sdv_threea.release import Release
from sdv_threea.schema import Link, Schema


def believe(count: float, scale: float, constants: RelationalConstants) -> float:
    """Return a count, or zero if noise of this standard deviation explains it."""
    return count if count > constants.clear_of_noise() * scale else 0.0


def estimate_size(
    magnitudes: Magnitudes,
    bound: int | None,
    num_rows: float,
    noise: float,
) -> tuple[float, float]:
    """Estimate the number of rows of a table from its own releases, and the estimate's noise.

    The rows within ``bound`` per unit (``None`` for no bound) have two estimates, the released
    ``num_rows`` and the magnitudes, which are averaged with inverse variances as weights. The
    magnitudes' estimate of rows beyond the bound is added.
    """
    if not bound or not noise:
        return num_rows + (magnitudes.beyond(bound)[0] if bound else 0.0), 0.0
    counted, noise_of_counted = magnitudes.count(bound)
    trust = precision_weight(noise_of_counted, noise)
    within = max(num_rows + trust * (counted - num_rows), 0.0)
    beyond, doubt = magnitudes.beyond(bound)
    return within + beyond, math.hypot(math.sqrt(trust) * noise_of_counted, doubt)


def count_owned(parent: TableRelease, link: Link, orphans: float) -> tuple[float, float]:
    """Estimate the rows of a table from its owner's release; also return the estimate's noise.

    One column of the owner is the number of rows that a row owns. The estimate is the number of the
    owner's rows times the mean of that column, ``sum_v v P(v)``, plus the ``orphans``: rows without
    an owner. The histogram lacks the few rows that own the most, so the estimate is too small.
    """
    values, chances = _spread_owned(parent, link)
    noise = parent.noise * float(np.linalg.norm(values[chances > 0]))
    return orphans + parent.size * float(values @ chances), parent.size * noise


def place_rows(magnitudes: Magnitudes, parent: TableRelease, link: Link) -> Magnitudes:
    """Return magnitudes with the mean numbers of rows that the histogram of owned rows shows.

    Each row of the parent is a unit. If all units have 12 rows, the magnitude of 12 to 15 rows has
    12 on average. A mean is as far from the middle as its share exceeds the noise.
    """
    first, last, chances = _bound_owned(parent, link)
    at, until = (np.searchsorted(FIRST, each, side='right') - 1 for each in (first, last))
    inside = (at == until) & (first > 0) & (chances > 0)
    at, chances, rows = at[inside], chances[inside], (first + last)[inside] / 2
    shares, totals, bins = (
        np.bincount(at, each, len(FIRST)) for each in (chances, chances * rows, chances > 0)
    )
    means = np.divide(totals, shares, out=MIDDLES.copy(), where=shares > 0)
    noise = parent.noise * np.sqrt(bins)
    trust = np.divide(shares, np.hypot(shares, noise), out=np.zeros(len(FIRST)), where=shares > 0)
    return replace(magnitudes, middles=MIDDLES + trust**2 * (means - MIDDLES))


def most_units(root: TableRelease, parent: TableRelease, link: Link) -> float:
    """Bound the number of units that have rows in a table, including one deviation of noise.

    If each row has an owner, the number of units is at most the number of owners that own a row.
    """
    units = root.size * (1 + root.noise)
    if not link.required:
        return units
    values, chances = _spread_owned(parent, link)
    return min(units, parent.size * (float(chances[values > 0].sum()) + parent.noise))


def _spread_owned(parent: TableRelease, link: Link) -> tuple[Floats, Floats]:
    first, last, chances = _bound_owned(parent, link)
    return (first + last) / 2, chances


def _bound_owned(parent: TableRelease, link: Link) -> tuple[Floats, Floats, Floats]:
    """Return the fewest and the most owned rows of each bin of the owner, and its share."""
    name = parent.layout.counts[link]
    transformer = next(each for each in parent.released.transformers if each.name == name)
    assert isinstance(transformer, NumberEncoder)
    # A bin holds the multiples of the step from its lower edge to below its upper edge.
    first = np.ceil(transformer.edges[:-1] / transformer.step) * transformer.step
    last = (np.ceil(transformer.edges[1:] / transformer.step) - 1) * transformer.step
    return first, last, overall_chances(parent.released, name)[1:]


def agree(
    one: float, noise: float, other: float, other_noise: float, constants: RelationalConstants
) -> float:
    """Return the weighted mean of two estimates if they agree; otherwise the first.

    Estimates agree if noise may explain their difference, and if they differ by at most half of the
    first, unless noise masks the first and the other is larger. The weights are inverse variances.
    The first estimate has no bias; the other may lack a tail.
    """
    near = constants.clear_of_noise() * math.hypot(noise, other_noise)
    if other < one or one > constants.clear_of_noise() * noise:
        near = min(near, one / 2)
    if not noise or abs(one - other) > near:
        return one
    return one + precision_weight(other_noise, noise) * (other - one)


def most_rows(root: TableRelease, magnitudes: Magnitudes, constants: RelationalConstants) -> float:
    """Bound the number of rows by units times rows per unit, if noise masks the number of units.

    Without this bound, a root that seems nearly empty by chance could own a huge number of rows,
    and a sample scaled to a given number of units would be far too large. The bound is infinite if
    noise does not mask the number of units.
    """
    hidden = root.noise * constants.clear_of_noise() > 1
    return raise_size(root, magnitudes) * magnitudes.rows_per_unit if hidden else math.inf


def raise_size(root: TableRelease, magnitudes: Magnitudes) -> float:
    """Return the size of a root table; if another table has more units, the mean of both.

    If all rows of the other table have an owner, each unit with such rows is a row of the root.
    """
    seen, noise = magnitudes.units
    own = root.noise * root.size
    if seen <= root.size or not own:
        return root.size
    return root.size + precision_weight(noise, own) * (seen - root.size)


def lend_ranges(
    domain: Domain, schema: Schema, owner: Link | None, tables: Mapping[str, TableRelease]
) -> Domain:
    """Return a domain in which unknown ranges have usual values: released ranges of other tables.

    Dates of one database are close together, so a date gets the latest range of dates of the
    nearest owner. Other numbers get the range of a number with the same name. If no owner has one,
    the table with the least noise provides it. Tables that noise masks provide no range.
    """
    named = {name: own for name, own in tables.items() if not own.is_masked}
    lenders = []
    while owner is not None:
        if owner.parent in named:
            lenders.append(named.pop(owner.parent))
        owner = schema.owners[owner.parent]
    lenders += sorted(named.values(), key=lambda own: own.noise)

    def lend(column: Column) -> Column:
        if not isinstance(column, Number) or None not in (column.low, column.high):
            return column
        for lender in lenders:
            like = [own for own in _list_ranges(lender) if own.of_times == column.of_times]
            if not column.of_times:
                like = [own for own in like if own.name == column.name]
            if like:
                high, low = max((own.high or 0.0, own.low or 0.0) for own in like)
                return replace(column, usual=(low, high))
        return column

    return replace(domain, columns=tuple(map(lend, domain.columns)))


def _list_ranges(model: TableRelease) -> list[Number]:
    columns = model.released.domain.columns
    found = [own for own in columns if isinstance(own, Number) and own.name in model.layout.own]
    return [own for own in found if None not in (own.low, own.high) and own.low != own.high]


def overall_chances(released: Release, name: str) -> Floats:
    """Return the released share of each code of a column, over all classes, shape (S,)."""
    weights = released.mixture.weights.sum(axis=1)
    return np.asarray(weights @ released.chances(name) / weights.sum())
