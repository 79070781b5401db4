"""The trade of the density and the loss: the one rule of ``alpha``, for every kind of target.

``alpha`` is the weight of the density, and ``1 - alpha`` that of the loss. Where the loss has no
weight, at ``alpha=1``, nothing is adapted: records are those of the density, target and all, and
the share of this stage is spent on the density. Else the target is fitted to the loss, and what is
told of it counts ``tau`` times::

    tau = alpha + (1 - alpha) T

The density wants one: the target is then as uncertain as among the private rows. The loss wants
``T``: of surer targets a model learns more from as many records. ``tau`` is the mean of both by
their weights, where ``alpha (tau - 1)^2 + (1 - alpha) (tau - T)^2`` is least.

* Labels: the log odds of the classes are multiplied by ``tau``, but for their offsets, which keep
  the classes as frequent as released. With ``s`` the standard deviation of log odds,
  ``T = log_odds_spread / s``, from one to ``most_stretch``: what is sure already is made no surer.
* Numbers: the standard deviation of what is expected is multiplied by ``tau``, in units of the
  number's own, and so much less is left open. ``T = number_stretch``.
"""

from __future__ import annotations


def counts_loss(alpha: float) -> bool:
    """Return whether the loss has any weight; if not, the target is the density's.

    Args:
        alpha: The weight of the density, in [0, 1].
    """
    return alpha < 1


def stretch(alpha: float, wanted: float) -> float:
    """Return how many times what is told of a target counts: ``tau``.

    Args:
        alpha: The weight of the density, in [0, 1].
        wanted: How many times the loss wants it to count, ``T``.
    """
    return alpha + (1 - alpha) * wanted
