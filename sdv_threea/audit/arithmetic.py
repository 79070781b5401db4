"""The exact ``mu`` between two neighbouring tables, for fits of this package.

:func:`measure_mu` returns the ``mu`` of each answer with the claim on its receipt, and all other
differences between the two fits: there should be none.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from sdv_threea.accounting import Receipt
from sdv_threea.audit.doors import DivergedError, Transcript, compare, record, replay
from sdv_threea.audit.observations import Features, flatten, listen
from sdv_threea.privacy.mechanism import Noise

#: The largest relative error of a distance due to the rounding of floats.
RELATIVE_ERROR = 1e-9


@dataclass(frozen=True)
class MovedAnswer:
    """Distance between the exact values behind one released answer, for two neighbouring tables.

    Args:
        unit: The root table whose units of privacy pay for the answer; empty for a single table.
        distance: L2 distance between the exact values, in the units of ``sensitivity``.
        sensitivity: The largest distance, as claimed on the receipt.
        mu: L2 distance between exact values whose noisy answers were shown, in noise scales.
        claimed: The largest ``mu``, as claimed on the receipt.
    """

    stage: str
    released: str
    unit: str
    distance: float
    sensitivity: float
    mu: float
    claimed: float

    @property
    def exceeds(self) -> bool:
        """True if the distance is above the sensitivity, or ``mu`` above the claim."""
        most = 1 + RELATIVE_ERROR
        return self.distance > self.sensitivity * most or self.mu > self.claimed * most


@dataclass(frozen=True)
class MuResult:
    """Distances between two neighbouring tables in all releases of a fit.

    Args:
        claimed: The ``mu`` that the privacy statement claims.
        leaks: Differences between the fits of the two tables, given equal noisy answers: they left
            the private table without noise. Empty if nothing leaks.
        noise: Root mean square of the drawn noise, divided by the scales on the receipts.
        num_values: Number of noisy values in ``noise``.
    """

    answers: tuple[MovedAnswer, ...]
    claimed: float
    leaks: tuple[str, ...]
    noise: float
    num_values: int

    @property
    def mu(self) -> float:
        """The ``mu`` of all answers together; infinite if anything leaks."""
        return math.inf if self.leaks else math.hypot(*(each.mu for each in self.answers))

    @property
    def share(self) -> float:
        """``mu`` divided by ``claimed``."""
        return self.mu / self.claimed

    @property
    def refuted(self) -> bool:
        """True if a claim is exceeded; this is certain, because nothing is estimated."""
        return self.share > 1 + RELATIVE_ERROR or any(each.exceeds for each in self.answers)

    def by_stage(self) -> pd.DataFrame:
        """Return a row per stage: ``mu``, the claim, and ``mu`` divided by the claim.

        In a database, each root table pays for its own units. Only root tables whose values differ
        between the two databases are counted.
        """
        moved = {each.unit for each in self.answers if each.distance}
        rows = pd.DataFrame(
            [
                (each.stage, each.mu**2, each.claimed**2)
                for each in self.answers
                if each.unit in moved
            ],
            columns=['stage', 'mu', 'claimed'],
        )
        sums = rows.groupby('stage', sort=False).sum() ** 0.5
        return sums.assign(share=sums['mu'] / sums['claimed'])

    def __str__(self) -> str:
        if self.leaks:
            verdict = (
                'REFUTED: although all answers are equal, the two fits differ in '
                f'{len(self.leaks)} places, such as {self.leaks[0]}.'
            )
        elif self.refuted:
            names = [each.released for each in self.answers if each.exceeds]
            verdict = f'REFUTED: the distance exceeds the claim in {names or "all together"}.'
        else:
            verdict = (
                f'mu is {self.mu:.4g} between these two tables, {self.share:.1%} of the '
                f'{self.claimed:.4g} that is claimed for all neighbours.'
            )
        return f'{verdict}\n\n{self.by_stage().round(4).to_string()}'


def measure_mu(
    fit: Callable[[Any], Any], table: Any, neighbour: Any, *, noise: Noise | None = None
) -> MuResult:
    """Measure the exact ``mu`` between two neighbouring tables.

    ``fit`` makes a fresh synthesizer of this package, fits it to its argument and returns it. The
    first table is fitted and recorded. Then both tables are fitted, and every question gets the
    noisy answer of the recorded fit. The ``mu`` of an answer is the distance between the two exact
    values behind it, divided by the noise scale. The ``mu`` of all answers is the root of the sum
    of their squares. Nothing is estimated: the best observer reaches this ``mu`` if they see all
    noisy answers and know both tables and which rows were chosen at random.

    Formal guarantees:
        * two normal distributions with equal standard deviations, and means ``d`` of these apart,
          are ``d``-GDP apart and no less; answers to successive questions compose to the root of
          the sum of squares, given the answers before (Dong, Roth, Su 2019)
        * everything else is compared too: if the answers are equal, the questions, all warnings,
          logs and prints, and the fitted object have to be equal

    The result describes both tables without noise, so pass made-up ones. Put the rows that differ
    last, so that all other rows keep their positions. ``noise`` is for tests.

    Raises:
        ValueError: If the fit promises nothing, or differs for the same table and answers.
    """
    (fitted, _), transcript = record(partial(_observe, fit, table), noise)
    statement = fitted.get_privacy_statement()
    claims = match_claims(transcript.receipts, statement.receipts)
    if not math.isfinite(statement.mu) or not all(each.charged for _, each in claims):
        raise ValueError('The fit promises nothing: choose a finite epsilon, end to end.')
    # Fit twice: the first fit in a process may warn and cache things, and later fits do not.
    once, again = (_fit_again(fit, table, transcript) for _ in range(2))
    try:
        (_, other), asked = replay(partial(_observe, fit, neighbour), transcript)
    except DivergedError as error:
        return MuResult((), statement.mu, (str(error),), *transcript.measure_noise())
    moves = compare(transcript, asked)
    answers = tuple(
        MovedAnswer(
            stage=line.stage,
            released=line.released,
            unit=unit,
            distance=move.distance,
            sensitivity=line.sensitivity,
            mu=move.seen / line.noise_scale,
            claimed=line.mu,
        )
        for (unit, line), move in zip(claims, moves, strict=True)
    )
    leaks = tuple(_find_leaks(once, again, other))
    return MuResult(answers, statement.mu, leaks, *transcript.measure_noise())


def _fit_again(fit: Callable[[Any], Any], table: Any, transcript: Transcript) -> Features:
    """Repeat the recorded fit and return its state; ``ValueError`` if an exact value differs."""
    try:
        (_, seen), asked = replay(partial(_observe, fit, table), transcript)
    except DivergedError:
        asked = []
    if not asked or any(each.distance for each in compare(transcript, asked)):
        raise ValueError(
            'Two fits of the same table with the same answers ask different questions: fit must '
            'seed all random numbers that this package does not draw.'
        )
    return seen


def _observe(fit: Callable[[Any], Any], table: Any) -> tuple[Any, Features]:
    with listen() as heard:
        fitted = fit(table)
    messages = [message.split() for message in heard]
    return fitted, flatten({'messages': messages, 'synthesizer': fitted})


def match_claims(paid: list[Receipt], receipts: Any) -> list[tuple[str, Receipt]]:
    """Return the root table and the statement's receipt for each recorded receipt.

    A recorded receipt has the price of a record; that of the statement has the price of a unit,
    which may have several records. ``ValueError`` if a receipt has no counterpart.
    """
    ledgers = dict(receipts) if isinstance(receipts, Mapping) else {'': receipts}
    left = {unit: list(lines) for unit, lines in ledgers.items()}
    found = []
    for one in paid:
        units = [unit for unit, lines in left.items() if lines and _fits(lines[0], one)]
        line = left[units[0]][0] if units else None
        found.append((units[0], line) if line else None)
        for unit in units:  # units of several root tables may pay for one release
            if left[unit][0] == line:
                del left[unit][0]
    if any(left.values()) or None in found:
        raise ValueError(
            'The privacy statement does not list the recorded releases: fit must return the '
            'synthesizer that it fitted, fitted once.'
        )
    return [each for each in found if each is not None]


def _fits(line: Receipt, paid: Receipt) -> bool:
    same = line.stage == paid.stage and line.released.endswith(paid.released)
    return same and line.noise_scale == paid.noise_scale and line.delta == paid.delta


def _find_leaks(first: Features, again: Features, other: Features) -> Iterator[str]:
    """Yield the places that differ between two tables, but not between two fits of the first."""
    one, same, tested = (_group(each) for each in (first, again, other))
    for place in {**one, **tested}:
        stable = one.get(place) == same.get(place)
        if stable and one.get(place) != tested.get(place):
            yield place


def _group(state: Features) -> dict[str, frozenset[str]]:
    """Return the entries of a state by place; the key of a word is its place and its text."""
    places: dict[str, list[str]] = {}
    for name, value in state.items():
        places.setdefault(name.partition(' is ')[0], []).append(f'{name} {value!r}')
    return {place: frozenset(values) for place, values in places.items()}
