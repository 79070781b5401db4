"""Messages before a fit and after it, by modules imported late to keep the import of SDV light."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sdv.errors import NotFittedError, RefitWarning, SamplingError

from sdv_threea.accounting import Ledger, count_exposed
from sdv_threea.constraints.constraint_set import name_kind
from sdv_threea.cost import check_fit
from sdv_threea.pages.promise import tell_exposed
from sdv_threea.settings import Settings
from sdv_threea.storage.relationships import find_keys
from sdv_threea.synthesizers.arguments import check_limit
from sdv_threea.synthesizers.protection import describe_protection, tell_errors, tell_masked
from sdv_threea.synthesizers.ruled import list_public
from sdv_threea.synthesizers.statement import DatabaseStatement, PrivacyStatement, list_public_facts
from sdv_threea.warning import warn

if TYPE_CHECKING:
    from sdv_threea.losses import Loss
    from sdv_threea.release import Release
    from sdv_threea.settings import Settings

#: The warning at a second fit.
REFIT = (
    'Every fit is a release of its own, and their costs add up: {fits} fits of the same rows cost '
    'up to sqrt({fits}) times the mu of one fit, in Gaussian differential privacy.'
)

#: The same warning under the paper's accounting, which charges only the last stage.
REFIT_PAPER = (
    'Every fit is a release of its own, and their costs add up: {fits} fits of the same rows '
    "disclose more than one, and guarantee='paper' promises nothing end to end for any of them."
)


def check_fitted(synthesizer: Any, doing: str) -> None:
    """Raise a ``NotFittedError`` unless the synthesizer is fitted; ``doing`` ends its message."""
    if not synthesizer._fitted:
        raise NotFittedError(
            'This synthesizer has not been fitted. Please fit your synthesizer first before '
            f'{doing}.'
        )


def warn_of_refit(fits: int, guarantee: str) -> None:
    """Warn that the costs of ``fits`` fits add up; the next fit is included."""
    text = REFIT_PAPER if guarantee == 'paper' else REFIT
    warn(text.format(fits=fits), RefitWarning)


def warn_of_promise(
    settings: Settings, num_units: float, fits: int, *, database: bool = False
) -> None:
    """Warn of several fits, and of a ``delta`` that is large for the released number of units."""
    if math.isinf(settings.epsilon):
        return
    if fits > 1:
        warn_of_refit(fits, settings.guarantee)
    exposed = count_exposed(settings.delta, num_units)
    for told in tell_exposed(settings.delta, exposed, database=database):
        warn(told)


def tell_rejected(
    found: int, wanted: int, tries: int, constraints: Sequence[Any], table: str | None = None
) -> None:
    """Warn if fewer rows than wanted meet the constraints; a ``SamplingError`` if none does."""
    if found >= wanted:
        return
    where = '' if table is None else f" of '{table}'"
    kinds = list(dict.fromkeys(map(name_kind, constraints)))
    told = (
        f'{found:,} of {wanted:,} rows{where} were sampled: in {tries} tries, the others broke one '
        f'of the constraints {kinds}. Check that rows like the fitted ones can meet the '
        'constraints, or raise max_tries_per_batch.'
    )
    if not found:
        raise SamplingError(told)
    warn(told)


def check_memory(preprocessor: Any, settings: Settings, limit: float | None) -> None:
    """Raise ``MemoryError`` if a fit may exceed ``limit`` gigabytes, judged by public facts."""
    from sdv_threea.planning.shares import Known
    from sdv_threea.planning.targets import guess_target

    check_limit(memory_limit=limit)
    known = Known(settings, settings.budget(thresholds=True))
    domain = guess_target(preprocessor.derive().derived, known, drowned=True)
    values = domain.target and getattr(domain[domain.target], 'values', None)
    check_fit(len(domain.columns), len(values or ()) or 1, limit)


def demand_check(synthesizer: Any) -> None:
    """Run the check before a fit: stop the fit if there are reasons, else warn of its notes."""
    checked = synthesizer.check()
    checked.demand(synthesizer.accept)
    for note in checked.notes:
        warn(note)


def demand_rows(synthesizer: Any, num_rows: float) -> None:
    """Stop a fit whose released number of rows is too small for the noise, unless accepted."""
    from sdv_threea.synthesizers.check import COUNTED

    synthesizer.check(max(round(num_rows), 1)).demand(synthesizer.accept, COUNTED)


def list_losses(synthesizer: Any) -> dict[str, list[Loss]]:
    """Return the losses of the last fit, in the user's columns, by table."""
    from sdv_threea.synthesizers.loss_table import name_losses

    model, metadata = synthesizer._model, synthesizer.metadata
    if hasattr(synthesizer, '_table_synthesizers'):
        metadata, tables = synthesizer._terms.metadata, synthesizer._table_synthesizers
        lost = {
            name: [each for each in _list_own(one.released) if each.column in one.layout.own]
            for name, one in model.tables.items()
        }
    else:
        tables = {synthesizer._table_name: synthesizer}
        lost = {synthesizer._table_name: _list_own(model) if model else []}
    found = {}
    for name, losses in lost.items():
        own = tables[name].preprocessor
        keys = find_keys(metadata, name)
        found[name] = name_losses(losses, own.derivations, own.columns, keys)
    return found


def _list_own(released: Release) -> list[Loss]:
    """Return the losses of a release, where a column with pseudonyms loses all of its values."""
    from sdv_threea.losses import NAMED, NONE

    names = {each.name: getattr(each, 'pseudonyms', None) for each in released.domain.columns}
    return [
        loss
        if (own := names.get(loss.column)) is None
        else replace(loss, kind=NAMED, share=NONE, stated=(), listed=tuple(range(len(own.sizes))))
        for loss in released.losses
    ]


def tell_losses(synthesizer: Any) -> dict[str, dict[str, str]]:
    """Return sentences on losses that are worth a warning, by table and column."""
    from sdv_threea.synthesizers.loss_table import say_losses

    said = {table: say_losses(losses) for table, losses in list_losses(synthesizer).items()}
    return {table: lines for table, lines in said.items() if lines}


def state_promise(synthesizer: Any) -> PrivacyStatement:
    """Return the statement of a fitted single-table synthesizer."""
    from sdv_threea.synthesizers.check import CALIBRATED

    settings, model = synthesizer._settings, synthesizer._model
    ledger, preprocessor = model.ledger if model else Ledger(), synthesizer.preprocessor
    return PrivacyStatement(
        epsilon=settings.epsilon,
        delta=settings.delta,
        neighbors=settings.neighbors,
        guarantee='none' if math.isinf(settings.epsilon) else settings.guarantee,
        mu=ledger.mu,
        receipts=ledger.receipts,
        plan=model.plan if model else (),
        public=list_public_facts(
            public_metadata=synthesizer.public_metadata,
            constrained=bool(preprocessor.constraints.adopted),
            coerced=preprocessor.coerce,
            counted=preprocessor.counts_known,
        ),
        fits=synthesizer._num_releases,
        lost=tell_losses(synthesizer).get(synthesizer._table_name, {}),
        num_units=model.num_rows if model else 0.0,
        recorded=synthesizer._recorded,
        sharpened=model.sharpened if model and synthesizer.alpha < CALIBRATED else (),
    )


def state_promises(synthesizer: Any) -> DatabaseStatement:
    """Return the statement of a fitted synthesizer of a database."""
    settings, model = synthesizer._settings, synthesizer._model
    return DatabaseStatement(
        epsilon=float(settings.epsilon),
        delta=float(settings.delta),
        neighbors=settings.neighbors,
        guarantee='none' if math.isinf(settings.epsilon) else 'end_to_end',
        mu=max((ledger.mu for ledger in model.ledgers.values()), default=0.0),
        tables=describe_protection(model.schema),
        receipts={root: ledger.receipts for root, ledger in model.ledgers.items()},
        rows_per_unit={name: each.rows_per_unit for name, each in model.tables.items()},
        plans={name: each.released.plan for name, each in model.tables.items()},
        public=list_public(synthesizer),
        fits=synthesizer._num_releases,
        lost=tell_losses(synthesizer),
        num_units=model.num_units,
        recorded=synthesizer._recorded,
        sharpened=model.sharpened,
        errors=tell_errors(model),
    )


def warn_of_release(synthesizer: Any) -> None:
    """Show all warnings after a fit: weaknesses of the promise, and losses."""
    from sdv_threea.synthesizers.loss_table import warn_of_losses

    model, fits, losses = synthesizer._model, synthesizer._num_releases, list_losses(synthesizer)
    if hasattr(synthesizer, '_table_synthesizers'):
        warn_of_promise(synthesizer._settings, model.num_units, fits, database=True)
        terms = synthesizer._terms
        named = {table: terms.find_target(table) for table in terms.metadata.tables}
        targets = {f'{table}.{name}' for table, name in named.items() if name}
        found = [
            replace(each, column=f'{table}.{each.column}')
            for table, own in losses.items()
            for each in own
        ]
        warn_of_losses(found, targets)
        if masked := tell_masked(model):
            warn(masked)
    elif model is not None:
        warn_of_promise(synthesizer._settings, model.num_rows, fits)
        target = synthesizer.preprocessor.storage.target
        (found,) = losses.values()
        warn_of_losses(found, {target} if target else ())
