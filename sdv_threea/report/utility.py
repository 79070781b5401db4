"""Scores on real data of models that were trained on synthetic data (TSTR).

LightGBM is trained at its defaults on the real table and on the synthetic table, and both models
are scored on real test rows, as in the 3A paper (Madl et al. 2023, section 4). The test rows are
used for nothing else: levels, labels and the kind of task come from the two training tables.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import ModuleType
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    r2_score,
    roc_auc_score,
    roc_curve,
    root_mean_squared_error,
)

from sdv_threea.arrays import Bools, Floats
from sdv_threea.errors import InputError
from sdv_threea.report.distributions import FEWEST

#: The values of ``x`` in the curves of a classifier.
RATES = np.linspace(0, 1, 101)

#: Predicted numbers are averaged over at most this many groups of at least ``FEWEST`` rows.
MOST_GROUPS = 20

ROC, PRECISION, REGRESSION = 'ROC', 'precision and recall', 'predicted and real'
CALIBRATION = 'calibration'

#: Predicted probabilities are clipped to this distance from 0 and 1 before log odds are taken.
LEAST_CHANCE = 1e-4

#: The names of the axes ``x`` and ``y`` of each curve.
AXES = {
    ROC: ('false positive rate', 'true positive rate'),
    PRECISION: ('recall', 'precision'),
    REGRESSION: ('real', 'predicted, mean'),
    CALIBRATION: ('predicted probability', 'share of real rows'),
}


Task = Literal['classification', 'regression']

#: A numerical target with more distinct values is regressed, unless ``task`` is given.
MOST_NUMERIC_CLASSES = 10

#: The scores of a classifier; the note on a model that cannot be trained or tested.
METRICS, NO_ROW = ('AUC', 'average precision', 'accuracy'), 'no row with a target'

#: The score of a model that guesses, by metric.
GUESSING = {'AUC': 0.5, 'R2': 0.0}

#: How often test rows are resampled to measure the variation of a score, and the fewest test rows
#: for that.
RESAMPLES, FEWEST_TESTED = 20, 10

#: LightGBM prints nothing and uses as many threads as OpenMP; by default it would use all cores.
QUIETLY: dict[str, Any] = {'n_jobs': 0, 'verbose': -1}


def trace_classes(
    labels: NDArray[np.intp], probabilities: Floats, classes: Iterable[int]
) -> pd.DataFrame:
    """Return ROC and precision-recall curves, each averaged over classes against the rest.

    Returns:
        Columns ``curve``, ``x`` and ``y``: ROC and precision at 101 values of ``x``, and the
        calibration of all classes together; empty if all classes are left out.
    """
    sides = list(_list_sides(labels, probabilities, classes))
    if not sides:
        return pd.DataFrame()
    rates, precisions = np.mean([_trace(*side) for side in sides], axis=0)
    truth, predicted = (np.concatenate(each) for each in zip(*sides, strict=True))
    return pd.concat(
        [
            _points(ROC, RATES, rates),
            _points(PRECISION, RATES, precisions),
            _average_groups(CALIBRATION, predicted, truth.astype(float)),
        ]
    )


def trace_regression(truth: Floats, predicted: Floats) -> pd.DataFrame:
    """Return mean predictions of groups of rows with similar true numbers, about equally large.

    Returns:
        Columns ``curve``, ``x`` (the mean true number of a group) and ``y`` (its mean prediction),
        for at most 20 groups of at least five rows.
    """
    return _average_groups(REGRESSION, truth, predicted)


def slope_of_classes(
    labels: NDArray[np.intp], probabilities: Floats, classes: Iterable[int]
) -> float:
    """Return the factor by which predicted log odds must be multiplied to fit the real rows.

    Below 1 predictions are too confident, above 1 not confident enough; NaN if all rows are of one
    class. Several classes are taken together, each against the rest.
    """
    classes = list(classes)
    truth = np.concatenate([labels == label for label in classes])
    chances = probabilities[:, classes].T.ravel().clip(LEAST_CHANCE, 1 - LEAST_CHANCE)
    odds = np.log(chances / (1 - chances))
    if len(np.unique(truth)) < 2 or np.ptp(odds) == 0:
        return np.nan
    fitted = LogisticRegression(C=np.inf).fit(odds[:, np.newaxis], truth)
    return float(fitted.coef_[0, 0])


def slope_of_numbers(truth: Floats, predicted: Floats) -> float:
    """Return the factor by which predicted numbers must be multiplied to fit the real rows."""
    spread = float(np.var(predicted))
    return float(np.cov(truth, predicted, bias=True)[0, 1] / spread) if spread > 0 else np.nan


def _average_groups(curve: str, x: Floats, y: Floats) -> pd.DataFrame:
    ranks = pd.Series(x).rank(method='average')
    bins = np.ceil(ranks / len(x) * min(MOST_GROUPS, max(len(x) // FEWEST, 1)))
    means = pd.DataFrame({'x': x, 'y': y}).groupby(bins.to_numpy())
    told = means.mean()[means.size() >= FEWEST]
    return _points(curve, told['x'].to_numpy(), told['y'].to_numpy())


def _points(curve: str, x: Floats, y: Floats) -> pd.DataFrame:
    return pd.DataFrame({'curve': curve, 'x': x, 'y': y})


def _trace(truth: Bools, scores: Floats) -> tuple[Floats, Floats]:
    false, true, _ = roc_curve(truth, scores)
    rates: Floats = np.interp(RATES, false, true)
    rates[0] = 0.0
    precision, recall, _ = precision_recall_curve(truth, scores)
    # The precision at a recall is that of the next point, as in average precision.
    places = np.searchsorted(recall[::-1], RATES).clip(max=len(recall) - 1)
    return rates, precision[::-1][places]


def _list_sides(
    labels: NDArray[np.intp], probabilities: Floats, classes: Iterable[int]
) -> Iterator[tuple[Bools, Floats]]:
    """Yield the rows and probabilities of each class, unless all rows or no row have the class."""
    for label in classes:
        truth = labels == label
        if 0 < np.count_nonzero(truth) < len(labels):
            yield truth, probabilities[:, label]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Utility:
    """Scores of models on real rows that they have not seen. Not differentially private.

    Args:
        scores: Result of :func:`train_synthetic_test_real`.
        curves: Points of the curves behind the scores (``curve``, ``trained on``, ``x``, ``y``):
            ROC, precision by recall, calibration, or predicted against real numbers; no single
            rows.
        spread: Standard deviation of the first score over resampled test rows, for the models of
            the ``real`` and of the ``synthetic`` rows.
        slopes: The factor by which predicted log odds (or numbers) must be multiplied to fit the
            test rows, for both models: below 1 predictions are too confident.
    """

    scores: pd.DataFrame
    curves: pd.DataFrame = field(default_factory=pd.DataFrame)
    spread: Mapping[str, float] = field(default_factory=dict)
    slopes: Mapping[str, float] = field(default_factory=dict)


def train_synthetic_test_real(
    real_train: pd.DataFrame,
    synthetic: pd.DataFrame,
    real_test: pd.DataFrame,
    target: str,
    task: Task | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Train LightGBM on the real and on the synthetic table, and score both on real test rows.

    Numbers and dates are used as they are. Every other column is a category, so drop keys and free
    text first. Rows without a target are left out. With two classes, the positive one is the rarer
    in ``real_train``. With more, AUC and average precision are means over the classes, each against
    the rest. If a training table has a single class, its model predicts that class for all rows
    (AUC 0.5). If it has no usable row, scores are NaN. The column ``note`` tells of both cases.

    Args:
        real_train: The table that the synthesizer was fitted on, shape (n, m).
        synthetic: Its synthetic counterpart, with the same columns.
        real_test: Real rows that neither model has seen, with the same columns.
        target: The column to predict.
        task: Whether to classify or to regress. By default a numerical target with more than ten
            distinct values in ``real_train`` is regressed, and any other target is classified.
        seed: Seed of LightGBM.

    Returns:
        Rows ``real`` and ``synthetic``; columns ``AUC``, ``average precision`` and ``accuracy``, or
        ``R2`` and ``RMSE`` (in units of the target), then ``note``.

    Raises:
        ValueError: If the target or another column is missing from a table.
        ImportError: If LightGBM is not installed.
    """
    return measure_utility(real_train, synthetic, real_test, target, task, seed).scores


def measure_utility(
    real_train: pd.DataFrame,
    synthetic: pd.DataFrame,
    real_test: pd.DataFrame,
    target: str,
    task: Task | None = None,
    seed: int = 0,
) -> Utility:
    """Return :func:`train_synthetic_test_real`'s scores, given its arguments, with curves."""
    tables = {'real': real_train, 'synthetic': synthetic, 'test': real_test}
    _check_columns(tables, target)
    tables = {name: table.dropna(subset=[target]) for name, table in tables.items()}
    features = _encode_features({name: t.drop(columns=target) for name, t in tables.items()})
    targets = {name: table[target] for name, table in tables.items()}
    score = _score_regressor if _kind(real_train[target], task) == 'regression' else _score_classes
    models = {name: score(features, targets, name, seed) for name in ('real', 'synthetic')}
    curves = [each.curves.assign(**{'trained on': name}) for name, each in models.items()]
    scores = {name: each.scores for name, each in models.items()}
    return Utility(
        spread={name: each.spread for name, each in models.items()},
        slopes={name: each.slope for name, each in models.items()},
        scores=pd.DataFrame.from_dict(scores, orient='index'),
        curves=pd.concat(curves, ignore_index=True),
    )


def _check_columns(tables: dict[str, pd.DataFrame], target: str) -> None:
    wanted = list(tables['real'].columns)
    if target not in wanted:
        raise InputError(f'The tables have no target column {target!r}; choose one of {wanted}.')
    for name, table in tables.items():
        if missing := [column for column in wanted if column not in table]:
            raise InputError(f'The {name} table lacks the columns {missing} of the real one.')


def _kind(target: pd.Series, task: Task | None) -> Task:
    numeric = pd.api.types.is_numeric_dtype(target) and not pd.api.types.is_bool_dtype(target)
    guess: Task = (
        'regression' if numeric and target.nunique() > MOST_NUMERIC_CLASSES else 'classification'
    )
    return task or guess


def _encode_features(tables: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return the features of all tables, under neutral names: LightGBM refuses some characters."""
    encoded: dict[str, dict[str, Any]] = {name: {} for name in tables}
    for position, column in enumerate(tables['real'].columns):
        encode = _choose_encoding(tables['real'][column], tables['synthetic'][column])
        for name, table in tables.items():
            encoded[name][f'column_{position}'] = encode(table[column])
    return {name: pd.DataFrame(columns) for name, columns in encoded.items()}


def _choose_encoding(real: pd.Series, synthetic: pd.Series) -> Callable[[pd.Series], Any]:
    """Return an encoding of a column: dates as seconds, numbers as they are, others as levels."""
    if pd.api.types.is_datetime64_any_dtype(real):
        start = pd.Timestamp('2000-01-01', tz='UTC')
        return lambda cells: (pd.to_datetime(cells, utc=True) - start).dt.total_seconds()
    if pd.api.types.is_numeric_dtype(real) and not pd.api.types.is_bool_dtype(real):
        return lambda cells: cells.to_numpy(float, na_value=np.nan)
    training = pd.concat([real.astype(object), synthetic.astype(object)])
    levels = sorted(training.dropna().unique(), key=str)
    return lambda cells: pd.Categorical(cells.astype(object), categories=levels)


class Scored(NamedTuple):
    """A model's scores on the test rows; without ``curves`` if it could not be trained."""

    scores: dict[str, Any]
    curves: pd.DataFrame
    spread: float = np.nan
    slope: float = np.nan


def _score_regressor(
    features: dict[str, pd.DataFrame], targets: dict[str, pd.Series], name: str, seed: int
) -> Scored:
    if not len(targets[name]) or not len(targets['test']):
        return Scored({'R2': np.nan, 'RMSE': np.nan, 'note': NO_ROW}, pd.DataFrame())
    model = _lightgbm().LGBMRegressor(random_state=seed, **QUIETLY)
    model.fit(features[name], targets[name].to_numpy(float))
    truth, found = targets['test'].to_numpy(float), model.predict(features['test'])
    scores = {
        'R2': r2_score(truth, found),
        'RMSE': root_mean_squared_error(truth, found),
        'note': '',
    }
    spread = _spread(r2_score, truth, found, seed)
    return Scored(scores, trace_regression(truth, found), spread, slope_of_numbers(truth, found))


def _score_classes(
    features: dict[str, pd.DataFrame], targets: dict[str, pd.Series], name: str, seed: int
) -> Scored:
    # Classes are sorted by falling frequency among the real rows: of two, the last is the rarer
    # one.
    counts = targets['real'].value_counts().sort_index(key=lambda levels: levels.astype(str))
    counts = counts.sort_values(ascending=False, kind='stable')
    extra = [label for label in targets['synthetic'].unique() if label not in counts]
    classes = pd.Index([*counts.index, *extra], dtype=object)
    labels = {key: classes.get_indexer(target.astype(object)) for key, target in targets.items()}
    if not min(len(counts), len(labels[name]), len(labels['test'])):
        return Scored({**dict.fromkeys(METRICS, np.nan), 'note': NO_ROW}, pd.DataFrame())
    probabilities = _class_probabilities(
        features[name], labels[name], features['test'], len(classes), seed
    )
    scored = range(len(counts)) if len(counts) > 2 else (len(counts) - 1,)
    absent = len(counts) - len(set(labels[name]) & set(range(len(counts))))
    truth = labels['test']
    auc = partial(_mean_over_classes, roc_auc_score, classes=scored)
    precision = _mean_over_classes(average_precision_score, truth, probabilities, scored)
    accuracy = float(np.mean(probabilities.argmax(axis=1) == truth))
    scores = dict(zip(METRICS, (auc(truth, probabilities), precision, accuracy), strict=True))
    note = f'{absent} of {len(counts)} classes never occur in it' if absent else ''
    spread = _spread(auc, truth, probabilities, seed)
    curves = trace_classes(truth, probabilities, scored)
    slope = slope_of_classes(truth, probabilities, scored)
    return Scored({**scores, 'note': note}, curves, spread, slope)


def _class_probabilities(
    train: pd.DataFrame, labels: NDArray[np.intp], test: pd.DataFrame, num_classes: int, seed: int
) -> Floats:
    """Return predicted probabilities, shape (test rows, classes); 0 for classes not trained on."""
    probabilities = np.zeros((len(test), num_classes))
    present = np.unique(labels)
    if len(present) == 1:
        probabilities[:, present] = 1.0
        return probabilities
    model = _lightgbm().LGBMClassifier(random_state=seed, **QUIETLY)
    probabilities[:, present] = model.fit(train, labels).predict_proba(test)
    return probabilities


def _mean_over_classes(
    metric: Any, labels: NDArray[np.intp], probabilities: Floats, classes: Any
) -> float:
    scores = [metric(*side) for side in _list_sides(labels, probabilities, classes)]
    return float(np.mean(scores)) if scores else np.nan


def _spread(metric: Any, truth: NDArray[Any], predicted: Floats, seed: int) -> float:
    rng, size = np.random.default_rng(seed), len(truth)
    if size < FEWEST_TESTED:
        return np.nan
    drawn = [rng.integers(size, size=size) for _ in range(RESAMPLES)]
    return float(np.nanstd([metric(truth[rows], predicted[rows]) for rows in drawn], ddof=1))


def _lightgbm() -> ModuleType:
    try:
        import lightgbm
    except ImportError as error:
        raise ImportError(
            'Measuring utility needs LightGBM: pip install "sdv-threea[report]".'
        ) from error
    return lightgbm
