"""The meaning of a privacy promise for one person: the success of the best possible attacker."""

import math
from dataclasses import dataclass

from scipy.special import ndtr, ndtri

from sdv_threea.accounting.gdp import mu_from_epsilon


@dataclass(frozen=True, kw_only=True)
class Odds:
    """Upper limits for an attacker who tests whether one row was fitted.

    ``guessed`` is the accuracy if half of the tested rows were fitted. ``found`` and
    ``found_of_ten`` are the true positive rates at 1 % and 10 % false positives.
    """

    guessed: float
    auc: float
    found: float
    found_of_ten: float


def odds_from_mu(mu: float, failure: float = 0.0) -> Odds:
    """Return limits that hold for every attacker, whatever its knowledge and computing power.

    Formal guarantees:
        * telling two tables that differ in a row apart from a ``mu``-GDP release is at least as
          hard as telling ``N(0, 1)`` from ``N(mu, 1)``, where the best test has these odds
        * thresholds that fail with probability ``failure`` add at most ``failure`` to each limit
    """
    limits = {
        'guessed': ndtr(mu / 2),
        'auc': ndtr(mu / math.sqrt(2)),
        'found': ndtr(ndtri(0.01) + mu),
        'found_of_ten': ndtr(ndtri(0.1) + mu),
    }
    return Odds(**{name: min(float(limit) + failure, 1.0) for name, limit in limits.items()})


def odds_from_epsilon(epsilon: float, delta: float) -> Odds:
    """Return the limits at the largest ``mu`` that implies ``(epsilon, delta)``-DP."""
    return odds_from_mu(mu_from_epsilon(epsilon, delta))


def count_exposed(delta: float, num_units: float) -> int:
    """Return ``delta * num_units`` rounded up, 0 if below 1: units that may be fully exposed."""
    expected = delta * num_units
    return math.ceil(expected) if expected >= 1 else 0
