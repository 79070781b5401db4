"""The page of the benchmark says what is in its CSV, be it whole or not."""

import math

import pandas as pd
import pytest
from scripts import script_fixture

INF = math.inf
PUBLIC = 'ClustMix, public metadata'


script = script_fixture('utility_page')


@pytest.fixture
def read(script):
    """Sum runs up: (table, method, epsilon, score or note) each."""
    return lambda *runs: script.sum_up(
        pd.DataFrame([list_run(at, *run) for at, run in enumerate(runs)])
    )


def list_run(repeat, table, method, epsilon, outcome):
    failed = isinstance(outcome, str)
    score, cost = (None, None) if failed else (outcome, repeat + 1.0)
    row = {'table': table, 'method': method, 'epsilon': epsilon, 'repeat': repeat, 'score': score}
    row |= {'AUC': score, 'R2': None} if table != 'bike_sharing' else {'AUC': None, 'R2': score}
    row |= dict.fromkeys(['quality', 'as SDV', 'fit_seconds', 'sample_seconds'], cost)
    return row | {'note': outcome if failed else None}


RUNS = [
    ('compas', 'real data', INF, 0.9),
    ('compas', 'ClustMix', 1.0, 0.6),
    ('compas', PUBLIC, 1.0, 0.7),
    ('compas', PUBLIC, 1.0, 0.8),
    ('compas', PUBLIC, 1.0, 0.71),
    ('compas', 'naive histograms', 1.0, 0.75),
    ('compas', 'random mixing', 1.0, 0.5),
    ('compas', 'dpmm MST', 1.0, 'PeerFailed: timed out after 900 s'),
    ('compas', 'CTGAN', INF, 0.85),
    ('bike_sharing', 'real data', INF, 0.8),
    ('bike_sharing', PUBLIC, 1.0, 0.6),
    ('bike_sharing', 'random mixing', 1.0, -0.2),
]


def test_normalised_utility(script, read):
    cells = read(*RUNS)
    assert script.look_up(cells, 'compas', PUBLIC, 1.0, 'normalised') == pytest.approx(0.21 / 0.4)
    assert script.look_up(cells, 'bike_sharing', PUBLIC, 1.0, 'normalised') == pytest.approx(0.75)
    assert math.isnan(script.look_up(cells, 'compas', PUBLIC, 8.0, 'normalised'))


def test_ablations_are_measured_by_the_default_where_both_ran(script, read):
    text = script.write_ablations(
        read(
            ('compas', 'ClustMix', 1.0, 0.7),
            ('compas', 'labels .25', 1.0, 0.68),
            ('adult', 'ClustMix', 1.0, 0.9),
            ('adult', 'labels .25', 1.0, 0.91),
            ('mushroom', 'labels .25', 1.0, 0.9),
            ('bike_sharing', 'ClustMix', 1.0, 0.5),
            ('bike_sharing', 'labels .25', 1.0, 0.56),
        ),
        1.0,
    )
    assert '| labels .25 | -.005 | +.060 | +.017 | 2 of 3 |' in text
