import math
from functools import partial
from unittest.mock import ANY

import pytest

from sdv_threea.describe.constants import DescribeConstants
from sdv_threea.describe.questions import (
    THRESHOLDS,
    ask_questions,
    find_blanks,
    split_delta,
    suit_records,
)
from sdv_threea.domain import DECIMAL_STEPS, EVERY_STEP, TIME_STEPS, Category, Domain, Number

CONSTANTS = DescribeConstants()
ask_questions = partial(ask_questions, constants=CONSTANTS)

KNOWN = Number(name='known', low=0, high=9, step=1.0, nullable=False)
ROUGH = Number(name='rough', low=0, high=1e6, step=1.0, nullable=False)
BLANK = Number(name='blank')
LISTED = Category(name='listed', values=('a', 'b'), nullable=False)
OPEN = Category(name='open')
LABEL = Category(name='label', nullable=True)
COLUMNS = (KNOWN, ROUGH, BLANK, LISTED, OPEN, LABEL)


def ask(*columns, target=None, mu=1.0, neighbors='add_remove', noise=None):
    return ask_questions(Domain(columns, target), mu, neighbors, noise)


def test_each_blank_is_asked_for_and_nothing_else():
    asked = {
        name: [column.name for column in columns]
        for name, columns in find_blanks(Domain(COLUMNS, 'label')).items()
    }

    assert asked == {
        'nulls': ['blank', 'open'],
        'steps': ['blank'],
        'classes': ['label'],
        'categories': ['open'],
        'spikes': ['rough', 'blank'],
        'ranges': ['rough', 'blank'],
    }


def test_what_is_public_costs_nothing():
    assert ask(KNOWN, LISTED) == {}


def test_categories_are_looked_at_twice_if_there_are_several():
    one, two = ask(OPEN), ask(OPEN, Category(name='other'))

    assert 'rarer' not in one
    assert two['rarer'].columns == two['categories'].columns
    assert math.hypot(two['rarer'].mu, two['categories'].mu) == pytest.approx(
        math.hypot(*(each.mu for name, each in two.items() if name != 'nulls'))
    )
    assert two['rarer'].scale / two['rarer'].unit < two['categories'].scale


@pytest.mark.parametrize('mu', [0.01, 1.0, 40.0])
def test_the_prices_compose_to_the_price_of_all(mu):
    questions = ask(*COLUMNS, target='label', mu=mu)

    assert math.hypot(*(each.mu for each in questions.values())) == pytest.approx(mu, rel=1e-12)


def test_classes_get_their_share_among_hundreds_of_columns():
    """At epsilon 1 and delta 1e-5, two hundred records of a class stand out."""
    numbers = [Number(name=f'x{at}') for at in range(600)]
    questions = ask(*numbers, LABEL, target='label', mu=0.155)

    assert 5.2 * questions['classes'].scale + 3 * questions['classes'].scale < 200


def test_round_numbers_are_looked_for_where_records_are_many():
    """Not in times, nor in columns that come out of a transformer, which may add something."""
    moved, time = Number(name='moved', grid=(0.0, 1.0)), Number(name='time', steps=TIME_STEPS)
    questions = ask(BLANK, moved, time)
    enough = CONSTANTS.round_evidence * questions['steps'].scale

    many, few, unknown = (
        suit_records(questions, number, CONSTANTS) for number in (enough + 1, enough, None)
    )

    assert {**unknown, 'ranges': None} == {**questions, 'ranges': None, 'closer': ANY}
    changed = dict.fromkeys(('ranges', 'closer'))
    few, many, questions = ({**each, **changed} for each in (few, many, questions))
    found = [column.steps for column in many['steps'].columns]
    assert found == [EVERY_STEP, DECIMAL_STEPS, TIME_STEPS]
    assert few == questions
    assert suit_records(ask(KNOWN), 1e9, CONSTANTS) == {}
    assert {**many, 'steps': None} == {**questions, 'steps': None}, 'the price is the same'
    assert many['steps'].mu == questions['steps'].mu
    assert many['steps'].sensitivity == questions['steps'].sensitivity


def test_without_noise_no_question_has_any():
    questions = ask(*COLUMNS, target='label', mu=math.inf)

    assert {(each.mu, each.scale) for each in questions.values()} == {(math.inf, 0.0)}


def test_the_failure_probability_is_shared_by_what_needs_it():
    questions = ask(*COLUMNS, Category(name='other'), target='label')
    shares = split_delta(questions, 4e-6)

    assert shares == pytest.approx(dict.fromkeys(THRESHOLDS, 4e-6 / 4))
    assert list(shares) == list(THRESHOLDS)
    assert split_delta(ask(KNOWN, LISTED), 1e-6) == {}


def test_questions_know_the_records_of_a_unit_and_are_priced_for_one():
    domain = Domain(COLUMNS, 'label')
    one, many = (
        ask_questions(domain, 1.0, 'add_remove', None, rows_per_unit=each) for each in (1, 9)
    )

    assert {each.rows_per_unit for each in many.values()} == {9}
    assert [each.mu for each in many.values()] == [each.mu for each in one.values()]
    assert [each.sensitivity for each in many.values()] == [
        each.sensitivity for each in one.values()
    ]


def test_the_question_about_classes_gets_less_where_records_are_few():
    columns = tuple(Category(name=name) for name in 'abcdt')
    domain = Domain(columns, 't')
    terms = domain, 1.0, 'add_remove', None

    few, many = (ask_questions(*terms, num_records=size) for size in (600.0, 700.0))

    assert few['classes'].mu < many['classes'].mu
    assert few['categories'].mu > many['categories'].mu
    assert ask_questions(*terms)['classes'].mu == many['classes'].mu
