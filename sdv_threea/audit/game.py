"""The guessing game: many fits, each with or without the canary, by the toss of a fair coin.

An observer learns from the features of half of the fits, and guesses the coins of the other half.
The results are lower bounds on epsilon.
"""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from sdv_threea.audit.bounds import bound_epsilon, bound_gaussian_epsilon, check_confidence
from sdv_threea.audit.guessing import guess
from sdv_threea.audit.messages import count_words, listen
from sdv_threea.audit.result import AuditResult, LowerBound
from sdv_threea.audit.samples import describe_rows
from sdv_threea.audit.state import flatten
from sdv_threea.audit.worlds import Neighbours, Tables
from sdv_threea.errors import InputError

#: The forms of a bound: for any mechanism, and for claims of Gaussian differential privacy.
GENERAL, GAUSSIAN = 'any mechanism', 'Gaussian'
FORMS = {GENERAL: bound_epsilon, GAUSSIAN: bound_gaussian_epsilon}

#: The least number of runs. Only half of them give the bound, so fewer are useless.
LEAST_RUNS = 40

#: Observations of a fit: for each view (samples, parameters, messages), numbers by name.
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
    """Bound the epsilon of a synthesizer from below, by guessing which table it was fitted to.

    There are three observers: of the synthetic rows, of the fitted synthesizer, and of its
    warnings, logs and prints. The observers learn from half of the runs. The other half, which they
    have not seen, gives the bounds. For synthesizers of this package use :func:`measure_mu`, which
    is exact and takes four fits.

    Formal guarantees:
        * if fits are independent and the claim is true, each bound exceeds it with probability at
          most ``(1 - confidence) / number of bounds``, so any does with at most ``1 - confidence``
        * nothing is guaranteed the other way: a low bound says that these observers saw nothing

    Args:
        make: Makes a synthesizer that is not fitted: one of SDV's, or any with their ``fit`` and
            ``sample`` or ``sample_scale``.
        neighbours: The two tables. Choose the worst that you can think of, such as a lone class.
        epsilon: The claim about such neighbours; ``math.inf`` for none.
        delta: The ``delta`` of the claim.
        runs: Number of fits; hundreds are needed.
        confidence: The confidence with which all bounds hold at once, in (0, 1).
        gaussian: Whether the claim follows from Gaussian differential privacy, like all claims of
            ``sdv_threea``. Then a tighter bound is valid too.
        verbose: Whether to show progress.
        rng: Draws the coins and seeds the observers; fresh entropy by default.

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
    # All bounds share the probability of failure equally (Bonferroni).
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
    """Fit one of two tables; return the features of each view, and show nothing on the screen."""
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
    """Sample at scale 1; of a single table, as many rows as it has without the canary."""
    if hasattr(synthesizer, 'sample_scale'):
        tables: Tables = synthesizer.sample_scale(scale=1.0)
    else:
        tables = synthesizer.sample(num_rows=len(next(iter(without.values()))))
    return tables


def _check(epsilon: float, delta: float, runs: int, confidence: float) -> None:
    if not epsilon >= 0:
        raise InputError(f'epsilon must be at least 0, or math.inf for no claim, got {epsilon}.')
    if not 0 <= delta < 1:
        raise InputError(f'delta must be at least 0 and below 1, got {delta}.')
    if not runs >= LEAST_RUNS:
        raise InputError(f'runs must be at least {LEAST_RUNS}, got {runs}: try 1000.')
    check_confidence(confidence)
