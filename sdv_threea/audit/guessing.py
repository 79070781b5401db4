"""The observer: it learns from half of the runs to tell two tables apart, and guesses the rest."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, r_regression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer
from sklearn.tree import DecisionTreeClassifier

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.audit.bounds import Guesses

#: The most features of the linear classifier: those with the largest correlation.
MAX_FEATURES = 200

#: A feature is used if at least this many runs have it: a word that only one run has predicts
#: nothing.
LEAST_SEEN = 3

#: The most thresholds that are tried.
NUM_THRESHOLDS = 200

#: Folds of the cross-validation that chooses classifier and threshold.
FOLDS = 5

#: Maps guesses to a lower bound.
Bound = Callable[[Guesses], float]


def guess(
    observed: Sequence[Mapping[str, float]],
    worlds: Wholes,
    bounds: Mapping[str, Bound],
    rng: np.random.Generator,
) -> dict[str, Guesses]:
    """Learn from the first half of the runs, and guess the coins of the second half.

    ``observed`` has the features of each run; ``worlds`` is 1 for runs with the canary and 0 for
    others. There are three classifiers: a linear one for a signal that is spread over many numbers,
    a small tree for a signal in one number, and a forest for anything between. For each bound,
    cross-validation on the first half chooses the classifier and the threshold with the largest
    bound.

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
    scores = [_cross_validate(each, known, truth) for each in classifiers]
    final = [_fit(each, known, truth).predict_proba(table[half:])[:, 1] for each in classifiers]
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
    """Return features, shape (runs, features): 0 where a run has none; constants are left out."""
    names: dict[str, int] = {}
    for each in observed[:half]:
        for name in each:
            names[name] = names.get(name, 0) + 1
    kept = [name for name, count in names.items() if count >= LEAST_SEEN]
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


def _cross_validate(classifier: Any, known: Floats, truth: Wholes) -> Floats:
    """Return a classifier's probability of the canary in runs that it did not learn from."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # a column may be constant in a fold
        chances = cross_val_predict(classifier, known, truth, cv=FOLDS, method='predict_proba')
    return np.asarray(chances[:, 1])


def _fit(classifier: Any, known: Floats, truth: Wholes) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return classifier.fit(known, truth)
