"""Warnings about refits, weak promises, and samples that fall short."""

import math
from collections.abc import Sequence
from typing import Any

from sdv.errors import NotFittedError, RefitWarning, SamplingError

from sdv_threea.accounting import count_exposed
from sdv_threea.pages.promise import tell_exposed
from sdv_threea.settings import Settings
from sdv_threea.warning import warn

#: The warning at a second fit.
REFIT = (
    'Every fit is a release of its own, and their costs add up: {fits} fits of the same rows cost '
    'up to sqrt({fits}) times the mu that one may spend, in Gaussian differential privacy.'
)

#: The same under the accounting of the paper, which leaves reads of the private rows uncharged.
REFIT_PAPER = (
    'Every fit is a release of its own, and their costs add up: {fits} fits like this one of the '
    "same rows tell more than one does, and guarantee='paper' promises nothing end to end for any "
    'of them.'
)


def check_fitted(synthesizer: Any, doing: str) -> None:
    """Raise a ``NotFittedError`` unless the synthesizer is fitted; ``doing`` is what it was for."""
    if not synthesizer._fitted:
        raise NotFittedError(
            'This synthesizer has not been fitted. Please fit your synthesizer first before '
            f'{doing}.'
        )


def warn_of_refit(fits: int, guarantee: str) -> None:
    """Warn that the costs of ``fits`` fits, the next one included, add up."""
    text = REFIT_PAPER if guarantee == 'paper' else REFIT
    warn(text.format(fits=fits), RefitWarning)


def warn_of_promise(
    settings: Settings, num_units: float, fits: int, *, database: bool = False
) -> None:
    """Warn of what weakens the promise for this released number of rows, or units of a database."""
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
    """Warn that fewer rows than wanted meet the constraints; a ``SamplingError`` if none does.

    ``tries`` is how often rows were drawn again in each batch; ``table`` is the table if there are
    several.
    """
    if found >= wanted:
        return
    where = '' if table is None else f" of '{table}'"
    kinds = list(dict.fromkeys(map(_name_constraint, constraints)))
    told = (
        f'{found:,} of {wanted:,} rows{where} were sampled: in {tries} tries, the others broke one '
        f'of the constraints {kinds}. Check that rows like the fitted ones can meet them, or raise '
        'max_tries_per_batch.'
    )
    if not found:
        raise SamplingError(told)
    warn(told)


def _name_constraint(constraint: Any) -> str:
    return type(getattr(constraint, 'programmable_constraint', constraint)).__name__
