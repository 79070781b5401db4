"""The observer: it learns from half of the runs to tell two tables apart, and guesses the rest.

In goes what was seen of each run, as numbers by name, and the coins of all runs. Out come counts of
right and wrong guesses about the second half of the runs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, r_regression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer
from sklearn.tree import DecisionTreeClassifier

from sdv_threea.audit.bounds import Guesses

#: The most features that the linear classifier gets: those with the largest correlation.
MAX_FEATURES = 200

#: A feature is used if at least this many runs have it. A word of a single run says nothing about
#: other runs.
LEAST_SEEN = 3

#: The most thresholds that are tried.
NUM_THRESHOLDS = 200

#: Folds of the cross-validation by which classifier and threshold are chosen.
FOLDS = 5

#: From guesses to a lower bound.
Bound = Callable[[Guesses], float]


def guess(
    observed: Sequence[Mapping[str, float]],
    worlds: NDArray[np.int64],
    bounds: Mapping[str, Bound],
    rng: np.random.Generator,
) -> dict[str, Guesses]:
    """Learn from the first half of the runs, and guess the coins of the second half.

    There are three classifiers: a linear one for signals that are spread over many numbers, a small
    tree for a signal in one number, and a forest for what is between. For each bound, the
    classifier and the threshold are chosen that give the largest bound on the first half, by
    cross-validation.

    Formal guarantees:
        * the rules by which the second half is guessed depend on the first half alone

    Args:
        observed: What was seen of each run: numbers by name.
        worlds: Whether the canary was there, 0 or 1, shape (runs,).
        bounds: The bounds that should be large, by name.
        rng: Source of the randomness of tree and forest.

    Returns:
        For each bound, the counts of right and wrong guesses about the second half.
    """
    half = len(worlds) // 2
    table = _tabulate(observed, half)
    known, truth = table[:half], worlds[:half]
    classifiers = make_classifiers(known.shape[1], half, rng) if known.shape[1] else []
    # Without a promising classifier: guess that the canary is never there.
    outcomes: dict[str, Guesses] = {
        name: count_guesses(worlds[half:] < 0, worlds[half:]) for name in bounds
    }
    scores = [_cross_validate(each, known, truth) for each in classifiers]
    final = [_fit(each, known, truth).predict_proba(table[half:])[:, 1] for each in classifiers]
    for name, bound in bounds.items():
        best = 0.0
        for tried, fresh in zip(scores, final, strict=True):
            threshold, value = choose_threshold(tried, truth, bound)
            if value > best:
                best, outcomes[name] = value, count_guesses(fresh > threshold, worlds[half:])
    return outcomes


def choose_threshold(
    scores: NDArray[np.float64], worlds: NDArray[np.int64], bound: Bound
) -> tuple[float, float]:
    """Return the threshold with the largest bound, and that bound.

    Args:
        scores: A classifier's probability of the canary in each run, shape (runs,).
        worlds: Whether the canary was there, 0 or 1, shape (runs,).
        bound: The bound that should be large.
    """
    levels = np.unique(scores)
    middles = (levels[1:] + levels[:-1]) / 2 if len(levels) > 1 else levels
    places = np.linspace(0, len(middles) - 1, min(len(middles), NUM_THRESHOLDS))
    tried = [
        (bound(count_guesses(scores > threshold, worlds)), threshold)
        for threshold in middles[places.astype(np.int64)].tolist()
    ]
    value, threshold = max(tried)
    return threshold, value


def count_guesses(guessed: NDArray[np.bool_], worlds: NDArray[np.int64]) -> Guesses:
    """Count right and wrong guesses; both arguments have a value per run."""
    present = worlds == 1
    return Guesses(
        false_alarms=int((guessed & ~present).sum()),
        without=int((~present).sum()),
        misses=int((~guessed & present).sum()),
        present=int(present.sum()),
    )


def _tabulate(observed: Sequence[Mapping[str, float]], half: int) -> NDArray[np.float64]:
    """Return the features as a table, shape (runs, features).

    A feature that a run lacks is 0 there. Features that do not vary in the first half are left out.
    """
    names: dict[str, int] = {}
    for each in observed[:half]:
        for name in each:
            names[name] = names.get(name, 0) + 1
    kept = [name for name, count in names.items() if count >= LEAST_SEEN]
    values = np.array([[each.get(name, 0.0) for name in kept] for each in observed], dtype=float)
    values = np.clip(np.nan_to_num(values.reshape(len(observed), len(kept))), -1e300, 1e300)
    return np.asarray(values[:, np.ptp(values[:half], axis=0) > 0])


def make_classifiers(width: int, runs: int, rng: np.random.Generator) -> list[Any]:
    """Make the observers: a linear classifier, a tree, a forest.

    Args:
        width: The number of features, at least one.
        runs: The number of runs they learn from.
        rng: Source of the randomness of tree and forest.
    """
    # Ranks, so that one number that is far from the others does not hide their differences.
    ranks = QuantileTransformer(n_quantiles=min(runs // 2, 100), output_distribution='normal')
    best = SelectKBest(_correlation, k=min(MAX_FEATURES, width))
    linear = LinearDiscriminantAnalysis(solver='lsqr', shrinkage='auto')
    forest = RandomForestClassifier(
        50, min_samples_leaf=5, random_state=int(rng.integers(2**31)), n_jobs=1
    )
    tree = DecisionTreeClassifier(max_depth=2, random_state=int(rng.integers(2**31)))
    return [make_pipeline(ranks, best, linear), tree, forest]


def _correlation(table: NDArray[np.float64], truth: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the absolute correlation of each feature with the truth.

    It ranks features like an F test, but stays finite for a feature that tells the truth exactly.
    """
    return np.asarray(np.abs(r_regression(table, truth)))


def _cross_validate(
    classifier: Any, known: NDArray[np.float64], truth: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return a classifier's probability of the canary in runs that it did not learn from."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # a column may be constant in a fold
        chances = cross_val_predict(classifier, known, truth, cv=FOLDS, method='predict_proba')
    return np.asarray(chances[:, 1])


def _fit(classifier: Any, known: NDArray[np.float64], truth: NDArray[np.int64]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return classifier.fit(known, truth)
