"""The order in which pairs are counted: all in bins, some code by code, all once more."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sdv_threea.encoding.records import Encoded
from sdv_threea.joint.bins import PairPlan, count_bins
from sdv_threea.joint.constants import JointConstants
from sdv_threea.joint.density import Singles
from sdv_threea.joint.functions import find_functions, price_functions
from sdv_threea.joint.pairs import PairCounts, release_pair_counts, weigh_pairs
from sdv_threea.privacy.rows import Rows
from sdv_threea.privacy.spending import Spending


def count_pairs(
    rows: Rows[Encoded],
    singles: Singles,
    plan: PairPlan,
    spending: Spending,
    constants: JointConstants,
    promised: Sequence[str] = (),
) -> tuple[PairCounts, PairCounts]:
    """Release pairs of columns in bins, and those that look like functions code by code.

    What the latter do not need is left: with it all pairs are counted again.

    Formal guarantees:
        * the rows are read by :func:`~sdv_threea.joint.pairs.release_pair_counts` alone, and all
          that it returns is kept by the account

    Args:
        rows: Private records.
        singles: What is known of single columns.
        plan: Which pairs are counted, and in how many bins.
        spending: The account of the release.
        constants: The constants of the room.
        promised: Stages to come, whose shares are left for them.

    Returns:
        Counts of pairs in bins, and of some pairs code by code.
    """
    weights = weigh_pairs(count_bins(singles.bins), plan.pairs)
    counted = rows, singles.bins, weights
    pairs = spending.keep(release_pair_counts(*counted, **spending.terms('pairs')))
    functions = PairCounts({}, {})
    known = pairs, singles.margins(pairs), singles.columns, singles.ordered
    found = find_functions(*known, constants)
    whole = False
    if found:
        weights, needed = price_functions(
            singles.columns, float(singles.totals.sum()), found, constants
        )
        left = spending.left(promised)
        needed = max(needed, math.sqrt(constants.least_spent) * left)
        whole = needed >= constants.most_needed * left
        terms = spending.rest(math.inf if whole else needed, promised)
        finely = rows, singles.codes, weights, 'codes'
        functions = spending.keep(release_pair_counts(*finely, **terms))
    if not whole:
        again = spending.keep(release_pair_counts(*counted, **spending.rest(promised=promised)))
        pairs = pairs.average(again)
    return pairs, functions
