"""The curves behind the scores of a model: ROC, precision and recall, calibration.

Input: the true targets of test rows and the predictions of a model. Output: a few points per curve.
The points are fixed or means over rows, so no point is one test row.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import precision_recall_curve, roc_curve

from sdv_threea.arrays import Bools, Floats
from sdv_threea.report.distributions import FEWEST

#: The values of ``x`` in the curves of a classifier.
RATES = np.linspace(0, 1, 101)

#: Predicted numbers are averaged over at most this many groups of at least ``FEWEST`` rows each.
MOST_GROUPS = 20

ROC, PRECISION, REGRESSION = 'ROC', 'precision and recall', 'predicted and real'
CALIBRATION = 'calibration'

#: Predicted probabilities are cut here before log odds are taken.
LEAST_CHANCE = 1e-4

#: The names of the two axes, ``x`` and ``y``, of each curve.
AXES = {
    ROC: ('false positive rate', 'true positive rate'),
    PRECISION: ('recall', 'precision'),
    REGRESSION: ('real', 'predicted, mean'),
    CALIBRATION: ('predicted probability', 'share of real rows'),
}


def trace_classes(
    labels: NDArray[np.intp], probabilities: Floats, classes: Iterable[int]
) -> pd.DataFrame:
    """Return ROC and precision-recall curves, each averaged over classes against the rest.

    Returns:
        Columns ``curve``, ``x`` and ``y``: ROC and precision at 101 values of ``x``, and the
        calibration of all classes together; empty if all classes are left out.
    """
    sides = [
        (labels == label, probabilities[:, label])
        for label in classes
        if 0 < np.count_nonzero(labels == label) < len(labels)
    ]
    if not sides:
        return pd.DataFrame()
    rates = np.mean([_trace_rates(*side) for side in sides], axis=0)
    precisions = np.mean([_trace_precision(*side) for side in sides], axis=0)
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

    Below 1 predictions are too sure, above 1 not sure enough; NaN if the rows have one class only.
    Several classes are taken together, each against the rest.
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
    """Return the means of groups of rows with similar ``x``, at least ``FEWEST`` rows each."""
    ranks = pd.Series(x).rank(method='average')
    bins = np.ceil(ranks / len(x) * min(MOST_GROUPS, max(len(x) // FEWEST, 1)))
    means = pd.DataFrame({'x': x, 'y': y}).groupby(bins.to_numpy())
    told = means.mean()[means.size() >= FEWEST]
    return _points(curve, told['x'].to_numpy(), told['y'].to_numpy())


def _points(curve: str, x: Floats, y: Floats) -> pd.DataFrame:
    return pd.DataFrame({'curve': curve, 'x': x, 'y': y})


def _trace_rates(truth: Bools, scores: Floats) -> Floats:
    """Return the true positive rate at each point of the false positive rate."""
    false, true, _ = roc_curve(truth, scores)
    rates: Floats = np.interp(RATES, false, true)
    rates[0] = 0.0
    return rates


def _trace_precision(truth: Bools, scores: Floats) -> Floats:
    """Return the precision at each recall: that of the next point, as in average precision."""
    precision, recall, _ = precision_recall_curve(truth, scores)
    precision, recall = precision[::-1], recall[::-1]
    told: Floats = precision[np.searchsorted(recall, RATES).clip(max=len(recall) - 1)]
    return told
