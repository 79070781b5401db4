"""Which rows of a public table are alike, so that references to them are counted together.

References to a large public table are counted in bins of several rows. If rows of a bin have
similar attributes, the bins show which attributes at both ends of a reference occur together: the
price of a line is that of its product. Public rows alone are read, so likeness costs no privacy.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.constants import RAREST, SMALLEST
from sdv_threea.domain import Domain, Number

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
        cut = _cut(place) if len(group) > max(SMALLEST * len(rows), 1) else 0
        if cut:
            off = points[group[:cut]].mean(axis=0) - points[group[cut:]].mean(axis=0)
            apart[start + cut] = off @ off
            waiting += [(start, start + cut), (start + cut, end)]
    return order, apart


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
