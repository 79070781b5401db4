"""The doors of noise, watched: what is asked of private rows, and the same answers given again.

All private numbers leave through two doors, :func:`~sdv_threea.privacy.mechanism.add_noise` and
:func:`~sdv_threea.privacy.mechanism.threshold_release`. While a fit is *recorded*, they answer as
ever, and the exact values and the answers are noted. While a fit is *replayed*, they give the
answers of the record, whatever is asked, so that two tables are put exactly the same questions.

Chance that is not noise (starting points, which rows of a unit are kept) is drawn from a seed of
the record, so that it is the same in both fits.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple, TypeVar
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.privacy import mechanism
from sdv_threea.privacy.mechanism import Noise

DOORS = ('add_noise', 'threshold_release')

#: Arguments of a door that are no terms of the question: the source of noise, and the bar of each
#: key, which the exact values are measured from.
NO_TERMS = ('noise', 'least')

Fitted = TypeVar('Fitted')


class DivergedError(RuntimeError):
    """The fit went another way than the recorded one, though all answers were the same."""


@dataclass(frozen=True)
class Question:
    """One question and the exact values that answer it: private.

    Args:
        terms: What was asked: the arguments of the door, and the shape of the values.
        exact: The values, flat; of a threshold, how many records each key has beyond those that
            are passed over.
    """

    terms: Mapping[str, Any]
    exact: NDArray[np.int64] | Mapping[str, int]


@dataclass
class Transcript:
    """A recorded fit: its questions, their answers, and the seed of all other chance."""

    seed: int
    questions: list[Question] = field(default_factory=list)
    answers: list[tuple[Any, ...]] = field(default_factory=list)

    @property
    def receipts(self) -> list[Receipt]:
        """The receipt of each answer."""
        return [answer[-1] for answer in self.answers]

    def measure_noise(self) -> tuple[float, int]:
        """Measure the noise that was added, where all noisy values were shown.

        Returns:
            The root mean square of it, over the scale on its receipt, and of how many values.
        """
        parts = [np.zeros(0)]
        for question, answer in zip(self.questions, self.answers, strict=True):
            if not isinstance(question.exact, Mapping):
                unit = question.terms.get('resolution', 1.0)
                drawn = answer[0].ravel() - question.exact * unit
                parts.append(drawn / answer[-1].noise_scale)
        noise = np.concatenate(parts)
        return math.sqrt(float(noise @ noise) / max(len(noise), 1)), len(noise)


class Move(NamedTuple):
    """How far apart the exact values of two tables are that were asked the same question.

    Args:
        distance: The L2 distance that the sensitivity bounds, in the units of the receipt.
        seen: The distance between those values whose noisy answers were shown.
    """

    distance: float
    seen: float


def record(
    fit: Callable[[], Fitted], noise: Noise | None = None, seed: int | None = None
) -> tuple[Fitted, Transcript]:
    """Fit, and note all questions with their exact values and answers.

    Args:
        fit: Fits a table.
        noise: A source of noise in place of the real one, for a search that compares like with
            like.
        seed: Seed of the chance that is not noise; a fresh one by default.

    Returns:
        What was fitted, and the record.
    """
    fresh = np.random.default_rng()
    drawn = int(fresh.integers(2**63)) if seed is None else seed
    transcript = Transcript(drawn)
    forced = {} if noise is None else {'noise': noise}

    def answer(question: Question, ask: Callable[..., tuple[Any, ...]]) -> tuple[Any, ...]:
        transcript.questions.append(question)
        transcript.answers.append(ask(**forced))
        return deepcopy(transcript.answers[-1])

    with _watch(answer), _repeat_chance(transcript.seed):
        return fit(), transcript


def replay(fit: Callable[[], Fitted], transcript: Transcript) -> tuple[Fitted, list[Question]]:
    """Fit with the answers of a record, and note the exact values.

    Args:
        fit: Fits a table, as the recorded one was fitted.
        transcript: The record.

    Returns:
        What was fitted, and the questions with the exact values of this table.

    Raises:
        DivergedError: If something else is asked than in the record, or the fit fails once it has
            begun to ask: then something about the rows has passed beside the doors.
    """
    known, asked = transcript.questions, list[Question]()

    def answer(question: Question, _: Callable[..., tuple[Any, ...]]) -> tuple[Any, ...]:
        asked.append(question)
        last = len(asked) - 1
        if last >= len(known) or question.terms != known[last].terms:
            raise DivergedError(f'question {last + 1} is another one')
        return deepcopy(transcript.answers[last])

    with _watch(answer), _repeat_chance(transcript.seed):
        try:
            fitted = fit()
        except DivergedError:
            raise
        except Exception as error:
            if not asked:
                raise
            said = f'the fit ends in {type(error).__name__} after {len(asked)} questions'
            raise DivergedError(said) from error
    if [each.terms for each in asked] != [each.terms for each in known]:
        raise DivergedError('other questions are asked')
    return fitted, asked


def compare(transcript: Transcript, asked: list[Question]) -> list[Move]:
    """Measure how far apart the exact values of two tables are, question by question.

    Args:
        transcript: The record of one table.
        asked: The questions to the other.

    Returns:
        A distance per question.
    """
    pairs = zip(transcript.questions, asked, transcript.answers, strict=True)
    return [_measure(one, other.exact, answer) for one, other, answer in pairs]


def _measure(question: Question, other: Any, answer: tuple[Any, ...]) -> Move:
    one = question.exact
    if not isinstance(one, Mapping):
        unit = question.terms.get('resolution', 1.0)
        # Whole numbers are subtracted exactly; that rounds nothing but the distance.
        distance = float(np.linalg.norm((one - other).astype(np.float64))) * unit
        return Move(distance, distance)
    moved = {key: one.get(key, 0) - other.get(key, 0) for key in {**one, **other}}
    # That a key of one table alone is shown is what the threshold's delta pays for.
    shown = [moved[key] for key in map(repr, answer[0]) if one.get(key) and other.get(key)]
    return Move(float(np.linalg.norm([*moved.values()])), float(np.linalg.norm(shown)))


def _read_add_noise(values: NDArray[np.int64], **terms: Any) -> Question:
    exact = values.astype(np.int64).ravel()
    return Question(_list_terms(terms, door='add_noise', shape=values.shape), exact)


def _read_threshold_release(keys: Any, counts: NDArray[np.int64], **terms: Any) -> Question:
    bars = np.broadcast_to(terms.get('least', 1), counts.shape)
    beyond = np.maximum(counts - bars + 1, 0).tolist()
    names = [repr(keys[at]) for at in range(len(beyond))]
    return Question(
        _list_terms(terms, door='threshold_release'), dict(zip(names, beyond, strict=True))
    )


READ: dict[str, Callable[..., Question]] = {
    'add_noise': _read_add_noise,
    'threshold_release': _read_threshold_release,
}


def _list_terms(terms: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {**{name: each for name, each in terms.items() if name not in NO_TERMS}, **more}


@contextmanager
def _watch(
    answer: Callable[[Question, Callable[..., tuple[Any, ...]]], tuple[Any, ...]],
) -> Iterator[None]:
    """Hang watched doors wherever the real ones hang, and take them down again."""
    inside = False

    def make(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def door(*values: Any, **terms: Any) -> Any:
            nonlocal inside
            if inside:  # one door leads through the other
                return real(*values, **terms)

            def ask(**forced: Any) -> Any:
                return real(*values, **{**terms, **forced})

            inside = True
            try:
                return answer(READ[name](*values, **terms), ask)
            finally:
                inside = False

        return door

    real = {name: getattr(mechanism, name) for name in DOORS}
    watched = {name: make(name, real[name]) for name in DOORS}
    _exchange({id(real[name]): watched[name] for name in DOORS})
    try:
        yield
    finally:
        # Modules that were first loaded meanwhile have found watched doors.
        _exchange({id(watched[name]): real[name] for name in DOORS})


def _exchange(new: Mapping[int, Callable[..., Any]]) -> None:
    """Put functions in the place of others, under any name, in all modules of the package."""
    for name, module in list(sys.modules.items()):
        if name.split('.')[0] == 'sdv_threea':
            for attribute, value in list(vars(module).items()):
                if id(value) in new:
                    setattr(module, attribute, new[id(value)])


class _Repeated(np.random.Generator):
    """A generator whose every call has a stream of its own.

    However many numbers one call draws, the next draws the same: a row more in one table does not
    change what becomes of the rows of the next.
    """

    def __init__(self, *seed: int) -> None:
        seeded = np.random.default_rng(seed)
        super().__init__(seeded.bit_generator)
        self._seed, self._calls = seed, count()

    def random(self, *size: Any, **terms: Any) -> Any:
        stream = np.random.default_rng((*self._seed, 0, next(self._calls)))
        return stream.random(*size, **terms)

    def spawn(self, n_children: int) -> list[np.random.Generator]:
        return [_Repeated(*self._seed, 1, at) for at in range(n_children)]


@contextmanager
def _repeat_chance(seed: int) -> Iterator[None]:
    """Seed the generators that nobody seeds."""
    real, calls = np.random.default_rng, count()

    def default_rng(own: Any = None) -> np.random.Generator:
        return real(own) if own is not None else _Repeated(seed, next(calls))

    with patch.object(np.random, 'default_rng', default_rng):
        yield
