"""Fits that are recorded, and repeated on another table with the same noisy answers.

All private numbers leave through two functions, the *doors*:
:func:`~sdv_threea.privacy.mechanism.add_noise` and
:func:`~sdv_threea.privacy.mechanism.threshold_release`. A *recorded* fit uses the real doors and
notes the exact values and the noisy answers. A *replayed* fit gets the noisy answers of the record,
whatever its exact values are, so both tables are asked the same questions. Other random numbers
come from a seed that both fits share.
"""

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

from sdv_threea.accounting import Receipt
from sdv_threea.arrays import Wholes
from sdv_threea.privacy import mechanism
from sdv_threea.privacy.mechanism import Noise

#: Arguments of a door that are not compared: the source of noise; and the least count of each key,
#: which is subtracted from the exact values instead.
NO_TERMS = ('noise', 'least')

Fitted = TypeVar('Fitted')


class DivergedError(RuntimeError):
    """A replayed fit asks other questions than the record, although all noisy answers are equal."""


@dataclass(frozen=True)
class Question:
    """One question and its exact values: private.

    Args:
        terms: The arguments of the door, and the shape of the values.
        exact: The values, flat. For a threshold release: by how much each key's count exceeds the
            smallest count that can be released.
    """

    terms: Mapping[str, Any]
    exact: Wholes | Mapping[str, int]


@dataclass
class Transcript:
    """A recorded fit: its questions, their answers, and the seed of all other random numbers."""

    seed: int
    questions: list[Question] = field(default_factory=list)
    answers: list[tuple[Any, ...]] = field(default_factory=list)

    @property
    def receipts(self) -> list[Receipt]:
        """The receipt of each answer."""
        return [answer[-1] for answer in self.answers]

    def measure_noise(self) -> tuple[float, int]:
        """Return the root mean square of noise divided by its scale, and the number of values."""
        parts = [np.zeros(0)]
        for question, answer in zip(self.questions, self.answers, strict=True):
            if not isinstance(question.exact, Mapping):
                unit = question.terms.get('resolution', 1.0)
                drawn = answer[0].ravel() - question.exact * unit
                parts.append(drawn / answer[-1].noise_scale)
        noise = np.concatenate(parts)
        return math.sqrt(float(noise @ noise) / max(len(noise), 1)), len(noise)


class Move(NamedTuple):
    """The L2 distance between the exact values of two tables, for one question.

    Args:
        distance: Over all values, in the units of the receipt; the sensitivity bounds it.
        seen: Over those values whose noisy answers were shown.
    """

    distance: float
    seen: float


def record(
    fit: Callable[[], Fitted], noise: Noise | None = None, seed: int | None = None
) -> tuple[Fitted, Transcript]:
    """Return the result of ``fit`` and its record; ``noise`` replaces the real source of noise."""
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
    """Fit with the noisy answers of a record; return the result, and the questions it asked.

    Raises:
        DivergedError: If the questions are not those of the record, or the fit fails after its
            first question. Then a private value was used without noise.
    """
    known, asked = transcript.questions, list[Question]()

    def answer(question: Question, _: Callable[..., tuple[Any, ...]]) -> tuple[Any, ...]:
        asked.append(question)
        last = len(asked) - 1
        if last >= len(known) or question.terms != known[last].terms:
            raise DivergedError(f'question {last + 1} is a different one')
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
    """Return the distance between the exact values of two tables for each question."""
    pairs = zip(transcript.questions, asked, transcript.answers, strict=True)
    return [_measure(one, other.exact, answer) for one, other, answer in pairs]


def _measure(question: Question, other: Any, answer: tuple[Any, ...]) -> Move:
    one = question.exact
    if not isinstance(one, Mapping):
        unit = question.terms.get('resolution', 1.0)
        # Whole numbers are subtracted without rounding; only their distance is a float.
        distance = float(np.linalg.norm((one - other).astype(np.float64))) * unit
        return Move(distance, distance)
    moved = {key: one.get(key, 0) - other.get(key, 0) for key in {**one, **other}}
    # If only one table has a shown key, this costs the delta of the threshold, not mu.
    shown = [moved[key] for key in map(repr, answer[0]) if one.get(key) and other.get(key)]
    return Move(float(np.linalg.norm([*moved.values()])), float(np.linalg.norm(shown)))


def _read_add_noise(values: Wholes, **terms: Any) -> Question:
    exact = values.astype(np.int64).ravel()
    return Question(_list_terms(terms, door='add_noise', shape=values.shape), exact)


def _read_threshold_release(keys: Any, counts: Wholes, **terms: Any) -> Question:
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
    """Replace the doors in all modules by functions that call ``answer(question, real door)``."""
    inside = False

    def make(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def door(*values: Any, **terms: Any) -> Any:
            nonlocal inside
            if inside:  # threshold_release calls add_noise: both are one question
                return real(*values, **terms)

            def ask(**forced: Any) -> Any:
                return real(*values, **{**terms, **forced})

            inside = True
            try:
                return answer(READ[name](*values, **terms), ask)
            finally:
                inside = False

        return door

    real = {name: getattr(mechanism, name) for name in READ}
    watched = {name: make(name, real[name]) for name in READ}
    exchange({id(real[name]): watched[name] for name in READ})
    try:
        yield
    finally:
        # Modules loaded in the meantime have imported the watched doors.
        exchange({id(watched[name]): real[name] for name in READ})


def exchange(new: Mapping[int, Callable[..., Any]]) -> None:
    """Replace functions, given by id, in all modules of the package, under any name."""
    for name, module in list(sys.modules.items()):
        if name.split('.')[0] == 'sdv_threea':
            for attribute, value in list(vars(module).items()):
                if id(value) in new:
                    setattr(module, attribute, new[id(value)])


class _Repeated(np.random.Generator):
    """A generator that starts a new stream for each call, whatever earlier calls drew."""

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
    """Give all generators that are made without a seed the same seeds in every fit."""
    real, calls = np.random.default_rng, count()

    def default_rng(own: Any = None) -> np.random.Generator:
        return real(own) if own is not None else _Repeated(seed, next(calls))

    with patch.object(np.random, 'default_rng', default_rng):
        yield
