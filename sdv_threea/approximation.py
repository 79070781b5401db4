"""The stage *approximate*, release by release: columns, classes, correlations, pairs of columns.

Formal guarantees, of every function here:
    * only the releases of the rooms read private records, and the account of the run keeps all that
      they return
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

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
from sdv_threea.approximate.gaussian import class_correlations
from sdv_threea.approximate.moments import release_score_moments
from sdv_threea.approximate.scores import score_in_class
from sdv_threea.encoding.records import Encoded, Located, RecordEncoder
from sdv_threea.encoding.support import has_evident_ends, supports
from sdv_threea.joint.bins import Pair, PairPlan, cut_pair_bins, plan_pairs
from sdv_threea.joint.counting import JointReleases
from sdv_threea.joint.density import Joint
from sdv_threea.joint.estimates import Singles
from sdv_threea.joint.prior import expect_tables
from sdv_threea.rows.chunks import Rows
from sdv_threea.stages import (
    Run,
    for_classes,
    for_pairs,
)
from sdv_threea.statistics import registry


def approximate(
    encoder: RecordEncoder, encoded: Rows[Encoded], run: Run
) -> tuple[Density, PairPlan | None]:
    """Release the density of the columns by class; return it, and the plan of pairs, if any."""
    transformers, classes = encoder.scored_transformers, encoder.classes
    constants, description = run.constants.approximate, encoder.description
    counts, plan = _count_columns(encoder, encoded, run)
    looks = counts.columns, counts.scale, run.constants.describe
    masks = supports(transformers, description, *looks)
    ordered = [transformer.ordered for transformer in transformers]
    by_class = _count_classes(counts, masks, encoder, encoded, plan, run)
    if by_class is not None:
        counts = counts.size_classes(by_class, constants.size_doubt)
    known = counts, by_class, masks, ordered
    evident = [has_evident_ends(transformer, description) for transformer in transformers]
    chances = class_chances(*known, constants)
    scores, pooled = fit_scores(counts, by_class, chances, masks, ordered, evident, constants)
    radius = clip_radius(scores.variances, constants.clip)
    moments = run.spending.keep(
        release_score_moments(
            encoded.map(partial(score_in_class, scores)),
            classes.count,
            radius,
            constants.count_weight,
            kind=registry.MOMENTS,
            **_price_moments(plan, encoder, run),
        )
    )
    correlations = class_correlations(moments, counts.totals, scores.variances, constants)
    density = Density(
        classes,
        counts,
        masks,
        scores,
        pooled,
        radius,
        correlations,
        chances,
    )
    return density, plan


def _count_columns(
    encoder: RecordEncoder, encoded: Rows[Encoded], run: Run
) -> tuple[Counts, PairPlan | None]:
    """Release the histograms of all columns; return them, and the plan of pairs, if any.

    If noise would exceed the pair counts, their share counts the columns a second time, unless
    there are classes.
    """
    spending, num_classes = run.spending, encoder.classes.count
    sizes = [transformer.size for transformer in encoder.scored_transformers]
    once = release_counts(encoded, sizes, num_classes, **spending.terms('columns'))
    counts = spending.keep(once)
    if not run.settings.counts_pairs:
        return counts, None
    price = math.hypot(*(spending.price(stage) for stage in for_pairs(run.settings)))
    num_records = float(counts.totals.sum())
    adapted = num_classes if run.adapts(encoder.classes) and not run.aside else 0
    known = counts.columns, num_records, price, run.constants.joint, adapted
    adapts = run.adapts_number(encoder.classes)
    plan = plan_pairs(*known, adapts_number=adapts, num_given=run.num_given)
    if plan is None and num_classes == 1:
        terms = spending.terms('pairs', 'functions')
        twice = release_counts(encoded, sizes, num_classes, **terms)
        counts = counts.average(spending.keep(twice))
    return counts, plan


def _count_classes(
    counts: Counts,
    masks: Sequence[NDArray[np.bool_]],
    encoder: RecordEncoder,
    encoded: Rows[Encoded],
    plan: PairPlan | None,
    run: Run,
) -> ClassCounts | None:
    """Release the histograms of all columns in each class, if there are several."""
    num_classes, transformers = encoder.classes.count, encoder.scored_transformers
    if num_classes == 1 or not transformers:
        return None
    # Pairs that may be counted but are not leave their share to classes. If a class has few
    # records, classes get the share of functional pairs, which then get what other stages leave.
    uncounted = run.settings.counts_pairs and plan is None
    shared = for_classes(run.settings) if uncounted else ()
    if plan is not None and plan.few_of_class:
        shared = ('functions',)
    terms = run.spending.terms('classes', *shared)
    ordered = [transformer.ordered for transformer in transformers]
    constants = run.constants.approximate
    counted = plan_class_counts(counts, masks, ordered, terms['mu'], constants)
    return run.spending.keep(release_class_counts(encoded, counted, num_classes, **terms))


def _price_moments(plan: PairPlan | None, encoder: RecordEncoder, run: Run) -> dict[str, Any]:
    """Return the terms of the moments: without pairs, all that labels do not need."""
    if plan is not None or run.settings.mixing is not None:
        return run.spending.terms('moments')
    return run.spending.rest(promised=_promised(encoder, run))


def _promised(encoder: RecordEncoder, run: Run) -> tuple[str, ...]:
    """Return the stages whose share of the budget is kept for them."""
    adapts = run.adapts(encoder.classes) or run.adapts_number(encoder.classes)
    return ('adapt',) if adapts else ()


def join_columns(
    density: Density,
    plan: PairPlan,
    encoder: RecordEncoder,
    rows: Rows[pd.DataFrame],
    encoded: Rows[Encoded],
    run: Run,
) -> Joint:
    """Release counts of pairs of columns, and fit a joint density to them.

    It reads ``rows`` besides codes, because codes do not tell where in an interval a number is.
    """
    counts, scores, constants = density.counts, density.scores, run.constants
    histograms = [scores.chances(at) for at in range(len(counts.columns))]
    columns = [counts.shares @ table for table in histograms]
    ordered = [transformer.ordered for transformer in encoder.scored_transformers]
    least = constants.approximate.spike_noise * counts.scale / counts.totals.sum()
    cuts = columns, density.masks, ordered, plan.num_bins, least
    bins = cut_pair_bins(*cuts, constants.joint, constants.approximate)
    edges = [getattr(each, 'edges', None) for each in encoder.scored_transformers]
    known = tuple(bins), tuple(histograms), tuple(ordered), counts.totals, counts.scale
    unlisted = [getattr(each, 'unlisted', -1) for each in encoder.scored_transformers]
    singles = Singles(*known, tuple(edges), tuple(unlisted), run.given_codes)
    expected = expect_tables(counts.totals, scores, density.correlations, bins)

    def locate(pairs: tuple[Pair, ...]) -> Rows[Located]:
        return rows.map(partial(encoder.locate, pairs))

    counted = encoded, locate, singles, plan, expected, run.spending, constants.joint, run.rng
    return JointReleases(*counted, run.adapts(encoder.classes), _promised(encoder, run)).fit()
