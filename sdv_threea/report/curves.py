"""The curves behind the scores of a model: ROC, precision and recall, predicted against real.

In go the true targets of test rows and a model's predictions. Out come few points per curve, in a
table, and pictures of them. The points are fixed or means over rows, so no point is one test row.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray
from sklearn.metrics import precision_recall_curve, roc_curve

from sdv_threea.report.distributions import FEWEST
from sdv_threea.report.figures import REAL_COLOR, RULE, SYNTHETIC_COLOR, styled

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

CURVE_HEIGHT = 300


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


def draw_curves(curves: pd.DataFrame) -> dict[str, go.Figure]:
    """Draw the curves of both models on top of each other.

    Args:
        curves: ``curve``, ``trained on`` (``real`` or ``synthetic``), ``x`` and ``y``; not empty.

    Returns:
        A picture for each curve, by its name. It has the diagonal where that stands for guessing
        or for exact predictions.
    """
    return {name: _draw_curve(points, name) for name, points in curves.groupby('curve', sort=False)}


def _draw_curve(points: pd.DataFrame, name: str) -> go.Figure:
    figure = go.Figure()
    if name != PRECISION:
        ends = [points[['x', 'y']].min().min(), points[['x', 'y']].max().max()]
        line = {'color': RULE, 'dash': 'dot'}
        figure.add_scatter(x=ends, y=ends, mode='lines', line=line, hoverinfo='skip')
    for trained, color in (('real', REAL_COLOR), ('synthetic', SYNTHETIC_COLOR)):
        chosen = points[points['trained on'] == trained]
        figure.add_scatter(
            x=chosen['x'],
            y=chosen['y'],
            name=trained,
            mode='lines',
            line={'color': color, 'width': 2.5},
            hovertemplate='%{x:.3g}: %{y:.3g}',
        )
    figure = styled(figure, height=CURVE_HEIGHT)
    across, up = AXES[name]
    figure.update_xaxes(title_text=across)
    return figure.update_yaxes(title_text=up)


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
