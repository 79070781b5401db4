"""The prices of what is counted once the columns are, and what is left out for its price.

Each price is in GDP per record, follows from released numbers and from what the budget has left,
and is paid by :meth:`~sdv_threea.privacy.spending.Spending.pay_price`; 0 for what is left out.
"""

import math
from collections.abc import Mapping, Sequence

from sdv_threea.approximate.counts import ClassPlan, Counts
from sdv_threea.approximate.marginals import plan_class_counts
from sdv_threea.arrays import Bools, Floats
from sdv_threea.constants import HALF
from sdv_threea.joint.column_sums import Sum, price_sums
from sdv_threea.joint.date_parts import Part
from sdv_threea.joint.determined_values import price_values
from sdv_threea.joint.interactions import Interactions
from sdv_threea.joint.interplay import choose_triples, exceed_chance, needs_no_look
from sdv_threea.joint.joint_constants import LEAST_SHOWN
from sdv_threea.joint.pair_bins import Pair
from sdv_threea.joint.pricing import Function, carry_functions, sum_needs
from sdv_threea.joint.triples import Triple, num_triple_bins
from sdv_threea.planning.run import Run
from sdv_threea.rows.contingency_tables import BASE, DIGITS

#: Parts of numbers are counted if they and sums cost at most this part of what is left.
MOST_FOR_PARTS = 0.1

#: Pairs are counted again if the remaining price is at least this part of that of their first
#: count.
LEAST_PART = 1e-3


def counts_given(run: Run) -> bool:
    """Return whether given columns are counted: without noise this is free, and more precise."""
    return run.given_codes is None or math.isinf(run.spending.price('columns'))


def plan_classes_of_columns(
    run: Run, counts: Counts, masks: Sequence[Bools], ordered: Sequence[bool]
) -> ClassPlan | None:
    """Return the bins of the counts by class; ``None`` with one class, or without columns."""
    if run.plan.num_classes == 1 or not masks:
        return None
    price = math.hypot(*map(run.spending.price, run.plan.payers('classes')))
    scale = run.spending.distance * math.sqrt(len(masks)) / price
    return plan_class_counts(counts, masks, ordered, scale, run.constants.approximate)


def price_moments(run: Run) -> float:
    """Return the price of the moments: their share, or all that later stages do not need."""
    payers = run.plan.payers('moments')
    return run.spending.price('moments') if payers == ('moments',) else run.left()


def choose_rules(
    run: Run,
    sums: Sequence[Sum],
    parts: Sequence[Part],
    missing: Mapping[str, float],
    num_records: float,
) -> tuple[dict[Sum | Part, float], float]:
    """Return the sums and parts to count, with their complete records, and the price.

    ``missing`` are the shares of missing cells; they are assumed to be in the same records.
    """
    left = run.left('pairs')
    if price_sums(len(sums) + len(parts), num_records) > MOST_FOR_PARTS * left:
        parts = []
    rules: list[Sum | Part] = [*sums, *parts]
    sizes = {
        own: num_records * (1 - max(missing.get(name, 0.0) for name in (own.total, *own.parts)))
        for own in rules
    }
    likely = {own: size for own, size in sizes.items() if size >= LEAST_SHOWN * num_records}
    price = price_sums(len(likely), num_records)
    if not likely or price > HALF * left:
        return {}, 0.0
    return likely, left if math.isinf(left) else min(left, price)


def price_functions(
    run: Run, found: Mapping[Pair, Function], parents: Sequence[float], num_records: float
) -> tuple[dict[Pair, int], float]:
    """Return the weights and the price of the pairs to count code by code.

    Digits need as little noise as codes do, and get their part. ``parents`` are the shares of the
    small codes of the categories that may determine digits.
    """
    digits = DIGITS * [Function(small, BASE) for small in parents]
    needed = [sum_needs(each, num_records) for each in (digits, found.values())]
    distance = run.spending.distance
    left = run.left() / distance
    kept = math.sqrt(needed[0] * min(1.0, left**2 / sum(needed))) if digits else 0.0
    left = left if math.isinf(left) else math.sqrt(max(left**2 - kept**2, 0.0))
    constants = run.constants.joint
    weights, price = carry_functions(found, num_records, left, constants)
    return weights, min(run.left(), price * distance)


def price_digits(
    run: Run, columns: Sequence[Floats], wanted: Sequence[Pair], num_records: float
) -> float:
    """Return the price of the digits of numbers that categories may determine."""
    if not wanted or not run.left():
        return 0.0
    price = price_values(columns, num_records, wanted)
    return min(run.left(), price * run.spending.distance)


def plan_triple_bins(run: Run, num_records: float) -> int:
    """Return how many bins a column has in triples; 0 if none is counted."""
    return num_triple_bins(num_records, run.left(), run.constants.joint)


def price_look(run: Run, expected: Mapping[Triple, Floats], num_records: float) -> float:
    """Return the price of a look at how far triples are from what is expected; 0 for no look."""
    constants, left = run.constants.joint, run.left()
    if needs_no_look(expected, num_records, left, constants):
        return 0.0
    return math.sqrt(constants.look_part) * left


def price_triples(
    run: Run,
    expected: Mapping[Triple, Floats],
    pairs: Interactions,
    num_records: float,
    seen: tuple[Floats, float] | None,
) -> tuple[list[Triple], float]:
    """Return the triples to count, and the price: all of them without a look.

    ``seen`` are the distances that a look found, shape (T,), and their noise.
    """
    constants, left = run.constants.joint, run.left()
    chosen, part = list(expected), HALF
    if seen is not None:
        distances, noise = seen
        # If two distributions differ by a share of the records, their counts differ by twice that.
        doubt = constants.clear_of_noise() * noise + 2 * constants.look_slack * num_records
        excess = exceed_chance(distances, expected)
        chosen, part = choose_triples(excess - doubt, expected, pairs, left, constants)
    return chosen, math.sqrt(part) * left


def price_again(run: Run) -> float:
    """Return the price of a second count of all pairs: what is left, if it is worth it.

    Without noise pairs are known already, and functional pairs may have taken the whole budget.
    """
    left = run.left()
    return left if left > LEAST_PART * run.spending.price('pairs') else 0.0
