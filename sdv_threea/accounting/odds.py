"""What a promise means for one person, as the odds of the best possible guesser."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import ndtr, ndtri

from sdv_threea.accounting.gdp import mu_from_epsilon


@dataclass(frozen=True, kw_only=True)
class Odds:
    """Limits, between 0 and 1, for whoever wants to tell whether one row was fitted.

    Args:
        guessed: How often a guess is right if a coin decides about the row; 0.5 is no better than
            a coin of one's own.
        auc: The area under the ROC curve of the guesser.
        found: The share of the fitted rows that are found if one in a hundred of the others may be
            called by mistake.
        found_of_ten: The same if one in ten may be.
    """

    guessed: float
    auc: float
    found: float
    found_of_ten: float


def odds_from_mu(mu: float, failure: float = 0.0) -> Odds:
    """Compute the limits that no guesser can pass, whatever it knows and computes.

    Formal guarantees:
        * telling two tables that differ in a row apart from a ``mu``-GDP release is at least as
          hard as telling ``N(0, 1)`` from ``N(mu, 1)``, where the best test has these odds
        * what thresholds disclose with probability ``failure`` adds at most ``failure`` to each

    Args:
        mu: The price of the release, in Gaussian differential privacy; may be infinite.
        failure: The probability that a threshold fails.

    Returns:
        The limits, none of them above 1.
    """
    limits = {
        'guessed': ndtr(mu / 2),
        'auc': ndtr(mu / math.sqrt(2)),
        'found': ndtr(ndtri(0.01) + mu),
        'found_of_ten': ndtr(ndtri(0.1) + mu),
    }
    return Odds(**{name: min(float(limit) + failure, 1.0) for name, limit in limits.items()})


def odds_from_epsilon(epsilon: float, delta: float) -> Odds:
    """Compute the limits of an ``(epsilon, delta)`` that is the price of Gaussian releases.

    Args:
        epsilon: At least 0; may be infinite.
        delta: In [0, 1).

    Returns:
        The limits of the largest ``mu`` that it buys.
    """
    return odds_from_mu(mu_from_epsilon(epsilon, delta))


def count_exposed(delta: float, num_units: float) -> int:
    """Count those whom a promise allows to expose entirely.

    ``(epsilon, delta)`` is kept by who publishes each row as it is with probability ``delta``.

    Args:
        delta: In (0, 1).
        num_units: How many rows, or units of privacy, there are.

    Returns:
        ``delta * num_units``, rounded up; 0 if that is below one.
    """
    expected = delta * num_units
    return math.ceil(expected) if expected >= 1 else 0
