"""The algorithm on one screen: describe, approximate, adapt, anonymize (3A, arXiv 2307.01875)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.accounting import Budget
from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.evidence import LabelModel, weigh_evidence
from sdv_threea.adapt.inducing import adapt_centroids, add_target
from sdv_threea.adapt.labels import Draws, adapt_labels, num_draws
from sdv_threea.anonymize.mixing import mixture_of_cells, regularize
from sdv_threea.anonymize.mixture import Mixture, class_mixture
from sdv_threea.approximate.counts import (
    ClassCounts,
    Counts,
    release_class_counts,
    release_counts,
)
from sdv_threea.approximate.density import class_chances, clip_radius, fit_scores, plan_class_counts
from sdv_threea.approximate.gaussian import class_correlations
from sdv_threea.approximate.moments import GRID, ScoreMoments, release_moments
from sdv_threea.approximate.scores import NormalScores, normal_scores, score_in_class, score_pooled
from sdv_threea.approximate.tilts import Use
from sdv_threea.describe.description import describe, needs_threshold
from sdv_threea.domain import Domain
from sdv_threea.encoding.classes import Classes, make_classes
from sdv_threea.encoding.records import Encoded, RecordEncoder
from sdv_threea.encoding.support import has_evident_ends, narrowed, supports
from sdv_threea.encoding.transformers import make_transformers
from sdv_threea.partition.em import first_centroids, num_cells, place_in_cell, private_em
from sdv_threea.privacy.mechanism import Noise, discrete_gaussian
from sdv_threea.privacy.rows import Rows, chunk_table
from sdv_threea.privacy.spending import Spending
from sdv_threea.privacy.statistics import histogram_sensitivity
from sdv_threea.release import Release
from sdv_threea.sampling.draws import draw_codes
from sdv_threea.settings import Settings
from sdv_threea.stages import open_account

#: Rows that centroids are fitted to, at most, or about.
MOST_READ = 2**20

#: Rows drawn from what is released, for starting points and landmarks.
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
) -> Release:
    """Release a model of a private table.

    Formal guarantees:
        * what is read from the table are sums over its rows, which pass through ``spending.keep``;
          before they are summed, records are only mapped one by one: to codes, labels, scores,
          points and cells
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

    Returns:
        The release.
    """
    budget = budget or settings.budget(thresholds=needs_threshold(domain))
    account = open_account(domain, settings, noise, budget, rows_per_unit)
    run = Run(settings, account, rng or np.random.default_rng())
    begin('describe')
    rows = table if isinstance(table, Rows) else chunk_table(table)
    encoder, encoded = _describe(rows, domain, run)
    begin('approximate')
    density = _approximate(encoder, encoded, run)
    begin('partition')
    centroids = _partition(density, encoded, run)
    begin('adapt')
    centroids = _adapt(density, encoded, centroids, run)
    labels = _adapt_labels(density, encoded, run)
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
        labels=None if labels is None else _calibrate(labels, mixture, density, run),
    )


class Run(NamedTuple):
    """What all stages share."""

    settings: Settings
    spending: Spending
    rng: np.random.Generator


class Density(NamedTuple):
    """How codes become normal scores, and how those hang together: released."""

    classes: Classes
    counts: Counts
    masks: tuple[NDArray[np.bool_], ...]
    scores: NormalScores
    pooled: NormalScores
    moments: ScoreMoments
    gaussians: Mixture
    chances: tuple[NDArray[np.float64], ...]


def _describe(
    rows: Rows[pd.DataFrame], domain: Domain, run: Run
) -> tuple[RecordEncoder, Rows[Encoded]]:
    """Fill in the blanks of the domain; encode and label the records."""
    spending = run.spending
    description = spending.keep(
        describe(
            rows,
            domain,
            delta=spending.threshold_delta,
            rows_per_unit=spending.rows_per_unit,
            extrapolate=run.settings.extrapolate,
            **spending.terms('describe'),
        )
    )
    transformers = make_transformers(description)
    counted = 'columns' if domain.target is None else 'classes'
    count_noise = histogram_sensitivity(len(transformers)) / spending.price(counted)
    classes = make_classes(description, transformers, count_noise)
    encoder = RecordEncoder(description, transformers, classes, classes.scored(len(transformers)))
    return encoder, rows.map(encoder.encode).keep()


def _approximate(encoder: RecordEncoder, encoded: Rows[Encoded], run: Run) -> Density:
    """Release how columns are distributed and hang together in each class."""
    transformers, classes = encoder.scored_transformers, encoder.classes
    sizes = [transformer.size for transformer in transformers]
    terms = run.spending.terms('columns')
    counts = run.spending.keep(release_counts(encoded, sizes, classes.count, **terms))
    masks = supports(transformers, encoder.description, counts.columns, counts.scale)
    ordered = [transformer.ordered for transformer in transformers]
    by_class = None
    if classes.count > 1 and transformers:
        by_class = _count_classes(counts, masks, ordered, encoded, run)
    chances = class_chances(counts, by_class, masks, ordered)
    evident = [has_evident_ends(transformer, encoder.description) for transformer in transformers]
    use = Use.CLASSIFIER if classes.told_apart else Use.CLASSES
    scores, pooled = fit_scores(counts, by_class, masks, ordered, evident, use)
    scored = encoded.map(partial(score_in_class, scores))
    groups = classes.count, clip_radius(scores)
    terms = run.spending.terms('moments')
    moments = run.spending.keep(release_moments(scored, *groups, stage='approximate', **terms))
    correlations = class_correlations(moments, counts.totals, scores.variances)
    gaussians = class_mixture(counts.totals, correlations)
    return Density(classes, counts, masks, scores, pooled, moments, gaussians, chances)


def _count_classes(
    counts: Counts,
    masks: tuple[NDArray[np.bool_], ...],
    ordered: list[bool],
    encoded: Rows[Encoded],
    run: Run,
) -> ClassCounts:
    """Release how the classes depart from the whole, as finely as the budget carries."""
    plans = plan_class_counts(counts, masks, ordered, run.spending.price('classes'))
    terms = run.spending.terms('classes')
    return run.spending.keep(release_class_counts(encoded, plans, len(counts.totals), **terms))


def _partition(density: Density, encoded: Rows[Encoded], run: Run) -> NDArray[np.int64]:
    """Find centroids that cut each class into cells, as many as the budget carries."""
    radius = clip_radius(density.scores) / GRID
    cells = run.settings.cells_per_class or num_cells(
        density.counts.totals, radius, run.spending.price('anonymize')
    )
    centroids = first_centroids(*_draw(density, run), density.classes.count, cells, run.rng)
    if centroids.shape[1] == 1:
        return centroids
    some = _sample(encoded, density).map(partial(score_pooled, density.pooled))
    terms = run.spending.terms('partition')
    return run.spending.keep(private_em(some, centroids, clip_radius(density.pooled), **terms))


def _adapt(
    density: Density, encoded: Rows[Encoded], centroids: NDArray[np.int64], run: Run
) -> NDArray[np.int64]:
    """Move the centroids to where a classifier trained on them loses least."""
    num_classes, cells, _ = centroids.shape
    if cells == 1 or num_classes == 1 or not run.spending.price('adapt'):
        return centroids
    owners = np.repeat(np.arange(num_classes), cells)
    return run.spending.keep(
        adapt_centroids(
            _sample(encoded, density).map(partial(add_target, density.pooled, density.classes)),
            centroids,
            density.classes.targets(owners),
            landmarks=_draw(density, run)[0],
            alpha=run.settings.alpha,
            kernel=run.settings.kernel,
            constants=AdaptConstants(),
            **run.spending.terms('adapt'),
        )
    )


def _adapt_labels(density: Density, encoded: Rows[Encoded], run: Run) -> LabelModel | None:
    """Fit what the classes follow from to the classifier's loss."""
    if not density.classes.told_apart or not density.chances or not run.spending.price('labels'):
        return None
    evidence = weigh_evidence(density.chances, density.counts.totals, AdaptConstants())
    # What draws do not show of the evidence, a fit to them would unlearn.
    shown = normal_scores(density.chances, density.scores.orders, density.classes.count)
    draws = _draw_evenly(regularize(density.gaussians), density._replace(scores=shown), run)
    terms = run.spending.terms('labels')
    return run.spending.keep(adapt_labels(encoded, evidence, draws, AdaptConstants(), **terms))


def _calibrate(labels: LabelModel, mixture: Mixture, density: Density, run: Run) -> LabelModel:
    """Make labels sure enough, and classes as frequent, among the records that will be drawn."""
    codes, _, weights = _draw_evenly(mixture, density, run)
    constants = AdaptConstants()
    spread = constants.log_odds_spread * (1 - run.settings.alpha)
    surer = labels.surer(codes, weights, spread=spread, most_stretch=constants.most_stretch)
    return surer.calibrated(codes, weights, density.counts.shares)


def _anonymize(
    density: Density, encoded: Rows[Encoded], centroids: NDArray[np.int64], run: Run
) -> Mixture:
    """Replace the records of each cell by their noisy mixture."""
    num_classes, cells, _ = centroids.shape
    mixed = run.spending.keep(
        release_moments(
            encoded.map(partial(place_in_cell, density.scores, density.pooled, centroids)),
            num_classes * cells,
            clip_radius(density.scores),
            stage='anonymize',
            **run.spending.rest(),
        )
    )
    totals, variances = density.counts.totals, density.scores.variances
    # The cells of a class add up to the class: its moments are now known twice.
    moments = density.moments.average(mixed.add(cells))
    correlations = class_correlations(moments, totals, variances)
    mixture = mixture_of_cells(mixed, totals, correlations, variances)
    return regularize(mixture) if density.classes.told_apart else mixture


def _sample(encoded: Rows[Encoded], density: Density) -> Rows[Encoded]:
    """Leave out rows where there are plenty: centroids need no better."""
    return encoded.thin(MOST_READ / density.counts.totals.sum())


def _draw_evenly(mixture: Mixture, density: Density, run: Run) -> Draws:
    """Draw as many records of each class, and tell how many each stands for: free of cost."""
    totals = density.counts.totals
    size = num_draws(len(totals), len(density.scores.scores))
    codes, labels = draw_codes(mixture.even(), density.scores, size, run.rng)
    weights = totals / np.maximum(np.bincount(labels, minlength=len(totals)), 1)
    return Draws(codes, labels, weights[labels])


def _draw(density: Density, run: Run) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw points and their classes from one Gaussian per class: free of cost."""
    codes, labels = draw_codes(density.gaussians, density.scores, NUM_DRAWS, run.rng)
    return density.pooled(codes, np.zeros_like(labels)).astype(np.int64), labels
