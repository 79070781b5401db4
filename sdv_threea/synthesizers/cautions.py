"""What is warned of: what a release promises, and what could not be found out or sampled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sdv.errors import RefitWarning, SamplingError

from sdv_threea.settings import Settings
from sdv_threea.warning import warn

#: What is warned of when a synthesizer is fitted again.
REFIT = (
    'Every fit is a release of its own, and their costs add up: {fits} fits like this one of the '
    'same rows are together sqrt({fits}) times its mu in Gaussian differential privacy.'
)

#: The same under the accounting of the paper, which leaves reads of the private rows uncharged.
REFIT_PAPER = (
    'Every fit is a release of its own, and their costs add up: {fits} fits like this one of the '
    "same rows tell more than one does, and guarantee='paper' promises nothing end to end for any "
    'of them.'
)


def warn_of_refit(fits: int, guarantee: str) -> None:
    """Warn that the costs of fits add up.

    Args:
        fits: How many fits there were of one synthesizer, with the one that is meant.
        guarantee: The guarantee of each of them.
    """
    text = REFIT_PAPER if guarantee == 'paper' else REFIT
    warn(text.format(fits=fits), RefitWarning)


def warn_of_promise(settings: Settings, num_rows: float, fits: int) -> None:
    """Warn of what weakens the promise of a release, if anything is promised.

    Args:
        settings: What was asked of the release.
        num_rows: The released number of rows.
        fits: How many fits of this synthesizer were begun.
    """
    if math.isinf(settings.epsilon):
        return
    if fits > 1:
        warn_of_refit(fits, settings.guarantee)
    if settings.delta * num_rows >= 1:
        warn(
            f'delta={settings.delta:g} is at or above 1 / (released row count): the promise would '
            'allow to publish some row as it is. Choose a much smaller delta.'
        )


def tell_rejected(
    found: int, wanted: int, tries: int, constraints: Sequence[Any], table: str | None = None
) -> None:
    """Warn that too few rows meet the constraints.

    Args:
        found: How many rows were sampled.
        wanted: How many were asked for.
        tries: How often rows were drawn again, for each batch.
        constraints: What they have to meet.
        table: The table, if there are several.

    Raises:
        SamplingError: If there are none.
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
