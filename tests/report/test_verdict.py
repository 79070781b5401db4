"""Grades between chance and real rows, and the sentences that follow from them."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from described import describe

from sdv_threea.report import make_report
from sdv_threea.report.verdict import Grade, Verdict


def grade(synthetic, **more):
    told = {'name': 'AUC', 'use': 'models', 'real': 0.9, 'chance': 0.5} | more
    return Grade(synthetic=synthetic, **told)


@pytest.mark.parametrize(
    ('score', 'word'),
    [
        (0.95, 'like real rows'), (0.897, 'like real rows'), (0.87, 'good'), (0.8, 'fair'),
        (0.6, 'poor'), (0.5, 'no better than chance'), (0.3, 'no better than chance'),
        (math.nan, 'no better than chance'),
    ],
)  # fmt: skip
def test_a_score_is_graded_by_how_far_it_is_from_chance_to_real_rows(score, word):
    assert grade(score).word == word
    # Errors are graded alike, where less is better.
    assert grade(1 - score, real=0.1, chance=0.5).word == word


def test_a_grade_near_a_border_names_both_sides():
    """The band is how far two of three fits of the same table go."""
    assert grade(0.855).word == 'fair to good'
    assert grade(0.5 + 0.4 * 0.62).word == 'poor to fair'
    assert not grade(0.855).is_good
    assert not grade(0.5 + 0.4 * 0.62).is_useless
    headline = Verdict(grades=(grade(0.855), grade(0.5 + 0.4 * 0.75))).headline
    assert '(between fair and good)' in headline
    assert '(fair)' in headline


def test_many_times_the_impossible_rows_of_real_ones_are_not_good():
    told = {'real': 0.0005, 'chance': 0.5, 'share': True, 'least': 1e-4}
    words = [grade(0.0005 * times, **told).word for times in (1, 1.5, 5, 40)]
    assert words == ['like real rows', 'good', 'fair', 'poor']
    # A table without any such row is compared with one row.
    assert grade(1e-4, **told | {'real': 0.0}).word == 'like real rows'


def test_where_real_rows_err_more_than_chance_there_is_nothing_to_tell():
    assert grade(0.2, real=0.1, chance=0.09, error=True).word == 'nothing to tell'
    assert grade(0.2, real=0.09, chance=0.1, error=True).word == 'no better than chance'


COLUMNS = {
    'colour': {'sdtype': 'categorical'},
    'shade': {'sdtype': 'categorical'},
    'size': {'sdtype': 'numerical'},
    'note': {'sdtype': 'categorical'},
}
LOSSES = pd.DataFrame(
    {'loss': ['values', ''], 'share': [0.1, 0.0], 'said': ['Two values are lost.', 'Nothing.']},
    index=['shade', 'size'],
)

METADATA = describe(COLUMNS, 'things')


def make_things(rng, related=True, size=1500):
    colour = rng.choice(3, size, p=[0.6, 0.3, 0.1])
    shade = colour if related else rng.permutation(colour)
    return pd.DataFrame(
        {
            'colour': [f'colour {at}' for at in colour],
            'shade': [f'shade {at}' for at in shade],
            'size': rng.normal(shade, 0.5),
            'note': rng.choice(['x', 'y'], size, p=[0.8, 0.2]),
        }
    )


def report(rng, synthetic, **more):
    promise = {'epsilon': 1.0, 'delta': 1e-6, 'mu': 0.2355, 'public': ['column names']}
    synthesizer = SimpleNamespace(
        get_privacy_statement=lambda: SimpleNamespace(to_dict=lambda: promise),
        get_losses=lambda: LOSSES,
    )
    return make_report(make_things(rng), synthetic, METADATA, synthesizer=synthesizer, **more)


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def test_other_real_rows_get_the_best_verdict(rng):
    told = report(rng, make_things(rng), test=make_things(rng), target='shade').verdict

    assert {each.word for each in told.grades} <= {'like real rows', 'good'}
    assert told.bad == ()
    assert told.headline.startswith('Good for training models that predict shade')
    assert told.advice == ()


def test_lost_relations_are_told_with_what_to_do(rng):
    verdict = report(rng, make_things(rng, related=False)).verdict

    words = {each.name: each.word for each in verdict.grades}
    assert words['Error of single columns'] == 'like real rows'
    assert words['Error of pairs of columns'] in ('poor', 'no better than chance')
    assert words['Impossible rows'] == 'no better than chance'
    assert 'Not for relations between two columns' in verdict.headline
    advice = ' '.join(verdict.advice)
    for wanted in ('colour with shade', 'public_metadata=True', 'more than ε = 1', "as 'test'"):
        assert wanted in advice


def test_columns_that_lost_something_are_named(rng):
    synthetic = make_things(rng)
    synthetic['note'] = None
    synthetic['size'] = 0.5
    synthetic['colour'] = synthetic['colour'].replace({'colour 2': 'colour 1'})
    lost = ' '.join(report(rng, synthetic).verdict.lost)

    assert lost.startswith('shade: Two values are lost.')
    assert 'Nothing.' not in lost
    assert 'No synthetic row has a value in note: everything is missing there.' in lost
    assert 'the same value, or interval, in size.' in lost
    assert 'Values of at least 2% of the real rows never occur in colour.' in lost
