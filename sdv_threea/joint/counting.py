"""Release joint counts: of all pairs, functional dependencies, digits, then triples.

Interactions of all pairs come first. Pairs that look functional are counted code by code, and so
are the digits of numerical columns that a category may determine. Distances of triples select the
triples whose interactions are worth their price. The rest of the budget pays for a second release
of the interactions of all pairs.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.joint.bins import Pair, PairPlan, count_bins
from sdv_threea.joint.chain import Column
from sdv_threea.joint.constants import JointConstants
from sdv_threea.joint.density import Joint, fit_joint
from sdv_threea.joint.estimates import Estimates, Singles, estimate, estimate_functions
from sdv_threea.joint.functions import Side, find_functions
from sdv_threea.joint.interactions import (
    Interactions,
    release_interactions,
    round_weights,
    weigh_pairs,
)
from sdv_threea.joint.interplay import (
    Interplay,
    choose_triples,
    exceed_chance,
    expect_triples,
    needs_no_look,
)
from sdv_threea.joint.order import grow_forest
from sdv_threea.joint.pairs import PairCounts, release_pair_counts
from sdv_threea.joint.pricing import Function, carry_functions, sum_needs
from sdv_threea.joint.tables import complete, estimate_tables
from sdv_threea.joint.triples import (
    MOST_LOOKS,
    list_triples,
    merge_bins,
    num_triple_bins,
    release_distances,
)
from sdv_threea.joint.values import (
    ValueCounts,
    has_wide_codes,
    may_have_one,
    price_values,
    release_values,
)
from sdv_threea.privacy.spending import Spending
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.records import Encoded, Located
from sdv_threea.rows.tables import BASE, DIGITS

#: Pairs are counted again if the remaining price is at least this part of that of their first
#: count.
LEAST_PART = 1e-3


@dataclass(frozen=True)
class JointReleases:
    """Release the joint counts in their order.

    Formal guarantees: the rows are read by
    :func:`~sdv_threea.joint.interactions.release_interactions`,
    :func:`~sdv_threea.joint.pairs.release_pair_counts`,
    :func:`~sdv_threea.joint.values.release_values` and
    :func:`~sdv_threea.joint.triples.release_distances` alone, and the account keeps every receipt
    that these return.

    Args:
        locate: Maps pairs of a categorical and a numerical column to private records: the codes of
            the category, and the places of the number in its intervals.
        plan: The pairs to count, and their number of bins.
        expected: Counts of pairs that follow from other releases.
        adapted: True if labels are adapted later, so that triples with the class are not needed.
        promised: Later stages, whose shares of the budget are left untouched.
        known: Counts of codes of pairs that are known without noise, shape (S_i, S_j).
    """

    rows: Rows[Encoded]
    locate: Callable[[tuple[Pair, ...]], Rows[Located]]
    singles: Singles
    plan: PairPlan
    expected: Mapping[Pair, Floats]
    spending: Spending
    constants: JointConstants
    rng: np.random.Generator
    adapted: bool = False
    promised: Sequence[str] = ()
    known: Mapping[Pair, Floats] = field(default_factory=dict)

    def fit(self) -> Joint:
        """Release joint counts, and return a density that is fitted to them."""
        singles, constants, keep = self.singles, self.constants, self.spending.keep
        weights = weigh_pairs(count_bins(singles.bins), self.plan.pairs, self.plan.stress)
        release = partial(release_interactions, self.rows, singles.bins, weights)
        found = keep(release(**self.spending.terms('pairs')))
        functions = self._count_functions(found)
        values = self._count_values(found, functions)
        left = self.spending.left(self.promised)
        expected = self.expected
        interplay = None
        if num_triple_bins(singles.num_records, left, constants):
            known = estimate(singles, found, functions, expected, constants, values)
            interplay = self._release_triples(known, found)
        # Without noise, a second release adds nothing; functional pairs may have taken the whole
        # budget.
        if left > LEAST_PART * self.spending.price('pairs'):
            found = found.average(keep(release(**self.spending.rest(promised=self.promised))))
        known = estimate(singles, found, functions, expected, constants, values)
        return fit_joint(known, constants, self.rng, interplay)

    def _complete(self, interactions: Interactions) -> tuple[PairCounts, list[Floats]]:
        margins = self.singles.margins(interactions)
        return complete(interactions, margins, self.singles.num_records), margins

    def _count_functions(self, interactions: Interactions) -> PairCounts:
        """Return code counts of the known and the found functional pairs, which form a forest."""
        known = {pair: table for pair, table in self.known.items() if pair in interactions.scales}
        found = self._count_apparent(interactions, tuple(known))
        kept = grow_forest([*known, *found.tables], self.singles.num_given)
        tables = {pair: (found.tables | known)[pair] for pair in kept}
        return PairCounts(tables, found.scales | dict.fromkeys(known, 0.0))

    def _count_apparent(self, interactions: Interactions, known: Sequence[Pair]) -> PairCounts:
        """Count pairs that look functional code by code, at the price that they need."""
        singles, constants = self.singles, self.constants
        pairs, margins = self._complete(interactions)
        unlisted = singles.unlisted or (-1,) * len(margins)
        columns = zip(margins, singles.columns, singles.ordered, unlisted, strict=True)
        sides = [Side.look(*each) for each in columns]
        found = find_functions(pairs, sides, constants, singles.num_given, known)
        # Digits need as little noise as codes do, and get a part of the codes' price.
        parents = [pair for pair, own in found.items() if not own.in_order]
        digits = [Function(sides[at].small, BASE) for at, _ in self._list_numbers(parents)]
        both = DIGITS * digits, found.values()
        needed = [sum_needs(each, singles.num_records) for each in both]
        left = self.spending.left(self.promised) / self.spending.distance
        kept = math.sqrt(needed[0] * min(1.0, left**2 / sum(needed))) if digits else 0.0
        left = left if math.isinf(left) else math.sqrt(max(left**2 - kept**2, 0.0))
        weights, price = carry_functions(found, singles.num_records, left, constants)
        if not weights:
            return PairCounts({}, {})
        terms = self.spending.rest(price * self.spending.distance, self.promised)
        counts = release_pair_counts(self.rows, singles.codes, weights, **terms)
        return self.spending.keep(counts)

    def _list_numbers(self, functions: Iterable[Pair]) -> list[Pair]:
        """Return pairs of a categorical column and a numerical one whose codes are intervals."""
        singles = self.singles
        edges = singles.edges or (None,) * len(singles.bins)
        wide = [has_wide_codes(*each) for each in zip(singles.columns, edges, strict=True)]
        both = [pair for i, j in functions for pair in ((i, j), (j, i))]
        return [(i, j) for i, j in both if wide[j] and not singles.ordered[i]]

    def _count_values(
        self, interactions: Interactions, functions: PairCounts
    ) -> ValueCounts | None:
        singles, constants = self.singles, self.constants
        numbers = self._list_numbers(functions.tables)
        if not numbers:
            return None
        pairs, margins = self._complete(interactions)
        tables = estimate_tables(pairs, margins, self.expected, singles.ordered, constants)
        found = estimate_functions(singles, functions, tables)
        found |= {(j, i): table.T for (i, j), table in found.items()}
        known = [
            (i, singles.leave_listed(i, found[i, j]), j) for i, j in numbers if (i, j) in found
        ]
        wanted = tuple((i, j) for i, table, j in known if may_have_one(table, constants))
        if not wanted or not self.spending.left(self.promised):
            return None
        terms = self.spending.rest(
            price_values(singles.columns, singles.num_records, wanted) * self.spending.distance,
            self.promised,
        )
        sizes = [len(singles.bins[category]) for category, _ in wanted]
        return self.spending.keep(release_values(self.locate(wanted), wanted, sizes, **terms))

    def _release_triples(self, known: Estimates, pairs: Interactions) -> Interplay | None:
        spending, constants, promised = self.spending, self.constants, self.promised
        columns = known.columns[: len(known.ordered)] if self.adapted else known.columns
        triples = list_triples(
            known.information[: len(columns), : len(columns)],
            {*known.functions, *self.plan.left_out},
            known.list_settled(constants),
            MOST_LOOKS,
        )
        if not triples:
            return None
        num_records, left = self.singles.num_records, spending.left(promised)
        merged = _merge(columns, known.ordered, num_triple_bins(num_records, left, constants))
        each = zip(columns, merged, strict=True)
        bins = [np.where(own.of_code >= 0, coarse[own.of_code], -1) for own, coarse in each]
        expected = expect_triples(known.tables, merged, triples, num_records)
        chosen, part = triples, constants.unseen_part
        if not needs_no_look(expected, num_records, left, constants):
            terms = spending.rest(math.sqrt(constants.look_part) * left, promised)
            distances, noise = spending.keep(release_distances(self.rows, bins, expected, **terms))
            # If two distributions differ by a share of the records, their counts differ by twice
            # this share.
            doubt = constants.clear_of_noise() * noise + 2 * constants.look_slack * num_records
            excess, left = exceed_chance(distances, expected), spending.left(promised)
            chosen, part = choose_triples(excess - doubt, expected, pairs, left, constants)
        if not chosen:
            return None
        terms = spending.rest(math.sqrt(part) * left, promised)
        weights = round_weights(count_bins(bins), dict.fromkeys(chosen, 1.0))
        released = spending.keep(release_interactions(self.rows, bins, weights, **terms))
        ordered = (*known.ordered, False)[: len(columns)]
        return Interplay(released, expected, merged, ordered)


def _merge(columns: Sequence[Column], ordered: Sequence[bool], num_bins: int) -> tuple[Wholes, ...]:
    """Return the coarser bin of each bin, for all columns; the class may be one more column."""
    kinds = zip(columns, [*ordered, False], strict=False)
    return tuple(merge_bins(own.margin, num_bins, ordered=kind) for own, kind in kinds)
