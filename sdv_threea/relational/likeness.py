"""Which rows of a public table are alike, so that references to them are counted together.

References to a large public table are counted by attributes of its rows, in coarse bins, or in bins
of several rows. If rows of a bin have similar attributes, the bins show which attributes at both
ends of a reference occur together: the price of a line is that of its product. Public rows alone
are read, so likeness costs no privacy.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from scipy.special import xlogy

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.constants import RAREST
from sdv_threea.domain import Domain, Number
from sdv_threea.relational.layout import Attribute

#: Steps of the power iteration for a main direction.
STEPS = 20


def order_alike(
    rows: pd.DataFrame, domain: Domain, keys: Iterable[tuple[str, ...]] = ()
) -> tuple[Wholes, Floats]:
    """Order the rows of a public table by their attributes, and say where neighbours are unlike.

    Rows are divided in two, again and again, where the variance along the main direction of their
    attributes falls most (Boley 1998). That direction also gives the order.

    Args:
        rows: The table, n rows.
        domain: Its attributes.
        keys: Its foreign keys, which are attributes, too.

    Returns:
        The rows in their order, and the squared distance of the two groups that are divided before
        each row, 0 within a group; shape (n,) each.
    """
    parts = [
        _rank(rows[each.name]) if isinstance(each, Number) else _indicate(rows[each.name])
        for each in domain.columns
        if each.name in rows
    ]
    parts += [_indicate(rows.groupby(list(key), dropna=False).ngroup()) for key in keys]
    points = np.hstack([np.zeros((len(rows), 1)), *parts])
    order, apart = np.arange(len(rows)), np.zeros(len(rows))
    waiting = [(0, len(rows))]
    while waiting:
        start, end = waiting.pop()
        group = order[start:end]
        place = _project(points[group])
        group, place = group[np.argsort(place, kind='stable')], np.sort(place)
        order[start:end] = group
        cut = _cut(place) if len(group) > max(RAREST * len(rows), 1) else 0
        if cut:
            off = points[group[:cut]].mean(axis=0) - points[group[cut:]].mean(axis=0)
            apart[start + cut] = off @ off
            waiting += [(start, start + cut), (start + cut, end)]
    return order, apart


def list_attributes(
    rows: pd.DataFrame, domain: Domain, keys: Iterable[tuple[str, ...]], most: int
) -> tuple[Attribute, ...]:
    """List attributes of the rows of a public table, in at most ``most`` bins each.

    The attribute that tells the most comes first, by the entropy of its bins. Attributes that are
    the same for all rows, or rare for most, are left out, and names of another attribute's values.
    """
    found = [
        Attribute(each.name, *_cut_attribute(rows[each.name], isinstance(each, Number), most))
        for each in domain.columns
        if each.name in rows
    ]
    for key in keys:
        groups = rows.groupby(list(key), dropna=False).ngroup()
        found.append(Attribute(', '.join(key), *_cut_attribute(groups, False, most)))
    found.sort(key=lambda each: -_count_nats(each.codes))
    kept: list[Attribute] = []
    for each in found:
        if each.codes.max(initial=1) > 1 and not any(_names(each, other) for other in kept):
            kept.append(each)
    return tuple(kept)


def _names(one: Attribute, other: Attribute) -> bool:
    """Return whether two attributes are names of the same values."""
    both = len(np.unique(np.stack([one.codes, other.codes]), axis=1).T)
    return both == int(one.codes.max()) == int(other.codes.max())


def _cut_attribute(values: pd.Series, numeric: bool, most: int) -> tuple[Wholes, bool]:
    """Return the bin of each row, from 1, shape (n,), and whether the bins are ordered.

    Numbers are in bins of about equally many rows. Values of a category that are rare, or beyond
    the ``most``, are in one bin. Missing values come last.
    """
    if numeric:
        ranks, missing = _rank(values)[:, 0], values.isna().to_numpy()
        known = ranks[~missing] if not missing.all() else ranks
        cuts = np.unique(np.quantile(known, np.linspace(0, 1, most)[1:-1]))
        codes = np.where(missing, most - 1, np.searchsorted(cuts, ranks, side='left'))
    else:
        listed = pd.factorize(values.astype('string'), use_na_sentinel=False)[0]
        counts = np.bincount(listed)
        order = np.argsort(-counts, kind='stable')
        common = counts[order] >= max(RAREST * len(values), 2)
        common &= 2 * counts[order][common].sum() >= len(values)
        places = np.empty(len(counts), dtype=np.int64)
        places[order] = np.where(common, np.minimum(np.arange(len(counts)), most - 1), most - 1)
        codes = places[listed]
    return 1 + np.unique(codes, return_inverse=True)[1].reshape(-1), numeric


def _count_nats(codes: Wholes) -> float:
    """Return the entropy of codes, in nats."""
    shares = np.bincount(codes) / len(codes)
    return -float(xlogy(shares, shares).sum())


def _rank(values: pd.Series) -> Floats:
    """Return the ranks of numbers or dates, of mean 0 and variance 1, and 0 if missing: (n, 1)."""
    comparable = values if values.dtype.kind in 'iufM' else values.astype('string')
    ranks = comparable.rank().astype(np.float64)
    scaled = (ranks - ranks.mean()) / (ranks.std(ddof=0) or 1.0)
    return np.asarray(scaled.fillna(0.0).to_numpy()[:, None])


def _indicate(values: pd.Series) -> Floats:
    """Return an indicator for each value that is not rare, shape (n, v).

    The variances of the indicators of all values, rare ones included, add up to 1.
    """
    codes = pd.factorize(values.astype('string'))[0] + 1
    shares = np.bincount(codes) / len(codes)
    common = np.flatnonzero(shares >= max(RAREST, 2 / len(codes)))
    spread = max(1 - float(shares @ shares), 1 / len(codes))
    return np.asarray((codes[:, None] == common) / np.sqrt(spread))


def _project(points: Floats) -> Floats:
    """Return the places of points along the direction of most variance, shape (n,)."""
    centred = points - points.mean(axis=0)
    # The sign of the direction is that of the column that varies most.
    direction = np.square(centred).sum(axis=0)
    for _ in range(STEPS):
        direction = centred.T @ (centred @ direction)
        direction /= max(float(np.linalg.norm(direction)), 1e-300)
    return np.asarray(centred @ direction)


def _cut(places: Floats) -> int:
    """Return where to divide ascending places so that both parts vary least; 0 for nowhere."""
    apart = np.flatnonzero(np.diff(places) > 1e-9) + 1
    if not len(apart):
        return 0
    sums = np.cumsum(places)
    below, above = sums[apart - 1], sums[-1] - sums[apart - 1]
    return int(apart[np.argmax(below**2 / apart + above**2 / (len(places) - apart))])
