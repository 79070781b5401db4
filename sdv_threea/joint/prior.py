"""Pair tables that follow from released correlations: noisy tables are shrunk toward them.

Two standard normals of correlation ``r``, cut into bins, have the table (Mehler 1866)

    ``P(x in A, y in B) = sum_k r^k a_k(A) a_k(B)``, where
    ``a_k(A) = int_A phi(x) He_k(x) / sqrt(k!) dx``

with the Hermite polynomials ``He_k``. Each class has its own normals and cuts, and the tables of
all classes are added.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy.special import ndtri

from sdv_threea.approximate.scores import NormalScores
from sdv_threea.arrays import Floats, Wholes
from sdv_threea.joint.pair_bins import Pair, count_bins

#: Terms of the series.
TERMS = 60


def expect_tables(
    totals: Floats, scores: NormalScores, correlations: Floats, bins: Sequence[Wholes]
) -> dict[Pair, Floats]:
    """Return expected counts of all pairs, (G_i, G_j), given correlations by class, (C, m, m)."""
    sizes = count_bins(bins)
    parts = [
        _integrate(scores.cuts[at], scores.orders[at], bins[at], sizes[at])
        for at in range(len(bins))
    ]
    powers = np.arange(TERMS)
    tables = {}
    for i, j in combinations(range(len(bins)), 2):
        factors = totals[:, None] * correlations[:, i, j, None] ** powers
        table = np.einsum('ck,cak,cbk->ab', factors, parts[i], parts[j], optimize=True)
        tables[i, j] = np.maximum(table, 0.0)
    return tables


def _integrate(cuts: Floats, order: Wholes, bins: Wholes, size: int) -> Floats:
    """Integrate Hermite functions over the bins of a column, shape (C, G, TERMS)."""
    places = np.clip(ndtri(cuts), -38.0, 38.0)
    density = np.exp(-np.square(places) / 2) / np.sqrt(2 * np.pi)
    # The integral of phi He_k is -phi He_k-1; with the factor 1 / sqrt(k!), a recursion in k.
    ends = np.empty((*cuts.shape, TERMS))
    ends[..., 0] = cuts
    before, now = np.zeros_like(places), np.ones_like(places)
    for k in range(1, TERMS):
        ends[..., k] = -density * now / np.sqrt(k)
        before, now = now, (places * now - np.sqrt(k - 1) * before) / np.sqrt(k)
    of_codes = np.diff(ends, axis=1)
    members = np.eye(size + 1)[bins[order]][:, :size]  # codes without a bin: the last, cut off
    return np.asarray(np.einsum('cst,sk->ckt', of_codes, members))
