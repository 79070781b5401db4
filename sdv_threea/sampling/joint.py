"""Draws from a joint density: bins from a chain, and codes inside the bins.

Conditions on codes say which bins may occur, and which codes inside them. The conditioned columns
come first in the chain. One of them is drawn exactly, with the class. Each further one is drawn
given those before it and comes with an importance weight, and rows are resampled from a pool of
such draws: the law converges to the exact one as the pool grows.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sdv_threea.joint.chain import Chain, fill_evenly
from sdv_threea.joint.density import Joint
from sdv_threea.sampling.conditional import ImpossibleCondition

#: Draws in the pool from which rows are resampled, per row and at least.
POOL_PER_ROW, LEAST_POOL = 8, 256

#: Rows that are drawn from one pool: it bounds the memory.
MOST_ROWS = 2**15

#: The codes that may occur, by column and class: shape (C, S).
Possible = Mapping[int, NDArray[np.bool_]]


def draw_jointly(
    joint: Joint,
    totals: NDArray[np.float64],
    num_rows: int,
    rng: np.random.Generator,
    possible: Possible | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw rows, those that meet conditions if there are any.

    Args:
        joint: The density.
        totals: Weights of the classes, zero for those that must not occur, shape (C,).
        num_rows: How many.
        rng: Source of randomness; it needs no secrecy.
        possible: The codes that may occur, of the conditioned columns.

    Returns:
        Codes, shape (num_rows, m), and classes, shape (num_rows,).

    Raises:
        ImpossibleCondition: If the conditions have no probability.
    """
    possible = possible or {}
    chain = joint.chain
    if possible:
        weights = {at: joint.histograms[at] * codes for at, codes in possible.items()}
        shares = {at: _allowed_shares(joint, at, each) for at, each in weights.items()}
        first = sorted(shares, key=lambda at: float(shares[at].sum()))
        chain = joint.chain_from(first)
        classes, known = _draw_pools(chain, joint, totals, shares, num_rows, rng)
    else:
        weights, known = {}, {}
        classes = rng.choice(len(totals), size=num_rows, p=totals / totals.sum())
    if joint.class_column is not None:
        known[joint.class_column] = classes
    bins = chain.draw(num_rows, rng, known)
    codes = np.empty((num_rows, len(joint.bins)), dtype=np.int64, order='F')
    for at, of_code in enumerate(joint.bins):
        inside = weights.get(at, joint.histograms[at])
        codes[:, at] = draw_inside(inside, of_code, classes, bins[:, at], rng)
    return codes, classes


def draw_inside(
    weights: NDArray[np.float64],
    of_code: NDArray[np.int64],
    classes: NDArray[np.int64],
    bins: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Draw codes inside bins.

    Args:
        weights: Weights of the codes by class, shape (C, S).
        of_code: The bin of each code, shape (S,); -1 for none.
        classes: The classes of the rows, shape (n,).
        bins: Their bins, shape (n,).
        rng: Source of randomness.

    Returns:
        Codes, shape (n,), of positive weight in the class. In a bin to which a class gives no
        weight, they are drawn as in all classes together.
    """
    order = np.flatnonzero(of_code >= 0)
    order = order[np.argsort(of_code[order], kind='stable')]
    labels, size = of_code[order], int(of_code.max()) + 1
    table, sums = weights[:, order], _add_up(weights[:, order], labels, size)
    whole = table.sum(axis=0) + (sums.sum(axis=0)[labels] == 0)
    table = np.where(sums[:, labels] > 0, table, whole)
    passed = np.cumsum(table / _add_up(table, labels, size)[:, labels], axis=1)
    ends = np.searchsorted(labels, np.arange(size + 1))
    borders = np.concatenate([np.zeros((len(passed), 1)), passed], axis=1)[:, ends]
    low, high = borders[classes, bins], borders[classes, bins + 1]
    shares = fill_evenly([bins], rng, len(bins))
    # Rounded up to the border, a place would be that of a code without weight.
    places = np.minimum(low + shares * (high - low), np.nextafter(high, low))
    found = np.empty(len(bins), dtype=np.int64)
    for label in np.unique(classes):
        rows = classes == label
        found[rows] = np.searchsorted(passed[label], places[rows], side='right')
    return order[found]


def _draw_pools(
    chain: Chain,
    joint: Joint,
    totals: NDArray[np.float64],
    shares: Mapping[int, NDArray[np.float64]],
    num_rows: int,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], dict[int, NDArray[np.int64]]]:
    """Draw the classes and the bins of the conditioned columns, pool by pool."""
    classes = np.empty(num_rows, dtype=np.int64)
    known = {at: np.empty(num_rows, dtype=np.int64) for at in shares}
    for start in range(0, max(num_rows, 1), MOST_ROWS):
        rows = slice(start, min(start + MOST_ROWS, num_rows))
        classes[rows], drawn = _draw_first(chain, joint, totals, shares, rows.stop - start, rng)
        for at, bins in drawn.items():
            known[at][rows] = bins
    return classes, known


def _draw_first(
    chain: Chain,
    joint: Joint,
    totals: NDArray[np.float64],
    shares: Mapping[int, NDArray[np.float64]],
    num_rows: int,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], dict[int, NDArray[np.int64]]]:
    """Draw them from one pool."""
    links = [link for link in chain.links if link.column in shares]
    bins = np.zeros((len(totals), len(chain.links)), dtype=np.int64)
    if joint.class_column is not None:
        bins[:, joint.class_column] = np.arange(len(totals))
    exact = totals[:, None] * _normalize(links[0].chances(bins)) * shares[links[0].column]
    _check(exact.sum())
    size = num_rows if len(links) == 1 else max(LEAST_POOL, POOL_PER_ROW * num_rows)
    drawn = rng.choice(exact.size, size=size, p=exact.ravel() / exact.sum())
    classes, own = np.divmod(drawn, exact.shape[1])
    rows = bins[classes]
    rows[:, links[0].column] = own
    weights = np.ones(size)
    for link in links[1:]:
        chances = _normalize(link.chances(rows)) * shares[link.column][classes]
        weights *= chances.sum(axis=1)
        passed = np.cumsum(chances, axis=1)
        places = rng.random(size) * passed[:, -1]
        last = chances.shape[1] - 1 - np.argmax(chances[:, ::-1] > 0, axis=1)
        rows[:, link.column] = np.minimum((passed <= places[:, None]).sum(axis=1), last)
    _check(weights.sum())
    if len(links) > 1:
        kept = rng.choice(size, size=num_rows, p=weights / weights.sum())
        rows, classes = rows[kept], classes[kept]
    return classes, {link.column: rows[:, link.column] for link in links}


def _allowed_shares(joint: Joint, at: int, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Find the share of each bin that is allowed, by class, shape (C, G)."""
    counted = joint.bins[at] >= 0
    of_code, size = joint.bins[at][counted], len(joint.margins[at])
    allowed = _add_up(weights[:, counted], of_code, size)
    all_codes = _add_up(joint.histograms[at][:, counted], of_code, size)
    return np.divide(allowed, all_codes, out=np.zeros_like(allowed), where=all_codes > 0)


def _add_up(
    weights: NDArray[np.float64], bins: NDArray[np.int64], size: int
) -> NDArray[np.float64]:
    """Add the weights of codes up by bin, in each class, shape (C, G)."""
    return np.stack([np.bincount(bins, row, size) for row in weights])


def _check(probability: float) -> None:
    if not probability > 0:
        raise ImpossibleCondition('The released model gives this condition no probability.')


def _normalize(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))
