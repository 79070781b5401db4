"""What a budget buys: Adult at several sizes and epsilons, measured, and drawn.

    python docs/budgets.py

writes the runs to ``docs/budgets.csv``; ``docs/make_pictures.py`` draws them.
"""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go

from sdv_threea import ClustMixSynthesizer
from sdv_threea.datasets import load_adult
from sdv_threea.pages.plots import INK
from sdv_threea.report import train_synthetic_test_real
from sdv_threea.report.epsilons import styled

RUNS = Path(__file__).with_suffix('.csv')

SIZES = (1_000, 3_000, 10_000, 32_561)
EPSILONS = (0.3, 1.0, 3.0, 8.0, math.inf)
REPEATS = 3
DELTA = 1e-6

#: Where the picture has room for an infinite epsilon, on its logarithmic axis.
INFINITE = 24.0

COLORS = ('#bfdde2', '#7fbac4', '#3f96a5', '#0b7285')


def measure() -> pd.DataFrame:
    """Fit, sample as many rows, train LightGBM on them and test it on the real test part."""
    adult, test, metadata = load_adult()
    runs = []
    for size in SIZES:
        for repeat in range(REPEATS):
            part = adult.sample(size, random_state=repeat)
            for epsilon in EPSILONS:
                synthesizer = ClustMixSynthesizer(
                    metadata,
                    epsilon=epsilon,
                    delta=DELTA,
                    target_column='income',
                    accept='noise',
                )
                synthesizer.fit({'adult': part})
                synthetic = synthesizer.sample(num_rows=size)['adult']
                scores = train_synthetic_test_real(part, synthetic, test, 'income')['AUC'].round(4)
                run = {'rows': size, 'repeat': repeat, 'epsilon': epsilon}
                runs.append({**run, 'AUC': scores['synthetic'], 'AUC of real data': scores['real']})
    return pd.DataFrame(runs)


def draw_budgets() -> go.Figure:
    """Draw the medians: a line per size, and what the real rows of each size are worth."""
    medians = pd.read_csv(RUNS).groupby(['rows', 'epsilon']).median()
    figure = go.Figure()
    for size, color in zip(SIZES, COLORS, strict=True):
        line = medians.loc[size].rename(index={math.inf: INFINITE})
        style = {'line': {'color': color, 'width': 2}, 'marker': {'size': 7}}
        drawn = go.Scatter(x=line.index, y=line['AUC'], name=f'{size:,} rows', **style)
        figure.add_trace(drawn.update(mode='lines+markers'))
    real = medians['AUC of real data'].groupby('rows').median()
    style = {'symbol': 'diamond', 'size': 8, 'color': COLORS, 'line': {'color': INK, 'width': 1}}
    drawn = go.Scatter(x=[INFINITE * 1.25] * len(real), y=real, marker=style, mode='markers')
    figure.add_trace(drawn.update(name='trained on real rows'))
    figure = styled(figure, height=340)
    ticks = {'tickvals': [*EPSILONS[:-1], INFINITE], 'ticktext': ['0.3', '1', '3', '8', '∞']}
    figure.update_xaxes(type='log', title='ε', **ticks)
    figure.update_yaxes(title='AUC on real test rows', tickformat='.2f')
    legend = {'x': 0.98, 'xanchor': 'right', 'y': 0.04, 'yanchor': 'bottom'}
    return figure.update_layout(showlegend=True, legend=legend, width=640)


def main() -> None:
    """Measure, and keep the runs."""
    warnings.simplefilter('ignore', UserWarning)
    measure().to_csv(RUNS, index=False)


if __name__ == '__main__':
    main()
