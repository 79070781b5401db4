"""The algorithm on one screen: describe, approximate, adapt, anonymize (3A, arXiv 2307.01875)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sdv_threea.adapt.centroids import adapt_centroids
from sdv_threea.anonymize.mixing import mixture_of_cells
from sdv_threea.anonymize.mixture import class_mixture
from sdv_threea.approximate.density import clip_radius, fit_scores, release_counts
from sdv_threea.approximate.gaussian import class_correlations
from sdv_threea.approximate.partition import assign, first_centroids, num_cells, private_em
from sdv_threea.domain import Domain
from sdv_threea.encoding.blocks import encode, make_blocks
from sdv_threea.encoding.classes import make_classes
from sdv_threea.encoding.describe import asks, describe, needs_threshold
from sdv_threea.encoding.support import narrowed, supports
from sdv_threea.mechanism import Noise, discrete_gaussian
from sdv_threea.moments import GRID, release_moments
from sdv_threea.release import Release, draw_codes
from sdv_threea.settings import Settings
from sdv_threea.spending import Spending
from sdv_threea.statistics import histogram_sensitivity

#: Rows drawn from what is released, for starting points and landmarks.
NUM_DRAWS = 4000


def release(
    table: pd.DataFrame,
    domain: Domain,
    settings: Settings,
    *,
    noise: Noise = discrete_gaussian,
    rng: np.random.Generator | None = None,
) -> Release:
    """Release a model of a private table.

    Formal guarantees:
        * what is read from the table passes through ``spending.keep``; between those steps records
          are only mapped one by one: to codes, labels, scores, points and cells
        * so the release is as private as its ledger says: ``(epsilon, delta)``-differentially
          private, end to end, under the neighbour relation of the settings

    Args:
        table: The private rows: the columns of the domain; numbers as floats with NaN, categories
            as objects with ``None`` or NaN for missing values.
        domain: What is public.
        settings: What the user chose.
        noise: The source of noise; for tests.
        rng: Source of the draws that need no secrecy.

    Returns:
        The release.
    """
    rng = rng or np.random.default_rng()
    spending = open_account(domain, settings, noise)

    # Describe: fill in the blanks of the domain, and lay out codes and classes.
    description = spending.keep(
        describe(table, domain, delta=spending.threshold_delta, **spending.terms('describe'))
    )
    blocks = make_blocks(description)
    count_noise = histogram_sensitivity(len(blocks) + 1) / spending.price('histograms')
    classes = make_classes(description, blocks, count_noise)
    codes = encode(table, blocks)
    labels = classes.label(codes)
    scored = classes.scored(len(blocks))
    codes, labels = codes[labels >= 0][:, scored], labels[labels >= 0]
    own = tuple(blocks[at] for at in scored)

    # Approximate: how each column is distributed in each class, and how the columns hang together.
    sizes = [block.size for block in own]
    counts = spending.keep(
        release_counts(codes, labels, sizes, classes.count, **spending.terms('histograms'))
    )
    masks = supports(own, description, counts.columns, counts.scale)
    scores, pooled = fit_scores(counts, masks, [block.ordered for block in own])
    rows, points = scores(codes, labels), pooled(codes, np.zeros_like(labels))
    radius = clip_radius(scores)
    moments = spending.keep(
        release_moments(
            rows, labels, classes.count, radius, stage='approximate', **spending.terms('moments')
        )
    )
    correlations = class_correlations(moments, counts.totals, scores.variances)
    gaussians = class_mixture(counts.totals, correlations)
    cells = settings.cells_per_class or num_cells(
        counts.totals, radius / GRID, spending.price('anonymize')
    )
    draws, draw_labels = draw_codes(gaussians, scores, NUM_DRAWS, rng)
    draws = pooled(draws, np.zeros_like(draw_labels))
    centroids = first_centroids(draws, draw_labels, classes.count, cells, rng)
    if cells > 1:
        centroids = spending.keep(
            private_em(
                points, labels, centroids, clip_radius(pooled), **spending.terms('partition')
            )
        )

    # Adapt: move the centroids to where a classifier trained on them loses least.
    if cells > 1 and classes.count > 1:
        owners = np.repeat(np.arange(classes.count), cells)
        centroids = spending.keep(
            adapt_centroids(
                points,
                classes.targets(labels),
                centroids,
                classes.targets(owners),
                landmarks=draws,
                alpha=settings.alpha,
                kernel=settings.kernel,
                **spending.terms('adapt'),
            )
        )

    # Anonymize: replace the records of each cell by their noisy mixture.
    groups = assign(points, labels, centroids)
    mixed = spending.keep(
        release_moments(
            rows, groups, classes.count * cells, radius, stage='anonymize', **spending.rest()
        )
    )
    correlations = class_correlations(
        moments.average(mixed.add(cells)), counts.totals, scores.variances
    )
    mixture = mixture_of_cells(mixed, counts.totals, correlations, scores.variances)
    return Release(
        domain=narrowed(description.domain, own, masks),
        ledger=spending.ledger,
        blocks=blocks,
        scored=scored,
        scores=scores,
        mixture=mixture,
        target_code=classes.target_code(),
    )


def open_account(domain: Domain, settings: Settings, noise: Noise) -> Spending:
    """Open the account of a release: stages that a domain leaves nothing to ask get no share."""
    budget = settings.budget(thresholds=needs_threshold(domain))
    shares = dict(settings.shares)
    if not asks(domain):
        shares['describe'] = 0.0
    return Spending(budget, shares, noise, charged=settings.guarantee == 'end_to_end')
