"""Lower bounds on epsilon and ``mu`` from right and wrong guesses, and the verdict on a claim."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd
from scipy.special import ndtri
from scipy.stats import beta

from sdv_threea.accounting import epsilon_from_mu
from sdv_threea.errors import InputError


class Guesses(NamedTuple):
    """Counts of right and wrong guesses about independent runs. A run is one fit.

    Args:
        false_alarms: Runs without the canary that were guessed to have it.
        without: Runs without the canary.
        misses: Runs with the canary that were guessed not to have it.
        present: Runs with the canary.
    """

    false_alarms: int
    without: int
    misses: int
    present: int

    @property
    def runs(self) -> int:
        """Number of all runs."""
        return self.without + self.present

    @property
    def wrong(self) -> int:
        """Number of all wrong guesses."""
        return self.false_alarms + self.misses


def bound_rate(hits: int, trials: int, confidence: float) -> float:
    """Bound the probability of a hit from above (Clopper and Pearson 1934, one-sided).

    Formal guarantees:
        * in at least ``confidence`` of all series of independent trials the bound is at or above
          the probability, whatever the probability is
    """
    check_confidence(confidence)
    if hits >= trials:
        return 1.0
    return float(beta.ppf(confidence, hits + 1, trials - hits))


def bound_epsilon(guesses: Guesses, delta: float, confidence: float = 0.95) -> float:
    """Bound epsilon from below, for any mechanism; the bound is at least 0 and finite.

    Let ``a`` be the rate of false alarms of a guessing rule and ``m`` its rate of misses. If a
    mechanism is ``(epsilon, delta)``-DP, every rule has ``1 - m <= exp(epsilon) a + delta`` and ``1
    - a <= exp(epsilon) m + delta`` (Kairouz, Oh, Viswanath 2015, arXiv 1311.0776, Theorem 2.1). The
    mean of both holds too: if a fair coin chooses the table, the rate ``w`` of wrong guesses has
    ``1 - w <= exp(epsilon) w + delta``. Each inequality, solved for ``epsilon``, is a bound; the
    largest counts. The first two are tight if one kind of guess is nearly always right, the third
    if both kinds are. Each of the three rates is bounded from above, and may fail with a third of
    ``1 - confidence``.

    Formal guarantees:
        * if fair coins chose the tables, and the rule was chosen without these runs, the bound
          exceeds the ``epsilon`` of an ``(epsilon, delta)``-DP mechanism with probability at most
          ``1 - confidence``
    """
    check_confidence(confidence)
    level = (2 + confidence) / 3
    alarms = bound_rate(guesses.false_alarms, guesses.without, level)
    misses = bound_rate(guesses.misses, guesses.present, level)
    wrong = bound_rate(guesses.wrong, guesses.runs, level)
    pairs = (alarms, misses), (misses, alarms), (wrong, wrong)
    ratio = max((1 - other - delta) / one for one, other in pairs)
    return math.log(max(ratio, 1.0))


def bound_mu(guesses: Guesses, delta: float = 0.0, confidence: float = 0.95) -> float:
    """Bound ``mu`` of Gaussian differential privacy from below; the bound is at least 0 and finite.

    If a mechanism is ``mu``-GDP, every rule has ``a + m >= 2 Phi(-mu / 2)``, with its rates ``a``
    of false alarms and ``m`` of misses (Dong, Roth, Su 2019). Therefore, if a fair coin chooses the
    table, a guess is wrong with probability at least ``Phi(-mu / 2)``. A failure of probability
    ``delta`` lowers that by ``delta / 2`` at most. Only this one rate is bounded, where Nasr et al.
    (2023) bound two, so the bound is tighter for the same number of runs.

    Formal guarantees:
        * if fair coins chose the tables, and the rule was chosen without these runs, the bound
          exceeds the ``mu`` of a mechanism that is ``mu``-GDP, except for a failure of probability
          ``delta``, with probability at most ``1 - confidence``
    """
    wrong = bound_rate(guesses.wrong, guesses.runs, confidence) + delta / 2
    return float(max(-2 * ndtri(min(wrong, 0.5)), 0.0))


def bound_gaussian_epsilon(guesses: Guesses, delta: float, confidence: float = 0.95) -> float:
    """Bound epsilon from below if the claim follows from Gaussian differential privacy.

    Formal guarantees:
        * if the ``mu`` of :func:`bound_mu` is a lower bound, every true claim ``(epsilon, delta)``
          that follows from ``mu``-GDP, except for a part of ``delta``, has at least this
          ``epsilon``
    """
    return epsilon_from_mu(bound_mu(guesses, delta, confidence), delta)


def check_confidence(confidence: float) -> None:
    """Raise an error unless the confidence is between 0 and 1."""
    if not 0 < confidence < 1:
        raise InputError(
            f'confidence must be between 0 and 1 (for example 0.95), got {confidence}.'
        )


@dataclass(frozen=True)
class LowerBound:
    """One lower bound on epsilon.

    Args:
        view: The view of the observer: ``'synthetic rows'``, ``'released parameters'`` or
            ``'messages'``.
        form: The scope of the bound: ``'any mechanism'``, or ``'Gaussian'`` for claims that follow
            from Gaussian differential privacy.
    """

    view: str
    form: str
    guesses: Guesses
    epsilon: float


@dataclass(frozen=True)
class AuditResult:
    """The bounds of an audit and the claim.

    Formal guarantees:
        * if the claim is true, it is called refuted with probability at most ``1 - confidence``,
          all bounds together

    Args:
        epsilon: The claim; ``math.inf`` for none.
        delta: The ``delta`` of the claim, and of all bounds.
        confidence: The confidence with which all bounds hold at once.
    """

    epsilon: float
    delta: float
    confidence: float
    runs: int
    bounds: tuple[LowerBound, ...]

    @property
    def largest(self) -> LowerBound:
        """The largest bound."""
        return max(self.bounds, key=lambda bound: bound.epsilon)

    @property
    def refuted(self) -> bool:
        """True if the largest bound is above the claim."""
        return self.largest.epsilon > self.epsilon

    def to_frame(self) -> pd.DataFrame:
        """Return a row per bound: view, form, bound and guesses."""
        return pd.DataFrame(
            [
                {
                    'view': bound.view,
                    'form': bound.form,
                    'epsilon at least': bound.epsilon,
                    **bound.guesses._asdict(),
                }
                for bound in self.bounds
            ]
        )

    def __str__(self) -> str:
        found = f'epsilon is at least {self.largest.epsilon:.3g} at delta={self.delta:g}'
        how = f'{self.largest.view}, {self.runs} fits, confidence {self.confidence:g}'
        if math.isinf(self.epsilon):
            verdict = f'No claim was made: {found} ({how}).'
        elif self.refuted:
            verdict = f'REFUTED: epsilon={self.epsilon:g} was claimed, but {found} ({how}).'
        else:
            verdict = (
                f'Not refuted: epsilon={self.epsilon:g} was claimed, and {found} ({how}). This is '
                'no proof: a better observer, another canary or more fits may refute it.'
            )
        return f'{verdict}\n\n{self.to_frame().round(3).to_string(index=False)}'
