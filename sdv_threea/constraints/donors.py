"""Cells in the place of others that are outside of a range: those of rows of about the same rank.

No private row is read.
"""

import numpy as np

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.constraints.linked import Linked, Name, Path, find_decimals


def choose_donors(own: Floats, low: Floats, high: Floats, rows: Wholes) -> Wholes:
    """Return the row whose cell each of some rows takes, -1 for none.

    The chosen cell lies in the range. Its rank among the cells of the range is about that of the
    row among the cells on the row's side of the range.
    """
    known = np.flatnonzero(np.isfinite(own))
    order = known[np.argsort(own[known], kind='stable')]
    values = own[order]
    first, last = np.searchsorted(values, low), np.searchsorted(values, high, side='right')
    at = np.searchsorted(values, own[rows])
    below = own[rows] < low
    share = np.where(
        below, at / np.maximum(first, 1), (at - last) / np.maximum(len(values) - last, 1)
    )
    places = np.minimum(first + np.floor(share * (last - first)).astype(np.int64), last - 1)
    return np.where(last > first, np.append(order, -1)[places], -1)


def round_out(ends: Floats, up: Bools, step: float, decimals: int | None) -> Floats:
    """Round ends up or down to a step, or to decimals."""
    if decimals is not None:
        scaled = np.round(ends * 10.0**decimals, 6)
        return np.where(up, np.ceil(scaled), np.floor(scaled)) / 10.0**decimals
    if not step:
        return ends
    scaled = np.round(ends / step, 6)
    return np.where(up, np.ceil(scaled), np.floor(scaled)) * step


def shift_rows(linked: Linked, name: Name, path: Path, low: Floats, high: Floats) -> None:
    """Shift rows that rise together, so that the first of them lies in its range, if it can.

    The differences between rows that lead to the same row by ``path`` stay as they are.
    """
    own, groups = linked.read(name), linked.gather(name.table, path)
    order = np.lexsort((own, groups))
    firsts = order[np.flatnonzero(np.diff(groups[order], prepend=-1))]
    starts = own[firsts]
    outside = np.flatnonzero((starts < low[firsts]) | (starts > high[firsts]))
    if not len(outside):
        return
    rows = firsts[outside]
    donors = choose_donors(starts, low[rows], high[rows], outside)
    shifts = np.zeros(int(groups.max()) + 1)
    shifts[groups[rows]] = np.where(donors < 0, 0.0, starts[donors] - starts[outside])
    linked.write(name, own + shifts[groups], find_decimals(own))
