"""The guessing game: many fits, each with or without the canary, by the toss of a fair coin.

An observer learns from the features of half of the fits, and guesses the coins of the other half.
The results are lower bounds on epsilon.
"""

import math
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, r_regression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer
from sklearn.tree import DecisionTreeClassifier
from tqdm import tqdm

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.audit.bounds import (
    AuditResult,
    Guesses,
    LowerBound,
    bound_epsilon,
    bound_gaussian_epsilon,
    check_confidence,
)
from sdv_threea.audit.observations import Features, count_words, describe_rows, flatten, listen
from sdv_threea.audit.worlds import Neighbours, Tables
from sdv_threea.errors import InputError

#: The largest number of features of the linear classifier: those with the largest correlations.
MAX_FEATURES = 200

#: The fewest runs with a feature for it to be used: a word of a single run predicts nothing.
LEAST_SEEN = 3

#: The largest number of thresholds to try.
NUM_THRESHOLDS = 200

#: Folds of the cross-validation that chooses a classifier and a threshold.
FOLDS = 5

#: Maps guesses to a lower bound.
Bound = Callable[[Guesses], float]


#: The scope of a bound: any mechanism, or claims of Gaussian differential privacy.
GENERAL, GAUSSIAN = 'any mechanism', 'Gaussian'

FORMS = {GENERAL: bound_epsilon, GAUSSIAN: bound_gaussian_epsilon}

#: The fewest runs. Only half of them give the bound, so fewer are useless.
LEAST_RUNS = 40

#: Observations of a fit: for each view (samples, parameters, messages), numbers by name.
Seen = dict[str, Features]


def guess(
    observed: Sequence[Mapping[str, float]],
    worlds: Wholes,
    bounds: Mapping[str, Bound],
    rng: np.random.Generator,
) -> dict[str, Guesses]:
    """Learn from the first half of the runs, and guess the coins of the second half.

    ``observed`` has the features of each run; ``worlds`` is 1 for runs with the canary and 0 for
    others. There are three classifiers: a linear one for a signal that is spread over many numbers,
    a small tree for a signal in one number, and a forest for anything between. Cross-validation on
    the first half chooses, for each bound, the best classifier and threshold.

    Formal guarantees:
        * the rules by which the second half is guessed depend on the first half alone
    """
    half = len(worlds) // 2
    table = _tabulate(observed, half)
    known, truth = table[:half], worlds[:half]
    classifiers = make_classifiers(known.shape[1], half, rng) if known.shape[1] else []
    # Without a useful classifier, guess that the canary is never there.
    outcomes: dict[str, Guesses] = {
        name: count_guesses(worlds[half:] < 0, worlds[half:]) for name in bounds
    }
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # a column may be constant in a fold
        how: dict[str, Any] = {'cv': FOLDS, 'method': 'predict_proba'}
        scores = [cross_val_predict(each, known, truth, **how)[:, 1] for each in classifiers]
        final = [each.fit(known, truth).predict_proba(table[half:])[:, 1] for each in classifiers]
    for name, bound in bounds.items():
        best = 0.0
        for tried, fresh in zip(scores, final, strict=True):
            threshold, value = choose_threshold(tried, truth, bound)
            if value > best:
                best, outcomes[name] = value, count_guesses(fresh > threshold, worlds[half:])
    return outcomes


def choose_threshold(scores: Floats, worlds: Wholes, bound: Bound) -> tuple[float, float]:
    """Return the threshold of scores with the largest bound, and that bound."""
    levels = np.unique(scores)
    middles = (levels[1:] + levels[:-1]) / 2 if len(levels) > 1 else levels
    places = np.linspace(0, len(middles) - 1, min(len(middles), NUM_THRESHOLDS))
    tried = [
        (bound(count_guesses(scores > threshold, worlds)), threshold)
        for threshold in middles[places.astype(np.int64)].tolist()
    ]
    value, threshold = max(tried)
    return threshold, value


def count_guesses(guessed: Bools, worlds: Wholes) -> Guesses:
    """Count right and wrong guesses; both arguments have a value per run."""
    present = worlds == 1
    return Guesses(
        false_alarms=int((guessed & ~present).sum()),
        without=int((~present).sum()),
        misses=int((~guessed & present).sum()),
        present=int(present.sum()),
    )


def _tabulate(observed: Sequence[Mapping[str, float]], half: int) -> Floats:
    """Return features, shape (runs, features), 0 if a run lacks one; constants are left out."""
    counts = Counter(chain.from_iterable(observed[:half]))
    kept = [name for name, count in counts.items() if count >= LEAST_SEEN]
    values = np.array([[each.get(name, 0.0) for name in kept] for each in observed], dtype=float)
    values = np.clip(np.nan_to_num(values.reshape(len(observed), len(kept))), -1e300, 1e300)
    return np.asarray(values[:, np.ptp(values[:half], axis=0) > 0])


def make_classifiers(width: int, runs: int, rng: np.random.Generator) -> list[Any]:
    """Return a linear classifier, a tree and a forest, for ``width`` features and ``runs`` runs."""
    # Ranks: one outlier must not mask the differences between other numbers.
    ranks = QuantileTransformer(n_quantiles=min(runs // 2, 100), output_distribution='normal')
    best = SelectKBest(_correlation, k=min(MAX_FEATURES, width))
    linear = LinearDiscriminantAnalysis(solver='lsqr', shrinkage='auto')
    forest = RandomForestClassifier(
        50, min_samples_leaf=5, random_state=int(rng.integers(2**31)), n_jobs=1
    )
    tree = DecisionTreeClassifier(max_depth=2, random_state=int(rng.integers(2**31)))
    return [make_pipeline(ranks, best, linear), tree, forest]


def _correlation(table: Floats, truth: Wholes) -> Floats:
    """Return absolute correlations: ranked as by an F test, but finite for a perfect feature."""
    return np.asarray(np.abs(r_regression(table, truth)))


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
        * nothing is guaranteed in the other direction: a low bound means that nothing was seen

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
    """Fit one of two tables, silently; return the features of each view."""
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
    """Sample a database at scale 1, or as many rows as the table has without the canary."""
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
