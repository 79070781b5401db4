import math
from functools import partial

import pytest

from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.questions import THRESHOLDS, ask_questions, find_blanks, split_delta
from sdv_threea.domain import Category, Domain, Number

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
        'steps': ['rough', 'blank'],
        'classes': ['label'],
        'categories': ['open'],
        'spikes': ['rough', 'blank'],
        'ranges': ['rough', 'blank'],
    }


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
