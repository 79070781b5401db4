"""The stage *adapt*: fit the target to a loss over the private rows.

A categorical target gets a model of its labels (:mod:`~sdv_threea.adapt.labels`), a numerical one a
model of its numbers (:mod:`~sdv_threea.adapt.regression`).

Formal guarantees of every function: only the releases of :mod:`sdv_threea.adapt` read private
records, and the account of the run keeps all receipts.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from sdv_threea.adapt.design import weigh_evidence
from sdv_threea.adapt.labels import LabelModel, adapt_labels
from sdv_threea.adapt.link_functions import Draws
from sdv_threea.adapt.regression import Expectation, NumberModel, adapt_number
from sdv_threea.adapt.trees import grow_trees
from sdv_threea.approximate.marginals import Density
from sdv_threea.approximate.mixture import Mixture, class_mixture, regularize
from sdv_threea.approximate.scores import normal_scores
from sdv_threea.arrays import Wholes
from sdv_threea.encoding.classes import RecordEncoder
from sdv_threea.joint.density import Joint
from sdv_threea.joint.pair_bins import cut_pair_bins
from sdv_threea.planning.run import Run
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.records import Encoded
from sdv_threea.sampling.chained import Chained
from sdv_threea.sampling.draws import Model, draw_evenly
from sdv_threea.sampling.gaussians import Gaussians

#: Number of draws with a numerical target: trees are trained on them.
NUM_DRAWS = 20_000


def adapt(
    density: Density, joint: Joint | None, encoder: RecordEncoder, encoded: Rows[Encoded], run: Run
) -> LabelModel | Expectation | None:
    """Return the model of the target, categorical or numerical; ``None`` if none is planned."""
    if run.plan.adapted == 'labels':
        return _adapt_labels(density, joint, encoded, run)
    if run.plan.adapted == 'number':
        return _adapt_number(density, joint, encoder, encoded, run)
    return None


def calibrate(
    adapted: LabelModel | Expectation | None,
    mixture: Mixture,
    joint: Joint | None,
    density: Density,
    run: Run,
) -> LabelModel | NumberModel | None:
    """Return the model with its sharpness and the target's margin calibrated on draws."""
    if adapted is None:
        return None
    model, shares = _model(mixture, joint, density, run), density.counts.shares
    alpha, constants = run.settings.alpha, run.constants.adapt
    if isinstance(adapted, Expectation):
        draws, shares = _draw(model, density, run), shares @ density.scores.chances(adapted.target)
        return adapted.adjusted(draws, shares, alpha, constants, run.rng)
    evenly = draw_evenly(model, density.counts.totals, run.rng)
    return adapted.adjusted(evenly, shares, alpha, constants)


def _draw(model: Model, density: Density, run: Run) -> Draws:
    """Draw records of a table with a numerical target; classes have their released frequency."""
    codes, labels = model.draw(NUM_DRAWS, run.rng)
    return Draws(codes, labels, np.full(len(codes), density.counts.totals.sum() / len(codes)))


def _adapt_labels(
    density: Density, joint: Joint | None, encoded: Rows[Encoded], run: Run
) -> LabelModel:
    constants, totals = run.constants.adapt, density.counts.totals
    evidence = weigh_evidence(density.chances, totals, constants.sure_odds)
    draws = draw_evenly(_start(joint, density, run), totals, run.rng)
    kernel = run.settings.kernel
    fit = partial(adapt_labels, encoded, evidence, draws, density.pooled, kernel, constants)
    return run.spending.pay(fit, 'adapt')


def _adapt_number(
    density: Density, joint: Joint | None, encoder: RecordEncoder, encoded: Rows[Encoded], run: Run
) -> Expectation | None:
    """Fit the regression of a numerical target; ``None`` if nothing is likely."""
    constants, totals = run.constants.adapt, density.counts.totals
    at, scores = density.classes.target, density.pooled.scores
    assert at is not None
    ordered = [transformer.ordered for transformer in encoder.scored_transformers]
    model = _model(class_mixture(totals, density.correlations), joint, density, run)
    draws = _draw(model, density, run)
    own, others = scores[at][0], [other for other in range(len(scores)) if other != at]
    sizes = [table.shape[1] for table in scores]
    trees = grow_trees(
        draws.codes,
        own[draws.codes[:, at]],
        draws.weights,
        others,
        sizes,
        ordered,
        seed=int(run.rng.integers(2**31)),
    )
    start = Expectation(at, own, trees)
    pair_bins = constants.single_bins // 2
    fit = partial(
        adapt_number,
        encoded,
        start,
        draws,
        _cut(density, ordered, constants.single_bins, run),
        _cut(density, ordered, pair_bins, run, 1 / pair_bins),
        ordered,
        density.pooled,
        run.settings.kernel,
        constants,
    )
    return run.spending.pay(fit, 'adapt')


def _model(mixture: Mixture, joint: Joint | None, density: Density, run: Run) -> Model:
    """Return the density to draw from: the joint density if there is one, otherwise Gaussians."""
    if joint is None:
        return Gaussians(mixture, density.scores)
    return Chained(joint, density.counts.totals, run.given_codes)


def _cut(
    density: Density, ordered: list[bool], num_bins: int, run: Run, least: float = 0.0
) -> list[Wholes]:
    """Cut all columns into bins of about equal mass; values of mass ``least`` get their own."""
    counts, constants = density.counts, run.constants
    columns = [counts.shares @ density.scores.chances(at) for at in range(len(ordered))]
    noise = counts.least_evident(constants.approximate)
    most = min(constants.joint.most_bins, 2 * num_bins)
    few = replace(constants.joint, most_bins=most)
    least = max(noise, least)
    return cut_pair_bins(
        columns, density.masks, ordered, num_bins, least, few, constants.approximate
    )


def _start(joint: Joint | None, density: Density, run: Run) -> Model:
    """Return the density for the first labels; Gaussians use the histograms of the evidence."""
    gaussians = class_mixture(density.counts.totals, density.correlations)
    if joint is not None:
        return _model(gaussians, joint, density, run)
    shown = normal_scores(density.chances, density.scores.orders, density.classes.count)
    return Gaussians(regularize(gaussians, run.constants.adapt.start_trust), shown)
