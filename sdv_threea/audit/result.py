"""The result of an audit: lower bounds on epsilon, and whether they refute a claim."""

import math
from dataclasses import dataclass

import pandas as pd

from sdv_threea.audit.bounds import Guesses


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
                'no proof: a better observer, another canary or more fits may tell more.'
            )
        return f'{verdict}\n\n{self.to_frame().round(3).to_string(index=False)}'
