"""The audit by arithmetic: exactly how far one record moves all that is released.

In go two neighbouring tables and a function that fits one. Out comes the ``mu`` between the two
tables, answer by answer, beside what the receipts claim; and anything else that differs between the
two fits, which should be nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from sdv_threea.accounting import Receipt
from sdv_threea.audit.doors import (
    DivergedError,
    Move,
    Transcript,
    compare,
    record,
    replay,
)
from sdv_threea.audit.messages import listen
from sdv_threea.audit.state import State, flatten
from sdv_threea.privacy.mechanism import Noise

#: The largest relative error of a distance by the rounding of floats.
RELATIVE_ERROR = 1e-9


@dataclass(frozen=True)
class MovedAnswer:
    """How far apart the exact values behind one released answer are for two tables.

    Args:
        stage: The stage that asked.
        released: What was released, in words.
        unit: The table whose rows are the units that pay for it; empty for a single table.
        distance: L2 distance between the exact values, in the units of ``sensitivity``.
        sensitivity: The largest distance, as the receipt states it.
        mu: The distance between those exact values whose noisy answers were shown, divided by the
            scale of the noise.
        claimed: The largest ``mu``, as the receipt states it.
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
        """Whether the receipt states too small a sensitivity or ``mu``."""
        most = 1 + RELATIVE_ERROR
        return self.distance > self.sensitivity * most or self.mu > self.claimed * most


@dataclass(frozen=True)
class MuResult:
    """How far apart two neighbouring tables are in all that a fit releases.

    Args:
        answers: The distances, a released answer each.
        claimed: The largest ``mu``, as the privacy statement states it.
        leaks: What differs between the fits of the two tables although all noisy answers were the
            same, so it left the private table without noise. Empty if all is well.
        noise: Root mean square of the noise that was drawn, divided by the scale on its receipt.
            It is about one.
        num_values: Number of noisy values in that mean.
    """

    answers: tuple[MovedAnswer, ...]
    claimed: float
    leaks: tuple[str, ...]
    noise: float
    num_values: int

    @property
    def mu(self) -> float:
        """The ``mu`` of all answers together: infinite if something leaks."""
        return math.inf if self.leaks else math.hypot(*(each.mu for each in self.answers))

    @property
    def share(self) -> float:
        """The ``mu`` of these two tables, divided by the claimed one."""
        return self.mu / self.claimed

    @property
    def refuted(self) -> bool:
        """Whether the claim or a sensitivity is refuted. It is certain, as nothing is estimated."""
        return self.share > 1 + RELATIVE_ERROR or any(each.exceeds for each in self.answers)

    def by_stage(self) -> pd.DataFrame:
        """Return a row per stage: ``mu``, the claim, and ``mu`` divided by the claim.

        In a database units of several root tables may pay separately. Then the claims are those of
        the roots whose values differ between the two databases.
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
        """Return the verdict and the table of stages."""
        if self.leaks:
            verdict = (
                f'REFUTED: with all answers the same, {len(self.leaks)} things differ between the '
                f'two fits, such as {self.leaks[0]}.'
            )
        elif self.refuted:
            names = [each.released for each in self.answers if each.exceeds]
            verdict = f'REFUTED: further apart than claimed: {names or "all together"}.'
        else:
            verdict = (
                f'mu is {self.mu:.4g} between these two tables, {self.share:.1%} of the '
                f'{self.claimed:.4g} that is claimed for all neighbours.'
            )
        return f'{verdict}\n\n{self.by_stage().round(4).to_string()}'


def measure_mu(
    fit: Callable[[Any], Any], table: Any, neighbour: Any, *, noise: Noise | None = None
) -> MuResult:
    """Measure how far apart two neighbouring tables are in all that a fit releases.

    The first table is fitted. Then both are fitted, and every question gets the noisy answer that
    it got in the first fit. The ``mu`` of an answer is the distance between the two exact values
    behind it, divided by the scale of its noise. The ``mu`` of all answers is the root of the sum
    of squares. Nothing is estimated: this is what the best observer of all noisy answers can reach
    who also knows both tables, and which rows were chosen by chance.

    Formal guarantees:
        * two normals of one deviation whose means are ``d`` deviations apart are ``d``-GDP apart
          and no less, and answers that were asked in turn compose to the root of the sum of
          squares (Dong, Roth, Su 2019), given what was answered before
        * everything else is compared too: the questions, all that is warned, logged and printed,
          and the fitted object; if the answers are equal, these have to be equal

    The result tells about both tables without noise, so pass made-up ones. The rows in which they
    differ should come last, so that all others keep their positions.

    Args:
        fit: Makes a fresh synthesizer, fits it to a table and returns it. Its result needs a
            ``get_privacy_statement`` of this package.
        table: Whatever ``fit`` takes.
        neighbour: The same, but for one record or one unit.
        noise: The source of noise, for tests; the real one by default.

    Returns:
        The distances, answer by answer and all together.

    Raises:
        ValueError: If the fit promises nothing, or is not the same for the same table and answers.
    """
    (fitted, _), transcript = record(partial(_observe, fit, table), noise)
    statement = fitted.get_privacy_statement()
    claims = match_claims(transcript.receipts, statement.receipts)
    if not math.isfinite(statement.mu) or not all(each.charged for _, each in claims):
        raise ValueError('The fit promises nothing: choose a finite epsilon, end to end.')
    # Twice: the very first fit in a process may warn and keep things that later fits do not.
    once, again = (_fit_again(fit, table, transcript) for _ in range(2))
    try:
        (_, other), asked = replay(partial(_observe, fit, neighbour), transcript)
    except DivergedError as error:
        return MuResult((), statement.mu, (str(error),), *transcript.measure_noise())
    moves = compare(transcript, asked)
    answers = tuple(_weigh(*claim, move) for claim, move in zip(claims, moves, strict=True))
    leaks = tuple(_find_leaks(once, again, other))
    return MuResult(answers, statement.mu, leaks, *transcript.measure_noise())


def _fit_again(fit: Callable[[Any], Any], table: Any, transcript: Transcript) -> State:
    """Fit the recorded table with its own answers: no exact value may differ.

    Returns:
        What can be seen of the fit.

    Raises:
        ValueError: If the fit depends on chance that is not repeated.
    """
    try:
        (_, seen), asked = replay(partial(_observe, fit, table), transcript)
    except DivergedError:
        asked = []
    if not asked or any(each.distance for each in compare(transcript, asked)):
        raise ValueError(
            'Two fits of the same table with the same answers ask different questions: fit must '
            'seed all chance, but for what this package draws.'
        )
    return seen


def _observe(fit: Callable[[Any], Any], table: Any) -> tuple[Any, State]:
    """Fit a table; return the fitted object, and its state together with all messages."""
    with listen() as heard:
        fitted = fit(table)
    messages = [message.split() for message in heard]
    return fitted, flatten({'messages': messages, 'synthesizer': fitted})


def match_claims(paid: list[Receipt], receipts: Any) -> list[tuple[str, Receipt]]:
    """Match the receipts of a recorded fit with those of its privacy statement.

    The recorded ones state the price for a record. Those of the statement state the price for a
    unit of privacy, which may have several records.

    Args:
        paid: The receipts of a recorded fit, in order.
        receipts: Those of the statement; for a database, by root table.

    Returns:
        For each recorded receipt, the name of the root table (empty for a single table) and the
        receipt of the statement.

    Raises:
        ValueError: If a receipt has no counterpart.
    """
    ledgers = dict(receipts) if isinstance(receipts, Mapping) else {'': receipts}
    left = {unit: list(lines) for unit, lines in ledgers.items()}
    found = [
        next(
            (
                (unit, lines.pop(0))
                for unit, lines in left.items()
                if lines and _fits(lines[0], one)
            ),
            None,
        )
        for one in paid
    ]
    if any(left.values()) or None in found:
        raise ValueError(
            'The privacy statement does not list what passed the doors of noise: fit must return '
            'the synthesizer that it fitted, fitted once.'
        )
    return [each for each in found if each is not None]


def _fits(line: Receipt, paid: Receipt) -> bool:
    """Tell whether a receipt of a statement is the counterpart of a recorded one.

    In a database, the statement's also names the table.
    """
    same = line.stage == paid.stage and line.released.endswith(paid.released)
    return same and line.noise_scale == paid.noise_scale and line.delta == paid.delta


def _weigh(unit: str, line: Receipt, move: Move) -> MovedAnswer:
    return MovedAnswer(
        stage=line.stage,
        released=line.released,
        unit=unit,
        distance=move.distance,
        sensitivity=line.sensitivity,
        mu=move.seen / line.noise_scale,
        claimed=line.mu,
    )


def _find_leaks(first: State, again: State, other: State) -> Iterator[str]:
    """Yield what differs between two tables, but not between two fits of the first one."""
    one, same, tested = (_group(each) for each in (first, again, other))
    for place in {**one, **tested}:
        stable = one.get(place) == same.get(place)
        if stable and one.get(place) != tested.get(place):
            yield place


def _group(state: State) -> dict[str, frozenset[str]]:
    """Group the entries of a state by the place in the object at which they are.

    The name of an entry for a word consists of the place and the word.
    """
    places: dict[str, list[str]] = {}
    for name, value in state.items():
        places.setdefault(name.partition(' is ')[0], []).append(f'{name} {value!r}')
    return {place: frozenset(values) for place, values in places.items()}
