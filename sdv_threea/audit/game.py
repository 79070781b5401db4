"""The game: fit with or without the canary, as a fair coin says, and let an observer guess."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from sdv_threea.audit.bounds import bound_epsilon, bound_gaussian_epsilon
from sdv_threea.audit.guessing import guess
from sdv_threea.audit.messages import count_words, listen
from sdv_threea.audit.result import AuditResult, LowerBound
from sdv_threea.audit.rows import describe_rows
from sdv_threea.audit.state import flatten
from sdv_threea.audit.worlds import Neighbours, Tables

#: The forms of a bound: one always holds, the other for claims of Gaussian DP.
GENERAL, GAUSSIAN = 'any mechanism', 'Gaussian'
FORMS = {GENERAL: bound_epsilon, GAUSSIAN: bound_gaussian_epsilon}

#: Fewer runs say next to nothing: half of them teach, half of them count.
LEAST_RUNS = 40

#: What is seen of a fit: numbers by name, by view.
Seen = dict[str, dict[str, float]]


def audit_privacy(  # noqa: PLR0913 (the claim, and how hard to look)
    make: Callable[[], Any],
    neighbours: Neighbours,
    *,
    epsilon: float = math.inf,
    delta: float = 1e-6,
    runs: int = 1000,
    confidence: float = 0.95,
    gaussian: bool = False,
    verbose: bool = True,
    rng: np.random.Generator | None = None,
) -> AuditResult:
    """Bound the epsilon of a synthesizer from below, by guessing what it was fitted to.

    Half of the runs teach three observers how to guess: of the synthetic rows, of the fitted
    synthesizer, and of what it warns, logs and prints. The other half, which none has seen, gives
    the bounds. For synthesizers of this package :func:`measure_mu` is exact, and takes three fits.

    Formal guarantees:
        * if fits are independent and the claim is true, each bound exceeds it with probability at
          most ``(1 - confidence) / number of bounds``, so any does with at most ``1 - confidence``
        * nothing is guaranteed the other way: a low bound says that these observers saw nothing

    Args:
        make: Makes a fresh synthesizer, not fitted: one of SDV's or any with their ``fit`` and
            ``sample`` or ``sample_scale``.
        neighbours: The two tables: the worst that you can think of, such as a lone class.
        epsilon: The claim about such neighbours, if there is one.
        delta: The ``delta`` of the claim.
        runs: How many fits: hundreds.
        confidence: In (0, 1).
        gaussian: Whether the claim is one of Gaussian differential privacy, as those of
            ``sdv_threea`` are: then a tighter bound is valid too.
        verbose: Whether to show progress.
        rng: Source of the coins and of what the observers draw; fresh entropy by default.

    Returns:
        The bounds, and what they say of the claim.

    Raises:
        ValueError: If an argument is out of range; nothing is fitted then.
    """
    epsilon, delta = float(epsilon), float(delta)
    _check(epsilon, delta, runs, confidence)
    rng = rng or np.random.default_rng()
    worlds = rng.integers(2, size=runs)
    coins = tqdm(worlds.tolist(), desc='Audit', disable=not verbose)
    seen = [observe(make, neighbours, world) for world in coins]
    forms = FORMS if gaussian else {GENERAL: FORMS[GENERAL]}
    doubt = (1 - confidence) / (len(forms) * len(seen[0]))
    rules = {
        form: partial(bound, delta=delta, confidence=1 - doubt) for form, bound in forms.items()
    }
    bounds: list[LowerBound] = []
    for view in seen[0]:
        guesses = guess([each[view] for each in seen], worlds, rules, rng)
        bounds += [
            LowerBound(view, form, guessed, rules[form](guessed))
            for form, guessed in guesses.items()
        ]
    return AuditResult(epsilon, delta, confidence, runs, tuple(bounds))


def observe(make: Callable[[], Any], neighbours: Neighbours, world: int) -> Seen:
    """Fit one of two tables, and look at all that comes out.

    That is the synthetic rows, the fitted synthesizer, and what is warned, logged and printed,
    which is not shown besides.
    """
    with listen() as messages:
        synthesizer = make()
        synthesizer.fit(neighbours.build(with_canary=bool(world)))
        sampled = _sample(synthesizer, neighbours.without)
    return {
        'synthetic rows': describe_rows(sampled, neighbours),
        'released parameters': flatten(synthesizer),
        'messages': count_words(messages),
    }


def _sample(synthesizer: Any, without: Mapping[str, pd.DataFrame]) -> Tables:
    """Sample as many rows as SDV would; of a single table as many as it has without the canary."""
    if hasattr(synthesizer, 'sample_scale'):
        tables: Tables = synthesizer.sample_scale(scale=1.0)
    else:
        tables = synthesizer.sample(num_rows=len(next(iter(without.values()))))
    return tables


def _check(epsilon: float, delta: float, runs: int, confidence: float) -> None:
    if not epsilon >= 0:
        raise ValueError(f'epsilon must be at least 0, or math.inf for no claim, got {epsilon}.')
    if not 0 <= delta < 1:
        raise ValueError(f'delta must be at least 0 and below 1, got {delta}.')
    if not runs >= LEAST_RUNS:
        raise ValueError(f'runs must be at least {LEAST_RUNS}, got {runs}: try 1000.')
    if not 0 < confidence < 1:
        raise ValueError(f'confidence must be between 0 and 1, got {confidence}.')
