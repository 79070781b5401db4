"""The algorithm on one screen: describe, approximate, partition, adapt, anonymize.

It follows 3A (arXiv 2307.01875). Each stage is a function below, named as its room and its
receipts are; what a stage returns is released. ``docs/notation.md`` has the symbols.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.accounting import Budget
from sdv_threea.adapt.evidence import weigh_evidence
from sdv_threea.adapt.fit import Draws
from sdv_threea.adapt.labels import adapt_labels, plan_features
from sdv_threea.adapt.model import LabelModel
from sdv_threea.anonymize.mixing import mixture_of_components, regularize
from sdv_threea.anonymize.mixture import Mixture, class_mixture
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
from sdv_threea.approximate.departures import Use
from sdv_threea.approximate.gaussian import class_correlations
from sdv_threea.approximate.moments import SCORE_UNITS, release_score_moments
from sdv_threea.approximate.scores import normal_scores, score_in_class, score_pooled
from sdv_threea.constants import Constants
from sdv_threea.describe.description import describe, needs_threshold
from sdv_threea.describe.size import release_size
from sdv_threea.domain import Domain
from sdv_threea.encoding.classes import Classes, make_classes
from sdv_threea.encoding.records import Encoded, RecordEncoder
from sdv_threea.encoding.support import has_evident_ends, narrowed, supports
from sdv_threea.encoding.transformers import make_transformers
from sdv_threea.joint.bins import PairPlan, cut_pair_bins, plan_pairs
from sdv_threea.joint.counting import count_pairs
from sdv_threea.joint.density import Joint, Singles, fit_joint
from sdv_threea.joint.prior import expect_tables
from sdv_threea.losses import find_losses
from sdv_threea.partition.em import first_centroids, num_components, place_in_component, private_em
from sdv_threea.privacy.mechanism import Noise, discrete_gaussian
from sdv_threea.privacy.rows import Rows, chunk_table
from sdv_threea.privacy.spending import Spending
from sdv_threea.privacy.statistics import histogram_sensitivity
from sdv_threea.release import Release
from sdv_threea.sampling.draws import draw_codes, draw_evenly
from sdv_threea.sampling.joint import draw_evenly_jointly
from sdv_threea.settings import Settings
from sdv_threea.stages import (
    asks_size,
    for_pairs,
    may_count_pairs,
    open_account,
    share_by_size,
)

#: Centroids are fitted to about this many rows at most: more would take time and gain nothing.
MOST_READ = 2**20

#: Rows drawn from what is released, for starting points and landmarks: they cost time alone.
NUM_DRAWS = 4000


def release(  # noqa: PLR0913 (what, the price, and sources of chance)
    table: pd.DataFrame | Rows[pd.DataFrame],
    domain: Domain,
    settings: Settings,
    begin: Callable[[str], object] = str,
    *,
    noise: Noise = discrete_gaussian,
    rng: np.random.Generator | None = None,
    budget: Budget | None = None,
    rows_per_unit: int = 1,
    alone: bool = True,
) -> Release:
    """Release a model of a private table.

    Formal guarantees:
        * what is read from the table are sums over its rows, which pass through ``spending.keep``;
          before they are summed, records are only mapped one by one: to codes, labels, scores,
          points and components
        * so the release is as private as its ledger says: ``(epsilon, delta)``-differentially
          private, end to end, under the neighbour relation of the settings; a unit of privacy may
          have up to ``rows_per_unit`` records

    Args:
        table: The private rows: the columns of the domain; numbers as floats with NaN, categories
            as objects with ``None`` or NaN for missing values, or as categoricals.
        domain: What is public.
        settings: What the user chose.
        begin: Is told the name of each stage as it begins, for a progress bar.
        noise: The source of noise; for tests.
        rng: Source of the draws that need no secrecy.
        budget: What may be spent, if it is not all that the settings say: a part of it, where
            other tables are released too.
        rows_per_unit: The most records that a unit of privacy has in the table.
        alone: Whether the table is released alone, and not in the context of another one.

    Returns:
        The release.
    """
    budget = budget or settings.budget(thresholds=needs_threshold(domain))
    account = open_account(domain, settings, noise, budget, rows_per_unit, alone=alone)
    run = Run(settings, account, rng or np.random.default_rng(), alone)
    begin('describe')
    rows = table if isinstance(table, Rows) else chunk_table(table)
    size = _count_records(rows, domain, run, budget)
    encoder, encoded = _describe(rows, domain, size and size[0], run)
    begin('approximate')
    density, plan = _approximate(encoder, encoded, run)
    joint = labels = None
    if plan is not None:
        mixture = class_mixture(density.counts.totals, density.correlations)
        joint = _join(density, plan, encoder, encoded, run)
        # There are no components: what was approximated is what records are drawn from.
        begin('partition')
        begin('adapt')
        if run.adapts(density.classes):
            labels = _adapt(density, joint, encoded, run)
        begin('anonymize')
    else:
        begin('partition')
        centroids = _partition(density, encoded, run)
        begin('adapt')
        labels = _adapt(density, joint, encoded, run)
        begin('anonymize')
        mixture = _anonymize(density, encoded, centroids, run)
    return Release(
        domain=narrowed(encoder.description, encoder.scored_transformers, density.masks),
        ledger=run.spending.ledger,
        transformers=encoder.transformers,
        scored=encoder.scored,
        scores=density.scores,
        mixture=mixture,
        classes=encoder.classes,
        labels=None if labels is None else _calibrate(labels, mixture, joint, density, run),
        joint=joint,
        losses=find_losses(domain, size, encoder, density, run.constants.describe),
    )


class Run(NamedTuple):
    """What all stages share: what the user chose, the account, and chance that needs no secrecy."""

    settings: Settings
    spending: Spending
    rng: np.random.Generator
    alone: bool

    @property
    def constants(self) -> Constants:
        """What was chosen by measurement."""
        return self.settings.constants

    def adapts(self, classes: Classes) -> bool:
        """Whether labels are adapted where pairs of columns are counted, the class among them."""
        return classes.told_apart and self.settings.alpha < 1


def _count_records(
    rows: Rows[pd.DataFrame], domain: Domain, run: Run, budget: Budget
) -> tuple[float, float] | None:
    """Release the number of records, and share out the rest of the budget by it.

    Returns:
        The number and the standard deviation of its noise, or ``None`` if it is not asked for.
    """
    spending = run.spending
    if not asks_size(domain, run.settings, alone=run.alone):
        return None
    size = spending.keep(release_size(rows, **spending.terms('size')))
    spending.divide(share_by_size(domain, run.settings, budget, size[0]))
    return size


def _describe(
    rows: Rows[pd.DataFrame], domain: Domain, num_records: float | None, run: Run
) -> tuple[RecordEncoder, Rows[Encoded]]:
    """Fill in the blanks of the domain; encode and label the records."""
    spending, constants = run.spending, run.constants
    description = spending.keep(
        describe(
            rows,
            domain,
            delta=spending.threshold_delta,
            rows_per_unit=spending.rows_per_unit,
            extrapolate=run.settings.extrapolate,
            num_records=num_records,
            constants=constants.describe,
            **spending.terms('describe'),
        )
    )
    transformers = make_transformers(description, constants.encoding)
    # A numerical target has as many classes as can be told apart in the noise of their counts.
    counted = 'columns' if domain.target is None else 'classes'
    count_noise = histogram_sensitivity(len(transformers)) / spending.price(counted)
    classes = make_classes(description, transformers, count_noise, constants.encoding)
    encoder = RecordEncoder(description, transformers, classes, classes.scored(len(transformers)))
    return encoder, rows.map(encoder.encode).keep()


def _approximate(
    encoder: RecordEncoder, encoded: Rows[Encoded], run: Run
) -> tuple[Density, PairPlan | None]:
    """Release how columns are distributed and hang together in each class.

    Returns:
        What is released, and how pairs of columns are counted, if they are.
    """
    transformers, classes = encoder.scored_transformers, encoder.classes
    constants, description = run.constants.approximate, encoder.description
    counts, plan = _count_columns(encoder, encoded, run)
    looks = counts.columns, counts.scale, run.constants.describe
    masks = supports(transformers, description, *looks)
    ordered = [transformer.ordered for transformer in transformers]
    by_class = _count_classes(counts, masks, encoder, encoded, plan, run)
    known = counts, by_class, masks, ordered
    evident = [has_evident_ends(transformer, description) for transformer in transformers]
    density_alone = plan is not None and not run.adapts(classes)
    use = Use.CLASSIFIER if classes.told_apart and not density_alone else Use.CLASSES
    scores, pooled = fit_scores(*known, evident, constants, use)
    radius = clip_radius(scores, constants.clip)
    moments = run.spending.keep(
        release_score_moments(
            encoded.map(partial(score_in_class, scores)),
            classes.count,
            radius,
            constants.count_weight,
            stage='approximate',
            **run.spending.terms('moments'),
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
        moments,
        correlations,
        class_chances(*known, constants),
    )
    return density, plan


def _count_columns(
    encoder: RecordEncoder, encoded: Rows[Encoded], run: Run
) -> tuple[Counts, PairPlan | None]:
    """Release the histograms of all columns; return them, and how pairs are counted, if they are.

    Where pairs may be counted, but noise would drown them, their share counts the columns again.
    """
    spending, num_classes = run.spending, encoder.classes.count
    sizes = [transformer.size for transformer in encoder.scored_transformers]
    once = release_counts(encoded, sizes, num_classes, **spending.terms('columns'))
    counts = spending.keep(once)
    if not may_count_pairs(encoder.description.domain, run.settings, alone=run.alone):
        return counts, None
    price = math.hypot(*(spending.price(stage) for stage in for_pairs(run.settings)))
    num_records = float(counts.totals.sum())
    adapted = num_classes if run.adapts(encoder.classes) else 0
    plan = plan_pairs(counts.columns, num_records, price, run.constants.joint, adapted)
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
    # Where pairs may be counted, but are not, their share is that of classes.
    may = may_count_pairs(encoder.description.domain, run.settings, alone=run.alone)
    shared = ('pairs', 'functions') if may and plan is None else ()
    terms = run.spending.terms('classes', *shared)
    ordered = [transformer.ordered for transformer in transformers]
    constants = run.constants.approximate
    plans = plan_class_counts(counts, masks, ordered, terms['mu'], constants)
    return run.spending.keep(release_class_counts(encoded, plans, num_classes, **terms))


def _join(
    density: Density, plan: PairPlan, encoder: RecordEncoder, encoded: Rows[Encoded], run: Run
) -> Joint:
    """Release what pairs of columns say together, and fit a density to it."""
    counts, scores, constants = density.counts, density.scores, run.constants
    histograms = [scores.chances(at) for at in range(len(counts.columns))]
    columns = [counts.shares @ table for table in histograms]
    ordered = [transformer.ordered for transformer in encoder.scored_transformers]
    least = constants.approximate.spike_noise * counts.scale / counts.totals.sum()
    cuts = columns, density.masks, ordered, plan.num_bins, least
    bins = cut_pair_bins(*cuts, constants.joint, constants.approximate)
    singles = Singles(tuple(bins), tuple(histograms), tuple(ordered), counts.totals, counts.scale)
    promised = ('adapt',) if run.adapts(encoder.classes) else ()
    counted = encoded, singles, plan, run.spending, constants.joint, promised
    pairs, functions = count_pairs(*counted)
    expected = expect_tables(counts.totals, scores, density.correlations, bins)
    return fit_joint(singles, pairs, functions, expected, constants.joint, run.rng)


def _partition(density: Density, encoded: Rows[Encoded], run: Run) -> NDArray[np.int64]:
    """Find centroids that cut each class into components, as many as the budget carries."""
    constants, num_classes = run.constants.partition, density.classes.count
    radius, price = density.radius / SCORE_UNITS, run.spending.price('anonymize')
    carried = num_components(density.counts.totals, radius, price, constants)
    wanted = run.settings.components_per_class or carried
    centroids = first_centroids(*_draw(density, run.rng), num_classes, wanted, run.rng)
    if centroids.shape[1] == 1:
        return centroids
    some = _sample(encoded, density).map(partial(score_pooled, density.pooled))
    pooled_radius = clip_radius(density.pooled, run.constants.approximate.clip)
    terms = run.spending.terms('partition')
    return run.spending.keep(private_em(some, centroids, pooled_radius, constants, **terms))


def _adapt(
    density: Density, joint: Joint | None, encoded: Rows[Encoded], run: Run
) -> LabelModel | None:
    """Fit the model of the labels, by which a record's class follows from its codes."""
    # The stage has a share only where the target is categorical.
    told_apart = density.classes.told_apart and density.chances
    mu = run.spending.price('adapt') if told_apart else 0.0
    if not mu:
        return None
    constants, totals = run.constants.adapt, density.counts.totals
    evidence = weigh_evidence(density.chances, totals, constants)
    if joint is None:
        draws = _draw_to_adapt(density, run)
    else:
        draws = draw_evenly_jointly(joint, totals, run.rng)
    seen = evidence, draws, totals, density.pooled
    features = plan_features(*seen, run.settings.kernel, mu, constants)
    fitted = evidence, draws, density.pooled, features, constants
    return run.spending.keep(adapt_labels(encoded, *fitted, **run.spending.terms('adapt')))


def _draw_to_adapt(density: Density, run: Run) -> Draws:
    """Draw the records that the fit of the labels starts with, from one Gaussian per class.

    They are drawn with the histograms of the evidence: a fit to draws that do not show the evidence
    would unlearn it.
    """
    totals = density.counts.totals
    shown = normal_scores(density.chances, density.scores.orders, density.classes.count)
    gaussians = class_mixture(totals, density.correlations)
    gaussians = regularize(gaussians, run.constants.anonymize.trust)
    return draw_evenly(gaussians, shown, totals, run.rng)


def _calibrate(
    labels: LabelModel, mixture: Mixture, joint: Joint | None, density: Density, run: Run
) -> LabelModel:
    """Make labels sure enough, and classes as frequent as released, among records to be drawn."""
    totals, constants = density.counts.totals, run.constants.adapt
    if joint is None:
        codes, _, weights = draw_evenly(mixture, density.scores, totals, run.rng)
    else:
        codes, _, weights = draw_evenly_jointly(joint, totals, run.rng)
    spread = constants.log_odds_spread * (1 - run.settings.alpha)
    known = codes, weights, density.counts.shares
    return labels.adjusted(*known, spread=spread, most_stretch=constants.most_stretch)


def _anonymize(
    density: Density, encoded: Rows[Encoded], centroids: NDArray[np.int64], run: Run
) -> Mixture:
    """Replace the records of each component by the Gaussian of their noisy moments."""
    constants = run.constants
    num_classes, components, _ = centroids.shape
    mixed = run.spending.keep(
        release_score_moments(
            encoded.map(partial(place_in_component, density.scores, density.pooled, centroids)),
            num_classes * components,
            density.radius,
            constants.approximate.count_weight,
            stage='anonymize',
            **run.spending.rest(),
        )
    )
    totals, variances = density.counts.totals, density.scores.variances
    # The components of a class add up to the class, so its moments are now known twice.
    moments = density.moments.average(mixed.add(components))
    correlations = class_correlations(moments, totals, variances, constants.approximate)
    mixture = mixture_of_components(mixed, totals, correlations, variances, constants.anonymize)
    trust = constants.anonymize.trust
    return regularize(mixture, trust) if density.classes.told_apart else mixture


def _sample(encoded: Rows[Encoded], density: Density) -> Rows[Encoded]:
    """Take some of the rows, if there are more than centroids need."""
    return encoded.thin(MOST_READ / density.counts.totals.sum())


def _draw(
    density: Density, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw points, in score units, and their classes from one Gaussian per class."""
    gaussians = class_mixture(density.counts.totals, density.correlations)
    codes, labels = draw_codes(gaussians, density.scores, NUM_DRAWS, rng)
    return density.pooled(codes, np.zeros_like(labels)).astype(np.int64), labels
