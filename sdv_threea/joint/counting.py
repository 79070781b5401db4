"""Release joint counts: of all pairs, functional dependencies, digits, then triples.

Interactions of all pairs come first. Pairs that look functional are counted code by code, and so
are the digits of numerical columns that a category may determine. Distances of triples select the
triples whose interactions are worth their price. The rest of the budget pays for a second release
of the interactions of all pairs.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from sdv_threea.approximate.marginals import Density
from sdv_threea.arrays import Floats, Wholes
from sdv_threea.encoding.classes import RecordEncoder
from sdv_threea.encoding.encoders import NumberEncoder, Transformer
from sdv_threea.joint.chain import Column
from sdv_threea.joint.column_order import grow_forest
from sdv_threea.joint.column_sums import Sum, find_likely, list_numbers, release_sums
from sdv_threea.joint.date_parts import Part, find_parts
from sdv_threea.joint.density import Joint, fit_joint
from sdv_threea.joint.determined_values import (
    ValueCounts,
    has_wide_codes,
    may_have_one,
    release_values,
)
from sdv_threea.joint.estimates import Estimates, Singles, estimate, estimate_functions
from sdv_threea.joint.functions import Side, find_functions
from sdv_threea.joint.interactions import (
    Interactions,
    release_interactions,
    round_weights,
    weigh_pairs,
)
from sdv_threea.joint.interplay import Interplay, expect_triples
from sdv_threea.joint.pair_bins import Pair, PairPlan, count_bins, cut_pair_bins
from sdv_threea.joint.pairs import PairCounts, release_pair_counts
from sdv_threea.joint.prior import expect_tables
from sdv_threea.joint.tables import complete, estimate_tables
from sdv_threea.joint.triples import (
    MOST_LOOKS,
    list_triples,
    merge_bins,
    release_distances,
)
from sdv_threea.planning.prices import (
    choose_rules,
    plan_triple_bins,
    price_again,
    price_digits,
    price_functions,
    price_look,
    price_triples,
)
from sdv_threea.planning.run import Run
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.records import Encoded, Located


@dataclass(frozen=True)
class JointReleases:
    """Release the joint counts in their order.

    Formal guarantees: the rows are read by
    :func:`~sdv_threea.joint.interactions.release_interactions`,
    :func:`~sdv_threea.joint.pairs.release_pair_counts`,
    :func:`~sdv_threea.joint.determined_values.release_values` and
    :func:`~sdv_threea.joint.triples.release_distances` alone, and the account keeps every receipt
    that these return.

    Args:
        locate: Maps pairs of a categorical and a numerical column to private records: the codes of
            the category, and the places of the number in its intervals.
        plan: The pairs to count, and their number of bins.
        expected: Counts of pairs that follow from other releases.
        known: Counts of codes of pairs that are known without noise, shape (S_i, S_j).
    """

    rows: Rows[Encoded]
    locate: Callable[[tuple[Pair, ...]], Rows[Located]]
    singles: Singles
    plan: PairPlan
    expected: Mapping[Pair, Floats]
    known: Mapping[Pair, Floats]
    run: Run

    def fit(self) -> Joint:
        """Release joint counts, and return a density that is fitted to them."""
        singles, constants, spending = self.singles, self.run.constants.joint, self.run.spending
        weights = weigh_pairs(count_bins(singles.bins), self.plan.pairs, self.plan.stress)
        release = partial(release_interactions, self.rows, singles.bins, weights)
        found = spending.pay(release, 'pairs')
        functions = self._count_functions(found)
        values = self._count_values(found, functions)
        expected, interplay = self.expected, None
        if num_bins := plan_triple_bins(self.run, singles.num_records):
            known = estimate(singles, found, functions, expected, constants, values)
            interplay = self._release_triples(known, found, num_bins)
        if price := price_again(self.run):
            found = found.average(spending.pay_price(release, price))
        known = estimate(singles, found, functions, expected, constants, values)
        return fit_joint(known, constants, self.run.rng, interplay)

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
        singles, num_records = self.singles, self.singles.num_records
        pairs, margins = self._complete(interactions)
        unlisted = singles.unlisted or (-1,) * len(margins)
        columns = zip(margins, singles.columns, singles.ordered, unlisted, strict=True)
        sides = [Side.look(*each) for each in columns]
        found = find_functions(pairs, sides, self.run.constants.joint, singles.num_given, known)
        several = [pair for pair, own in found.items() if not own.in_order]
        parents = [sides[at].small for at, _ in self._list_numbers(several)]
        weights, price = price_functions(self.run, found, parents, num_records)
        if not weights:
            return PairCounts({}, {})
        release = partial(release_pair_counts, self.rows, singles.codes, weights)
        return self.run.spending.pay_price(release, price)

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
        singles, constants = self.singles, self.run.constants.joint
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
        price = price_digits(self.run, singles.columns, wanted, singles.num_records)
        if not price:
            return None
        sizes = [len(singles.bins[category]) for category, _ in wanted]
        release = partial(release_values, self.locate(wanted), wanted, sizes)
        return self.run.spending.pay_price(release, price)

    def _release_triples(
        self, known: Estimates, pairs: Interactions, num_bins: int
    ) -> Interplay | None:
        run, spending, num_records = self.run, self.run.spending, self.singles.num_records
        # Where labels are adapted later, triples with the class are not needed.
        adapted = run.plan.adapted == 'labels'
        columns = known.columns[: len(known.ordered)] if adapted else known.columns
        triples = list_triples(
            known.information[: len(columns), : len(columns)],
            {*known.functions, *self.plan.left_out},
            known.list_settled(run.constants.joint),
            MOST_LOOKS,
        )
        if not triples:
            return None
        merged = _merge(columns, known.ordered, num_bins)
        each = zip(columns, merged, strict=True)
        bins = [np.where(own.of_code >= 0, coarse[own.of_code], -1) for own, coarse in each]
        expected = expect_triples(known.tables, merged, triples, num_records)
        seen = None
        if look := price_look(run, expected, num_records):
            release = partial(release_distances, self.rows, bins, expected)
            seen = spending.pay_price(release, look)
        chosen, price = price_triples(run, expected, pairs, num_records, seen)
        if not chosen:
            return None
        weights = round_weights(count_bins(bins), dict.fromkeys(chosen, 1.0))
        count = partial(release_interactions, self.rows, bins, weights)
        released = spending.pay_price(count, price)
        ordered = (*known.ordered, False)[: len(columns)]
        return Interplay(released, expected, merged, ordered)


def _merge(columns: Sequence[Column], ordered: Sequence[bool], num_bins: int) -> tuple[Wholes, ...]:
    """Return the coarser bin of each bin, for all columns; the class may be one more column."""
    kinds = zip(columns, [*ordered, False], strict=False)
    return tuple(merge_bins(own.margin, num_bins, ordered=kind) for own, kind in kinds)


def find_sums(
    density: Density, encoder: RecordEncoder, rows: Rows[pd.DataFrame], run: Run
) -> tuple[Sum | Part, ...]:
    """Return the columns that are sums or parts of others, found by releases and one count each."""
    domain, counts = encoder.description.domain, density.counts
    transformers = encoder.scored_transformers
    given = domain.names[: run.plan.known.num_given]
    names = list_numbers(domain, given)
    chosen = [at for at, own in enumerate(transformers) if own.name in names]
    num_records = float(counts.totals.sum())
    columns = {
        own.name: counts.shares @ density.scores.chances(at) for at, own in enumerate(transformers)
    }
    numbers = (transformers[at] for at in chosen)
    moments = [(own.name, *_find_moments(own, columns[own.name])) for own in numbers]
    within = np.einsum('c,cij->ij', counts.shares, density.correlations)[np.ix_(chosen, chosen)]
    for own in encoder.transformers:  # classes are the codes of a target without a score
        first = np.zeros(max(own.size - len(counts.shares), 0))
        columns.setdefault(own.name, np.append(first, counts.shares))
    parts = find_parts(domain, encoder.transformers, columns, given)
    missing = {name: float(own[0]) for name, own in columns.items()}
    sums = find_likely(domain, moments, within)
    likely, price = choose_rules(run, sums, parts, missing, num_records)
    if not likely:
        return ()
    release = partial(release_sums, rows, tuple(likely), tuple(likely.values()))
    return run.spending.pay_price(release, price)


def _find_moments(number: Transformer, shares: Floats) -> tuple[float, float]:
    edges, present = getattr(number, 'edges', np.zeros(1)), shares[1:]
    middles = (edges[:-1] + edges[1:]) / 2
    num = max(float(present.sum()), np.finfo(float).tiny)
    mean = float(present @ middles) / num
    return mean, math.sqrt(float(present @ (middles - mean) ** 2) / num)


def join_columns(  # noqa: PLR0913 (what is known, and the rows)
    density: Density,
    pairs: PairPlan,
    encoder: RecordEncoder,
    rows: Rows[pd.DataFrame],
    encoded: Rows[Encoded],
    run: Run,
    sums: Sequence[Sum | Part] = (),
) -> Joint:
    """Release pair counts, and fit a joint density to them.

    The counts need ``rows`` in addition to codes, because a code does not show where in its
    interval a number is. Parts of numbers among ``sums`` are known without a count.
    """
    counts, scores = density.counts, density.scores
    columns = [counts.shares @ scores.chances(at) for at in range(len(counts.columns))]
    singles = _cut_columns(density, columns, pairs.num_bins, encoder, run)
    correlations = density.correlations.copy()
    for i, j in pairs.left_out:
        correlations[:, i, j] = correlations[:, j, i] = 0.0
    expected = expect_tables(counts.totals, scores, correlations, singles.bins)

    def locate(pairs: tuple[Pair, ...]) -> Rows[Located]:
        return encoder.locate(rows, pairs)

    tables = _tabulate_parts(sums, encoder.scored_transformers, columns, counts.totals.sum())
    return JointReleases(encoded, locate, singles, pairs, expected, tables, run).fit()


def _cut_columns(
    density: Density, columns: list[Floats], num_bins: int, encoder: RecordEncoder, run: Run
) -> Singles:
    counts, constants, transformers = density.counts, run.constants, encoder.scored_transformers
    ordered = [transformer.ordered for transformer in transformers]
    bins = cut_pair_bins(
        columns,
        density.masks,
        ordered,
        num_bins,
        counts.least_evident(constants.approximate),
        constants.joint,
        constants.approximate,
        [getattr(each, 'apart', ()) for each in transformers],
    )
    return Singles(
        tuple(bins),
        tuple(density.scores.chances(at) for at in range(len(columns))),
        tuple(ordered),
        counts.totals,
        counts.scale,
        tuple(getattr(each, 'edges', None) for each in transformers),
        tuple(getattr(each, 'unlisted', -1) for each in transformers),
        run.given_codes,
    )


def _tabulate_parts(
    sums: Sequence[Sum | Part],
    transformers: Sequence[Transformer],
    columns: Sequence[Floats],
    num_records: float,
) -> dict[Pair, Floats]:
    places = {own.name: at for at, own in enumerate(transformers)}
    found: dict[Pair, Floats] = {}
    for part in sums:
        if isinstance(part, Part) and {part.total, *part.parts} <= set(places):
            i, j = places[part.parts[0]], places[part.total]
            number = transformers[i]
            assert isinstance(number, NumberEncoder)
            table = num_records * part.tabulate(number, transformers[j], columns[i])
            found[min(i, j), max(i, j)] = table if i < j else table.T
    return found
