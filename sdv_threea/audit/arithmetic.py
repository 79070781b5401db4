"""The audit by arithmetic: how far one record moves all that is released, exactly."""

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

#: What rounding may add to a distance, relative.
ROUNDING = 1e-9


@dataclass(frozen=True)
class MovedAnswer:
    """How far the exact values behind one released answer move between two tables.

    Args:
        stage: The stage that asked.
        released: What was released, in words.
        unit: The table whose rows are the units that pay for it; empty for a single table.
        distance: L2 distance between the exact values, in the units of ``sensitivity``.
        sensitivity: What the receipt says it is at most.
        mu: The distance between the values whose answers were shown, over the scale of the noise.
        claimed: What the receipt says it is at most.
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
        """Whether the sensitivity is understated."""
        most = 1 + ROUNDING
        return self.distance > self.sensitivity * most or self.mu > self.claimed * most


@dataclass(frozen=True)
class MuResult:
    """How far two neighbouring tables are apart in all that a fit releases.

    Args:
        answers: Question by question.
        claimed: What the privacy statement says ``mu`` is at most.
        leaks: What differs between the fits of the two tables although all answers were the same:
            it did not pass the doors of noise. Empty if all is well.
        noise: Root mean square of the noise that was drawn, over the scale that receipts say: one,
            but for chance.
        num_values: How many values that is the mean of.
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
        """The part of the claim that these two tables reach."""
        return self.mu / self.claimed

    @property
    def refuted(self) -> bool:
        """Whether the claim, or a sensitivity, is refuted: for certain, not with a confidence."""
        return self.share > 1 + ROUNDING or any(each.exceeds for each in self.answers)

    def by_stage(self) -> pd.DataFrame:
        """Return ``mu``, the claim and the share of it, with a row per stage.

        Where units of several kinds pay for themselves, the claims are those of the kinds that
        move.
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
    """Measure how far apart two neighbouring tables are in all that a fit of ours releases.

    The first table is fitted, and both are fitted again while every question gets the answer that
    it got the first time. What the exact values behind an answer differ by, over the scale of its
    noise, is the ``mu`` of that answer; all together are the root of the sum of squares. No guess
    is made and nothing is estimated: it is what the best observer of all noisy answers can reach,
    who also knows the table, the neighbour and which rows were chosen by chance.

    Formal guarantees:
        * two normals of one deviation whose means are ``d`` deviations apart are ``d``-GDP apart
          and no less, and answers that were asked in turn compose to the root of the sum of
          squares (Dong, Roth, Su 2019), given what was answered before
        * what is not behind an answer is compared too: the questions, all that is warned, logged
          and printed, and the fitted object; of equal answers they have to be equal

    The result tells about both tables: bring made-up ones. Rows in which they differ should come
    last, so that all others keep their places.

    Args:
        fit: Makes a fresh synthesizer, fits it to a table and returns it, fitted: anything with a
            ``get_privacy_statement`` of this package.
        table: Whatever ``fit`` takes.
        neighbour: The same, but for one record or one unit.
        noise: The source of noise, for tests; the real one by default.

    Returns:
        The distances, and what they come to.

    Raises:
        ValueError: If the fit promises nothing, or is not the same for the same table and answers.
    """
    (fitted, _), transcript = record(partial(_observe, fit, table), noise)
    statement = fitted.get_privacy_statement()
    claims = match_claims(transcript.receipts, statement.receipts)
    if not math.isfinite(statement.mu) or not all(each.charged for _, each in claims):
        raise ValueError('The fit promises nothing: choose a finite epsilon, end to end.')
    # Twice: a first fit says and keeps what later ones do not.
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
    """Fit the recorded table with its own answers: nothing may move."""
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
    """Fit, and note all that can be seen but for the noisy answers: what is said, and kept."""
    with listen() as heard:
        fitted = fit(table)
    messages = [message.split() for message in heard]
    return fitted, flatten({'messages': messages, 'synthesizer': fitted})


def match_claims(paid: list[Receipt], receipts: Any) -> list[tuple[str, Receipt]]:
    """Find the lines of a privacy statement that receipts of the doors are about.

    A door prices records; a statement says what that is for a unit of several.

    Args:
        paid: The receipts of a record, in order.
        receipts: Those of the statement, by the table whose rows are the units if there are many.

    Returns:
        For each receipt the name of that table, or nothing, and the line of the statement.

    Raises:
        ValueError: If a receipt has no line, or a line no receipt.
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
    """Tell whether a line of a statement is about a receipt; it may name the table, too."""
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
    """Find what differs between the tables, and not between two fits of one of them."""
    one, same, tested = (_group(each) for each in (first, again, other))
    for place in {**one, **tested}:
        stable = one.get(place) == same.get(place)
        if stable and one.get(place) != tested.get(place):
            yield place


def _group(state: State) -> dict[str, frozenset[str]]:
    """Group what is seen by place: a word that is there has its place in its name."""
    places: dict[str, list[str]] = {}
    for name, value in state.items():
        places.setdefault(name.partition(' is ')[0], []).append(f'{name} {value!r}')
    return {place: frozenset(values) for place, values in places.items()}
