"""The effect of ``alpha``: the weight of the density against the loss, for every kind of target.

At ``alpha=1`` nothing is adapted, and the density gets this budget. Otherwise the predictable part
of a target is multiplied by ``tau = alpha + (1 - alpha) T``. The density wants a factor of one, the
loss ``T``, because models learn more from surer targets; ``tau`` minimises
``alpha (tau - 1)^2 + (1 - alpha) (tau - T)^2``.

* Labels: ``tau`` multiplies log odds, of standard deviation ``s``, but not offsets, which keep
  class frequencies. ``T = log_odds_spread / s``, between one and ``most_stretch``.
* Numbers: ``tau`` multiplies predictions, and residuals shrink. ``T = number_stretch``.
"""

from __future__ import annotations


def counts_loss(alpha: float) -> bool:
    """Return whether the loss has any weight; otherwise the target is the density's."""
    return alpha < 1


def stretch(alpha: float, wanted: float) -> float:
    """Return the factor ``tau`` on the predictable part of a target; ``wanted`` is ``T``."""
    return alpha + (1 - alpha) * wanted
