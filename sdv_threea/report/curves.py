"""The curves behind the scores of a model: ROC, precision and recall, predicted against real.

In go the true targets of test rows and the predictions of a model. Out come a few points per curve.
The points are fixed or means over rows, so no point is one test row.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import precision_recall_curve, roc_curve

from sdv_threea.report.distributions import FEWEST

#: The values of ``x`` in the curves of a classifier.
RATES = np.linspace(0, 1, 101)

#: Predicted numbers are averaged over at most this many groups of at least ``FEWEST`` rows each.
MOST_GROUPS = 20

ROC, PRECISION, REGRESSION = 'ROC', 'precision and recall', 'predicted and real'

#: The names of the two axes, ``x`` and ``y``, of each curve.
AXES = {
    ROC: ('false positive rate', 'true positive rate'),
    PRECISION: ('recall', 'precision'),
    REGRESSION: ('real', 'predicted, mean'),
}


def trace_classes(
    labels: NDArray[np.intp], probabilities: NDArray[np.float64], classes: Iterable[int]
) -> pd.DataFrame:
    """Return ROC and precision-recall curves, each averaged over classes against the rest.

    Args:
        labels: The true class of each row, shape (n,).
        probabilities: The predicted probability of each class, shape (n, classes).
        classes: The classes to average over. A class that no row has, or all rows, is left out.

    Returns:
        Columns ``curve``, ``x`` and ``y`` at 101 values of ``x``; empty if all classes are left
        out.
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
    return pd.concat([_points(ROC, RATES, rates), _points(PRECISION, RATES, precisions)])


def trace_regression(truth: NDArray[np.float64], predicted: NDArray[np.float64]) -> pd.DataFrame:
    """Return mean predictions of groups of rows with similar true numbers, about equally large.

    Returns:
        Columns ``curve``, ``x`` (the mean true number of a group) and ``y`` (its mean prediction),
        for at most 20 groups of at least five rows.
    """
    ranks = pd.Series(truth).rank(method='average')
    bins = np.ceil(ranks / len(truth) * min(MOST_GROUPS, max(len(truth) // FEWEST, 1)))
    means = pd.DataFrame({'x': truth, 'y': predicted}).groupby(bins.to_numpy())
    told = means.mean()[means.size() >= FEWEST]
    return _points(REGRESSION, told['x'].to_numpy(), told['y'].to_numpy())


def _points(curve: str, x: NDArray[np.float64], y: NDArray[np.float64]) -> pd.DataFrame:
    return pd.DataFrame({'curve': curve, 'x': x, 'y': y})


def _trace_rates(truth: NDArray[np.bool_], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the true positive rate at each point of the false positive rate."""
    false, true, _ = roc_curve(truth, scores)
    rates: NDArray[np.float64] = np.interp(RATES, false, true)
    rates[0] = 0.0
    return rates


def _trace_precision(truth: NDArray[np.bool_], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the precision at each recall: that of the next point, as in average precision."""
    precision, recall, _ = precision_recall_curve(truth, scores)
    precision, recall = precision[::-1], recall[::-1]
    told: NDArray[np.float64] = precision[np.searchsorted(recall, RATES).clip(max=len(recall) - 1)]
    return told
