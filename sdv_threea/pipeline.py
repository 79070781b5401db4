"""The algorithm on one screen: describe, approximate, adapt, anonymize.

The algorithm follows 3A (arXiv 2307.01875). Each stage is a function below. A stage, its folder and
its receipts have the same name. ``docs/lab/notation.md`` has the symbols.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from sdv_threea.accounting import Budget
from sdv_threea.adapt.labels import LabelModel
from sdv_threea.adapt.regression import NumberModel
from sdv_threea.adapt.target_stage import adapt, calibrate
from sdv_threea.approximate.column_stage import approximate
from sdv_threea.approximate.marginals import Density
from sdv_threea.approximate.mixture import Mixture, class_mixture
from sdv_threea.describe.description import describe, needs_threshold
from sdv_threea.describe.narrower import keep_narrower
from sdv_threea.describe.size import release_size
from sdv_threea.domain import Domain
from sdv_threea.encoding.classes import RecordEncoder
from sdv_threea.encoding.encoders import encode, make_transformers
from sdv_threea.encoding.support import narrowed
from sdv_threea.joint.column_sums import Sum
from sdv_threea.joint.counting import find_sums, join_columns
from sdv_threea.joint.date_parts import Part
from sdv_threea.joint.density import Joint
from sdv_threea.losses import find_losses
from sdv_threea.maths.threads import in_one_thread
from sdv_threea.planning.plan import make_plan, plan_classes, settle_plan
from sdv_threea.planning.run import Run, begin_run
from sdv_threea.planning.shares import Known
from sdv_threea.privacy.mechanism import Noise, discrete_gaussian
from sdv_threea.release import Release
from sdv_threea.rows.chunks import Rows, chunk_table
from sdv_threea.rows.records import Encoded
from sdv_threea.settings import Settings


@in_one_thread
def release(  # noqa: PLR0913 (what, the price, and sources of chance)
    table: pd.DataFrame | Rows[pd.DataFrame],
    domain: Domain,
    settings: Settings,
    begin: Callable[[str], object] = str,
    sized: Callable[[float], object] = float,
    *,
    noise: Noise = discrete_gaussian,
    rng: np.random.Generator | None = None,
    budget: Budget | None = None,
    rows_per_unit: int = 1,
    size: tuple[float, float] | None = None,
    given: pd.DataFrame | None = None,
    doubtful: Collection[str] = (),
    alike: float = 1.0,
) -> Release:
    """Release a model of a private table.

    Formal guarantees:
        * the table is read only as sums over its rows, or as differences of such sums from released
          numbers, and all of them pass through ``spending.pay``; before they are summed, records
          are only mapped one by one: to codes, labels, scores, points and clusters
        * so the release is as private as its ledger says: ``(epsilon, delta)``-differentially
          private, end to end, under the neighbour relation of the settings; a unit of privacy may
          have up to ``rows_per_unit`` records

    The table has the columns of the domain: numbers as floats with NaN, categories as objects with
    ``None`` or NaN for missing values, or as categoricals. ``begin`` is called with the name of
    each stage, and ``sized`` with the released number of records before the rest of the budget is
    spent; an error that it raises stops the release. Only tests replace the ``noise``.

    If other tables are released, too, ``budget`` is the part for this one. ``size`` is the number
    of records and the standard deviation of its noise, if released before. ``given`` has sampled
    values of the first columns of the domain, if these are known in every sample, such as the
    columns of a row's parent. For the given columns in ``doubtful``, a pair is counted only if
    released correlations show that its columns depend on each other, if up to ``alike`` rows
    are alike.
    """
    begin('describe')
    rows = table if isinstance(table, Rows) else chunk_table(table)
    budget = budget or settings.budget(thresholds=needs_threshold(domain))
    num_given = 0 if given is None else given.shape[1]
    places = frozenset(map(domain.names.index, doubtful))
    known = Known(settings, budget, num_given=num_given, doubtful=places, alike=alike)
    run = begin_run(make_plan(domain, known), noise, rng, rows_per_unit, given)
    size, run = _count_rows(rows, size, run, sized)
    encoder, encoded, run = _describe(rows, size, run)
    if given is not None and not given.empty:
        codes = encode(given, encoder.transformers[: given.shape[1]]).astype(np.int64)
        run = run._replace(given_codes=codes)
    begin('approximate')
    density, run = approximate(encoder, encoded, run)
    joint, sums = None, tuple[Sum | Part, ...]()
    if run.plan.pairs is not None:
        sums = find_sums(density, encoder, rows, run)
        joint = join_columns(density, run.plan.pairs, encoder, rows, encoded, run, sums)
    if settings.mixing is None:
        mixture, adapted = _model(density, joint, encoder, encoded, run, begin)
    else:
        from sdv_threea.paper import mix_records  # the algorithm of the paper, beside ours

        mixture, adapted = mix_records(density, encoded, run, begin), None
    return Release(
        domain=narrowed(
            encoder.description, encoder.scored_transformers, density.masks, density.counts.columns
        ),
        ledger=run.spending.ledger,
        transformers=encoder.transformers,
        scored=encoder.scored,
        scores=density.scores,
        mixture=mixture,
        classes=encoder.classes,
        adapted=adapted,
        joint=joint,
        losses=find_losses(domain, size, encoder, density, run.constants.describe),
        plan=run.plan.told,
        sums=sums,
    )


def _model(
    density: Density,
    joint: Joint | None,
    encoder: RecordEncoder,
    encoded: Rows[Encoded],
    run: Run,
    begin: Callable[[str], object],
) -> tuple[Mixture, LabelModel | NumberModel | None]:
    """Adapt and anonymize: return the Gaussian of each class, and the model of the target."""
    begin('adapt')
    adapted = adapt(density, joint, encoder, encoded, run)
    begin('anonymize')
    # If pairs are counted, Gaussians serve only for statements on columns and classes.
    mixture = class_mixture(density.counts.totals, density.correlations)
    return mixture, calibrate(adapted, mixture, joint, density, run)


def _count_rows(
    rows: Rows[pd.DataFrame],
    size: tuple[float, float] | None,
    run: Run,
    sized: Callable[[float], object],
) -> tuple[tuple[float, float] | None, Run]:
    """Release the number of rows, with its noise, if needed, and plan the rest with it."""
    domain, known = run.plan.domain, run.plan.known
    if 'size' not in run.plan.shares:
        return None, run
    if size is None:
        size = run.spending.pay(partial(release_size, rows), 'size')
        sized(size[0])
    return size, run.replan(make_plan(domain, replace(known, num_rows=size[0])))


def _describe(
    rows: Rows[pd.DataFrame], size: tuple[float, float] | None, run: Run
) -> tuple[RecordEncoder, Rows[Encoded], Run]:
    """Estimate unknown facts of the domain, and encode the records."""
    spending, domain = run.spending, run.plan.domain
    asked = partial(
        describe,
        rows,
        domain,
        delta=spending.threshold_delta,
        rows_per_unit=spending.rows_per_unit,
        extrapolate=run.settings.extrapolate,
        num_records=size and size[0],
        loose=run.plan.loose,
        constants=run.constants.describe,
    )
    description = keep_narrower(spending.pay(asked, 'describe'), domain.either)
    description, plan = settle_plan(run.plan, description, size, spending.price)
    run = run.replan(plan)
    transformers = make_transformers(description)
    classes, plan = plan_classes(run.plan, description, transformers, spending.price)
    run = run.replan(plan)
    encoder = RecordEncoder(description, transformers, classes, classes.scored(len(transformers)))
    return encoder, rows.map(encoder.coder.encode).keep(), run
