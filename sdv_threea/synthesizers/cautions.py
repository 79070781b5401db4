"""What is warned of after a release: what it promises, and what it could not find out."""

from __future__ import annotations

import math
import warnings

from sdv.errors import RefitWarning

from sdv_threea.settings import Settings

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
    warnings.warn(text.format(fits=fits), RefitWarning, stacklevel=3)


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
        warnings.warn(
            f'delta={settings.delta:g} is at or above 1 / (released row count): the promise would '
            'allow to publish some row as it is. Choose a much smaller delta.',
            stacklevel=2,
        )
