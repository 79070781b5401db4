"""The observer: learns from half of the runs how to tell two tables apart, and guesses the rest."""

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

#: The most features that a classifier is given, the most promising ones.
MAX_FEATURES = 200

#: A feature is looked at if so many runs have it: a word that one run has tells nothing.
LEAST_RUNS = 3

#: How many thresholds are tried.
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
    """Learn from the first half of the runs, and guess the second.

    A linear classifier sees what is spread over many numbers, a small tree what one gives away, and
    a forest what lies between. On the first half alone, by cross-validation, that classifier and
    that threshold are chosen by which a bound would be largest.

    Formal guarantees:
        * the rules by which the second half is guessed depend on the first half alone

    Args:
        observed: What was seen of each run: numbers by name.
        worlds: Whether the canary was there, 0 or 1, shape (runs,).
        bounds: What shall be large, by name.
        rng: Source of the forest's randomness.

    Returns:
        For each bound, how the guesses turned out.
    """
    half = len(worlds) // 2
    table = _tabulate(observed, half)
    known, truth = table[:half], worlds[:half]
    classifiers = make_classifiers(known.shape[1], half, rng) if known.shape[1] else []
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
    """Choose the threshold by which a bound is largest, and return both."""
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
    """Count how guesses turned out, shape (runs,) both."""
    present = worlds == 1
    return Guesses(
        false_alarms=int((guessed & ~present).sum()),
        without=int((~present).sum()),
        misses=int((~guessed & present).sum()),
        present=int(present.sum()),
    )


def _tabulate(observed: Sequence[Mapping[str, float]], half: int) -> NDArray[np.float64]:
    """Turn features into a table of those that vary in the first half; 0 for what is not there."""
    names: dict[str, int] = {}
    for each in observed[:half]:
        for name in each:
            names[name] = names.get(name, 0) + 1
    kept = [name for name, count in names.items() if count >= LEAST_RUNS]
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
    # Ranks first: one number that is far out shall not hide the rest.
    ranks = QuantileTransformer(n_quantiles=min(runs // 2, 100), output_distribution='normal')
    best = SelectKBest(_correlation, k=min(MAX_FEATURES, width))
    linear = LinearDiscriminantAnalysis(solver='lsqr', shrinkage='auto')
    forest = RandomForestClassifier(
        50, min_samples_leaf=5, random_state=int(rng.integers(2**31)), n_jobs=1
    )
    tree = DecisionTreeClassifier(max_depth=2, random_state=int(rng.integers(2**31)))
    return [make_pipeline(ranks, best, linear), tree, forest]


def _correlation(table: NDArray[np.float64], truth: NDArray[np.int64]) -> NDArray[np.float64]:
    """Rank features as an F test does, but for rounding: it has none left where one tells all."""
    return np.asarray(np.abs(r_regression(table, truth)))


def _cross_validate(
    classifier: Any, known: NDArray[np.float64], truth: NDArray[np.int64]
) -> NDArray[np.float64]:
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # a column may be constant in a fold
        chances = cross_val_predict(classifier, known, truth, cv=FOLDS, method='predict_proba')
    return np.asarray(chances[:, 1])


def _fit(classifier: Any, known: NDArray[np.float64], truth: NDArray[np.int64]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return classifier.fit(known, truth)
