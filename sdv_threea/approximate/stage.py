"""The stage *approximate*, release by release: columns, classes, correlations, pairs of columns.

Formal guarantees of every function: only the releases that are called in this module read private
records, and the account of the run keeps all receipts.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.approximate.counts import (
    ClassCounts,
    Counts,
    release_class_counts,
    release_counts,
)
from sdv_threea.approximate.density import (
    Density,
    class_chances,
    clip_radius,
    fit_scores,
    plan_class_counts,
)
from sdv_threea.approximate.gaussian import class_correlations, correlation_evidence
from sdv_threea.approximate.moments import release_score_moments
from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.constants import COUNT_WEIGHT, MOST_FOR_SUMS
from sdv_threea.domain import Column, Number
from sdv_threea.encoding.classes import RecordEncoder
from sdv_threea.encoding.support import support
from sdv_threea.encoding.transformers import NumberEncoder, Transformer
from sdv_threea.joint.bins import Pair, PairPlan, cut_pair_bins
from sdv_threea.joint.constants import LEAST_COMPLETE
from sdv_threea.joint.counting import JointReleases
from sdv_threea.joint.density import Joint
from sdv_threea.joint.estimates import Singles
from sdv_threea.joint.parts import Part, find_parts
from sdv_threea.joint.prior import expect_tables
from sdv_threea.joint.sums import (
    Sum,
    find_likely,
    list_numbers,
    price_sums,
    release_sums,
)
from sdv_threea.maths.buckets import occupy
from sdv_threea.maths.uneven import estimate_uneven
from sdv_threea.planning.plan import finish_plan, plan_evident
from sdv_threea.planning.run import Run
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.records import Encoded, Located
from sdv_threea.rows.scores import score_in_class
from sdv_threea.statistics import registry

#: Parts of numbers are counted if they and sums cost at most this part of the remaining price.
MOST_FOR_PARTS = 0.1


def approximate(encoder: RecordEncoder, encoded: Rows[Encoded], run: Run) -> tuple[Density, Run]:
    """Release the density of the columns by class; return it, and the run with the final plan."""
    transformers, classes = encoder.scored_transformers, encoder.classes
    constants, description = run.constants.approximate, encoder.description
    counts, run = _count_columns(encoder, encoded, run)
    counts = _settle(counts, [description.domain[own.name] for own in transformers])
    masks = tuple(
        support(transformer, description, column, counts.scale, run.constants.describe)
        for transformer, column in zip(transformers, counts.columns, strict=True)
    )
    ordered = [transformer.ordered for transformer in transformers]
    by_class = _count_classes(counts, masks, encoder, encoded, run)
    if by_class is not None:
        counts = counts.size_classes(by_class, constants.size_doubt)
    evident = [transformer.name in description.estimated for transformer in transformers]
    chances = class_chances(counts, by_class, masks, ordered, constants)
    scores, pooled = fit_scores(counts, by_class, chances, masks, ordered, evident, constants)
    radius = clip_radius(scores.variances, constants.clip)
    moments = run.spending.keep(
        release_score_moments(
            encoded.map(partial(score_in_class, scores.scores)),
            classes.count,
            radius,
            COUNT_WEIGHT,
            kind=registry.MOMENTS,
            **_price_moments(encoder, run),
        )
    )
    correlations = class_correlations(moments, counts.totals, scores.variances, constants)
    found = classes, counts, masks, scores, pooled, radius, correlations, chances
    terms = counts.totals, scores.variances, run.plan.known.alike
    evidence, num_records = correlation_evidence(moments, *terms), float(counts.totals.sum())
    plan = plan_evident(run.plan, evidence, num_records, run.spending.price)
    return Density(*found), run.replan(plan)


def _count_columns(encoder: RecordEncoder, encoded: Rows[Encoded], run: Run) -> tuple[Counts, Run]:
    """Release the histograms of all columns, once or twice; return them and the planned run."""
    spending, classes = run.spending, encoder.classes
    sizes = [transformer.size for transformer in encoder.scored_transformers]
    given = _share_given(sizes, run)
    once = release_counts(encoded, sizes, classes.count, given, **spending.terms('columns'))
    counts = spending.keep(once)
    # Columns of public rows count as constant here, so that no pair contains them.
    domain, whole = encoder.description.domain, counts.totals.sum(keepdims=True)
    each = zip(encoder.scored_transformers, counts.columns, strict=True)
    several = [whole if getattr(domain[own.name], 'alone', False) else found for own, found in each]
    run = run.replan(finish_plan(run.plan, classes, several, counts.totals, spending.price))
    again = run.plan.payers('columns again')
    if again:
        twice = release_counts(encoded, sizes, classes.count, given, **spending.terms(*again))
        counts = counts.average(spending.keep(twice))
    return counts, run


def _settle(counts: Counts, columns: Sequence[Column]) -> Counts:
    """Replace noisy counts of name buckets and of public rows by equally uneven estimates."""
    found, total, settled = list(counts.columns), float(counts.totals.sum()), set()
    for at, own in enumerate(columns):
        if isinstance(own, Number) or (own.pseudonyms is None and not own.alone):
            continue
        missing, *noisy = found[at]
        present = total - max(missing, 0.0) * bool(own.nullable)
        if own.pseudonyms is None:
            settling = estimate_uneven(np.array(noisy), counts.scale, present)
        else:
            settling = occupy(np.array(noisy), counts.scale, present, own.pseudonyms.known)
        found[at] = np.append(missing, settling)
        settled.add(at)
    return replace(counts, columns=tuple(found), settled=frozenset(settled))


def _share_given(sizes: Sequence[int], run: Run) -> list[Floats]:
    """Return the known shares of codes of given columns, (S,) each; none without noise."""
    if run.given_codes is None or math.isinf(run.spending.price('columns')):
        return []
    both = zip(run.given_codes.T, sizes, strict=False)
    return [share_codes(codes, size) for codes, size in both]


def share_codes(codes: Wholes, size: int) -> Floats:
    """Return the share of each code, shape (S,), without -1; equal ones if no value has a code."""
    counts = np.bincount(codes[codes >= 0], minlength=size)
    return counts / counts.sum() if counts.any() else np.full(size, 1 / size)


def _count_classes(
    counts: Counts, masks: Sequence[Bools], encoder: RecordEncoder, encoded: Rows[Encoded], run: Run
) -> ClassCounts | None:
    num_classes, transformers = encoder.classes.count, encoder.scored_transformers
    if num_classes == 1 or not transformers:
        return None
    terms = run.spending.terms(*run.plan.payers('classes'))
    ordered = [transformer.ordered for transformer in transformers]
    constants = run.constants.approximate
    scale = run.spending.distance * math.sqrt(len(masks)) / terms['mu']
    counted = plan_class_counts(counts, masks, ordered, scale, constants)
    return run.spending.keep(release_class_counts(encoded, counted, num_classes, **terms))


def _price_moments(encoder: RecordEncoder, run: Run) -> dict[str, Any]:
    """Return the terms of the moments: their share, or all that later stages do not need."""
    payers = run.plan.payers('moments')
    if payers == ('moments',):
        return run.spending.terms(*payers)
    return run.spending.rest(promised=run.plan.promised(encoder.classes))


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
    promised = (*run.plan.promised(encoder.classes), 'pairs')
    left = run.spending.left(promised)
    sums = find_likely(domain, moments, within)
    if price_sums(len(sums) + len(parts), num_records) > MOST_FOR_PARTS * left:
        parts = []
    # Missing cells are assumed to be missing in the same records.
    missing = {name: float(own[0]) for name, own in columns.items()}
    rules: list[Sum | Part] = [*sums, *parts]
    sizes = {
        own: num_records * (1 - max(missing.get(name, 0.0) for name in (own.total, *own.parts)))
        for own in rules
    }
    likely = [own for own, size in sizes.items() if size >= LEAST_COMPLETE * num_records]
    price = price_sums(len(likely), num_records)
    if not likely or price > MOST_FOR_SUMS * left:
        return ()
    terms = run.spending.rest(math.inf if math.isinf(left) else price, promised)
    return run.spending.keep(release_sums(rows, likely, [sizes[own] for own in likely], **terms))


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

    classes, plan = encoder.classes, run.plan
    tables = _tabulate_parts(sums, encoder.scored_transformers, columns, counts.totals.sum())
    return JointReleases(
        encoded,
        locate,
        singles,
        pairs,
        expected,
        run.spending,
        run.constants.joint,
        run.rng,
        plan.adapts(classes),
        plan.promised(classes),
        tables,
    ).fit()


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
