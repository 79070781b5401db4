"""The stage *approximate*, release by release: columns, classes, correlations, pairs of columns.

Formal guarantees of every function: only the releases that are called in this module read private
records, and the account of the run keeps all receipts.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from sdv_threea.approximate.counts import (
    ClassCounts,
    Counts,
    release_class_counts,
    release_counts,
)
from sdv_threea.approximate.gaussian import class_correlations, correlation_evidence
from sdv_threea.approximate.marginals import (
    Density,
    class_chances,
    clip_radius,
    fit_scores,
)
from sdv_threea.approximate.moments import release_score_moments
from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.constants import COUNT_WEIGHT
from sdv_threea.domain import Column, Number
from sdv_threea.encoding.classes import RecordEncoder
from sdv_threea.encoding.codes_in_use import find_codes
from sdv_threea.encoding.support import support
from sdv_threea.maths.buckets import occupy
from sdv_threea.maths.uneven import estimate_uneven
from sdv_threea.planning.plan import finish_plan, plan_evident
from sdv_threea.planning.prices import counts_given, plan_classes_of_columns, price_moments
from sdv_threea.planning.run import Run
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.records import Encoded
from sdv_threea.rows.score_moments import score_in_class
from sdv_threea.statistics import registry


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
    total, limits = float(counts.totals.sum()), run.constants.describe
    masks = find_codes(masks, transformers, counts.columns, counts.scale, total, limits)
    ordered = [transformer.ordered for transformer in transformers]
    by_class = _count_classes(counts, masks, encoder, encoded, run)
    if by_class is not None:
        counts = counts.size_classes(by_class, constants.size_doubt)
    evident = [transformer.name in description.estimated for transformer in transformers]
    chances = class_chances(counts, by_class, masks, ordered, constants)
    scores, pooled = fit_scores(counts, by_class, chances, masks, ordered, evident, constants)
    radius = clip_radius(scores.variances, constants.clip)
    release = partial(
        release_score_moments,
        encoded.map(partial(score_in_class, scores.scores)),
        classes.count,
        radius,
        COUNT_WEIGHT,
        kind=registry.MOMENTS,
    )
    moments = run.spending.pay_price(release, price_moments(run))
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
    release = partial(release_counts, encoded, sizes, classes.count, _share_given(sizes, run))
    counts = spending.pay(release, 'columns')
    # Columns of public rows count as constant here, so that no pair contains them.
    domain, whole = encoder.description.domain, counts.totals.sum(keepdims=True)
    each = zip(encoder.scored_transformers, counts.columns, strict=True)
    several = [whole if getattr(domain[own.name], 'alone', False) else found for own, found in each]
    run = run.replan(finish_plan(run.plan, classes, several, counts.totals, spending.price))
    again = run.plan.payers('columns again')
    if again:
        counts = counts.average(spending.pay(release, *again))
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
    """Return the known shares of codes of given columns, (S,) each; none if these are counted."""
    if run.given_codes is None or counts_given(run):
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
    ordered = [transformer.ordered for transformer in encoder.scored_transformers]
    planned = plan_classes_of_columns(run, counts, masks, ordered)
    if planned is None:
        return None
    release = partial(release_class_counts, encoded, planned, encoder.classes.count)
    return run.spending.pay(release, *run.plan.payers('classes'))
