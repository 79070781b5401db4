"""The curves behind the scores of a model: ROC, precision and recall, predicted against real.

In go the true targets of test rows and a model's predictions. Out come few points per curve, in a
table. The points are fixed or means over rows, so no point is one test row.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import precision_recall_curve, roc_curve

from sdv_threea.report.distributions import FEWEST

#: The values of ``x`` at which the curves of a classifier are traced.
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
    """Trace ROC and precision by recall, each as the mean over classes against the rest.

    Args:
        labels: The true class of each row, shape (n,).
        probabilities: The probability of each class by a model, shape (n, classes).
        classes: The classes to average over. One that no row has, or all rows, is left out.

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
    """Average predictions over groups of rows with similar true numbers, about equally large.

    Args:
        truth: The true numbers, shape (n,).
        predicted: The predictions of a model, shape (n,).

    Returns:
        Columns ``curve``, ``x`` (the mean of a group's true numbers) and ``y`` (the mean of its
        predictions) for at most 20 groups. Groups of fewer than five rows are left out.
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
    """Return the precision at each point of recall, as a step function.

    The precision at a recall is that of the next point to the right, as in average precision.
    """
    precision, recall, _ = precision_recall_curve(truth, scores)
    precision, recall = precision[::-1], recall[::-1]
    told: NDArray[np.float64] = precision[np.searchsorted(recall, RATES).clip(max=len(recall) - 1)]
    return told
