"""The page of the benchmark says what is in its CSV, be it whole or not."""

from __future__ import annotations

import math

import pandas as pd
import pytest

INF = math.inf
PUBLIC = 'ClustMix, public metadata'


@pytest.fixture(scope='module')
def script(load_script):
    with load_script('utility_page') as module:
        yield module


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


def test_figures_are_medians_and_the_best_private_one_is_bold(script, read):
    lines = script.compare(read(*RUNS), 'score').splitlines()
    assert lines[2] == (
        '| compas (AUC) | .900 | .600 | .710 | **.750** | .500 | timed out | .850 |'
    )
    assert lines[3] == '| bike_sharing (R2) | .800 |  | **.600** |  | -.200 |  |  |'
    assert lines[0].endswith('| dpmm MST | CTGAN, *no privacy* |')


def test_normalised_utility(script, read):
    cells = read(*RUNS)
    assert script.look_up(cells, 'compas', PUBLIC, 1.0, 'normalised') == pytest.approx(0.21 / 0.4)
    assert script.look_up(cells, 'bike_sharing', PUBLIC, 1.0, 'normalised') == pytest.approx(0.75)
    assert math.isnan(script.look_up(cells, 'compas', PUBLIC, 8.0, 'normalised'))


def test_a_mean_is_over_all_large_tables_or_not_shown(script, read):
    real = [(table, 'real data', INF, 0.9) for table in script.LARGE]
    ours = [(table, 'ClustMix', 1.0, 0.7) for table in script.LARGE]
    ours[0] = (*ours[0][:3], 0.9)
    whole = read(*real, *ours)
    assert script.average(whole, 'ClustMix', 1.0) == pytest.approx((1 + 7 * 0.5) / 8)
    assert '| **mean** | **.562** |' in script.write_normalised(whole, numeric=False)
    better = read(*real, *ours[1:], (*ours[0][:3], 1.0))
    table = script.write_normalised(better, numeric=False)
    assert '| **mean** | **.594** |\n| mean, none above 1 | .562 |' in table

    for part in (read(*real, *ours[1:]), read(*real, *ours[1:], (*ours[0][:3], 'died'))):
        assert '| **mean** | **–** |' in script.write_normalised(part, numeric=False)


def test_all_that_is_ahead_of_us_is_listed(script, read):
    text = script.write_losses(read(*RUNS))
    assert '| compas (AUC) | 1 | .710 | .700 to .800 | naive histograms .750 |' in text
    assert 'at 2 pairs' in text
    assert 'At 1 of them' in text
    assert 'bike_sharing' not in text


def test_a_rival_is_compared_on_the_tables_where_it_ends(script, read):
    cells = read(
        *RUNS,
        ('compas', 'dpmm MST', 8.0, 0.6),
        ('compas', PUBLIC, 8.0, 0.8),
        ('adult', 'dpmm MST', 8.0, 0.9),  # ours did not run there
    )
    text = script.write_rivals(cells)
    assert '| random mixing | .000 to .63' in text  # a tie at .6375
    assert '| dpmm MST | – | .250 to .750 (1) |' in text
    assert 'CTGAN' not in text


def test_a_failure_of_ours_is_a_loss(script, read):
    runs = ('compas', PUBLIC, 1.0, 'the process died'), ('compas', 'random mixing', 1.0, 0.4)
    assert '| 1 | died |  | random mixing .400 |' in script.write_losses(read(*runs))


def test_no_loss_is_said(script, read):
    text = script.write_losses(read(*[run for run in RUNS if run[1] != 'naive histograms']))
    assert 'None has a higher median' in text


def test_a_figure_says_of_how_many_runs_it_is(script, read):
    parts = script.list_parts(read(*RUNS, ('compas', 'ClustMix', 1.0, 'ValueError: a | b')))
    assert '| .600 (1 of 2) |' in parts['utility']


def test_ablations_are_measured_by_the_default_where_both_ran(script, read):
    text = script.write_ablations(
        read(
            ('compas', 'ClustMix', 1.0, 0.7),
            ('compas', '1 component', 1.0, 0.68),
            ('adult', 'ClustMix', 1.0, 0.9),
            ('adult', '1 component', 1.0, 0.91),
            ('mushroom', '1 component', 1.0, 0.9),
            ('bike_sharing', 'ClustMix', 1.0, 0.5),
            ('bike_sharing', '1 component', 1.0, 0.56),
        ),
        1.0,
    )
    assert '| 1 component | -.005 | +.060 | +.017 | 2 of 3 |' in text


@pytest.mark.parametrize('number', range(1, len(RUNS) + 1))
def test_partial_results_are_enough(script, read, number):
    cells = read(*RUNS[:number])
    assert not any('nan' in part for part in script.list_parts(cells).values())
    assert len(script.draw(cells).data) > 0


def test_the_picture_has_what_is_worse_than_guessing_at_the_bottom(script, read):
    runs = [run if run[1] != 'naive histograms' else (*run[:3], 0.3) for run in RUNS]
    lines = [line for line in script.draw(read(*runs)).data if line.name == 'naive histograms']
    assert [value for line in lines for value in line.y if value == value] == [0.5]
