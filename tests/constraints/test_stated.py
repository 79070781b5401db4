"""Formulas, and values that others fix: stated, checked, left out of the model and put back."""

import described
import numpy as np
import pandas as pd
import pytest
from sdv.cag import Inequality
from sdv.cag._errors import ConstraintNotMetError

from sdv_threea.constraints import Formula, IfThen
from sdv_threea.constraints.constraint_set import ConstraintSet
from sdv_threea.constraints.derivations import Derivations
from sdv_threea.constraints.expressions import FormulaError, parse
from sdv_threea.constraints.rules import choose_result
from sdv_threea.domain import Domain, Number
from sdv_threea.storage.metadata import describe
from sdv_threea.storage.reading import take_table

NUMBER, DATE = {'sdtype': 'numerical'}, {'sdtype': 'datetime', 'datetime_format': '%d.%m.%Y'}
COLUMNS = {
    **dict.fromkeys(['net', 'tax', 'total', 'stay', 'wage', 'age'], NUMBER),
    **dict.fromkeys(['admitted', 'left'], DATE),
    **dict.fromkeys(['employed', 'branch'], {'sdtype': 'categorical'}),
}
DAY = dict.fromkeys(['admitted', 'left'], 86_400.0) | {'stay': 1.0}
METADATA = described.describe(COLUMNS)
TABLE = pd.DataFrame(
    {
        'net': [10.1, 20.0, None],
        'tax': [2.02, 0.07, 3.0],
        'total': [12.12, 20.07, 5.0],
        'stay': [3, 0, 1],
        'wage': [0.0, 1200.0, 700.0],
        'age': [12, 40, 30],
        'admitted': ['28.02.2024', '01.01.1999', '05.05.2020'],
        'left': ['02.03.2024', '01.01.1999', '06.05.2020'],
        'employed': ['no', 'yes', None],
        'branch': [None, 'shop', 'farm'],
    }
)
RULES = [
    Formula('total', 'net + tax'),
    Formula('stay', 'left - admitted'),
    IfThen('employed', {'wage': 0, 'branch': None}, if_values=['no']),
    IfThen('age', {'wage': [0, 1]}, if_range=[None, 14], only_if=True),
]


def make(*rules):
    constraints = ConstraintSet(METADATA)
    constraints.add(list(rules), TABLE)
    return constraints


def derive(*rules, target=None):
    return make(*rules).derive(describe(COLUMNS, target=target))


@pytest.mark.parametrize('rule', RULES, ids=repr)
def test_valid_rows_pass_and_others_are_told_without_a_value(rule):
    constraints = make(rule)
    constraints.check(take_table({'t': TABLE}, 't', COLUMNS))
    broken = TABLE.assign(total=99.5, stay=77, wage=1000.0)
    broken.loc[0, 'branch'] = 'secret'
    assert 0 not in constraints.drop_broken(broken).index
    with pytest.raises(ConstraintNotMetError, match='break the constraint') as error:
        constraints.check(take_table({'t': broken}, 't', COLUMNS))
    assert not any(each in str(error.value) for each in ('99', '77', 'secret'))


@pytest.mark.parametrize(
    ('make_rule', 'problem'),
    [
        (lambda: Formula('total', 'net ** 2'), 'has columns'),
        (lambda: Formula('total', 'total + net'), 'must not contain'),
        (lambda: Formula('total', 'net', decimals=-1), '`decimals`'),
        (lambda: make(Formula('total', 'net + nothing')), 'no columns'),
        (lambda: make(Formula('total', 'net + branch')), 'neither'),
        (lambda: IfThen('employed', {}, if_values=['no']), '`then_values`'),
        (lambda: IfThen('employed', {'wage': 0}), 'one of'),
        (lambda: make(IfThen('employed', {'wage': 0}, if_range=[1, 2])), 'needs a number'),
        (lambda: make(IfThen('left', {'wage': 0}, if_values=['01.01.1999'])), 'category or a'),
    ],
)
def test_rules_that_cannot_be_are_refused(make_rule, problem):
    with pytest.raises((ValueError, ConstraintNotMetError), match=problem):
        make_rule()


def test_what_follows_is_left_out_of_the_model_and_comes_back():
    derivations = derive(*RULES[:2], Formula('tax', '0.2 * net', decimals=2))
    kept = set(derivations.derived.names)

    assert kept == set(COLUMNS) - {'total', 'left', 'tax'}
    numbers = {name: Number(name=name, low=0, high=9e8, step=0.01) for name in kept}
    numbers |= {'stay': Number(name='stay', low=0, high=9, step=1.0)}
    numbers |= {'admitted': Number(name='admitted', low=0, high=8e8, step=86_400.0)}
    released = Domain(tuple(numbers.values()))
    sampled = pd.DataFrame({name: [86_400.0 * 3, 86_400.0] for name in kept})
    sampled = sampled.assign(net=[10.1, np.nan], stay=[2.0, 5.0])
    back = derivations.back(sampled, released)

    assert back['tax'].tolist()[0] == 2.02 and back['total'].tolist()[0] == 12.12
    assert back[['tax', 'total']].loc[1].isna().all()
    assert (back['left'] / 86_400).tolist() == [5.0, 6.0]
    restored = derivations.restore(released)
    assert (restored['left'].low, restored['left'].high) == (0.0, 8e8 + 9 * 86_400)
    assert (restored['left'].step, restored['total'].step) == (86_400.0, 0.01)


@pytest.mark.parametrize(
    ('rules', 'target', 'left_out'),
    [
        ([Formula('total', 'net + tax')], 'total', {'net'}),
        ([Formula('stay', 'left - admitted'), Inequality('admitted', 'left')], None, {'stay'}),
        ([Formula('net', 'tax * 2'), Formula('tax', 'net / 2')], None, {'tax'}),
        ([Formula('net', 'total - tax'), Formula('wage', 'total * 2')], None, {'total', 'wage'}),
    ],
    ids=['a sum', 'a difference in order', 'a circle', 'two of one column'],
)
def test_one_column_of_each_formula_is_left_out(rules, target, left_out):
    derivations = derive(*rules, target=target)
    out = {name for outcome in derivations.outcomes for name in outcome.replaced}

    assert out == left_out
    assert not out & set(derivations.derived.names)


def test_known_results_are_solved_for_a_column_that_they_follow_from():
    rules = Formula('tax', '0.2 * net', decimals=2), Formula('total', 'net + tax')
    derivations = derive(*rules, Formula('stay', 'left - admitted'), Formula('wage', 'age * 3'))
    kept = derivations.derived.names
    released = Domain(
        tuple(Number(name=name, low=0, high=9e8, step=DAY.get(name, 0.01)) for name in kept)
    )
    drawn = pd.DataFrame({name: [86_400.0 * 4] * 3 for name in kept}).assign(net=[9.0, 50.0, 80.0])
    left = np.array([86_400.0 * 9, np.nan, np.nan])
    # No net price and its rounded tax add up to 123.45.
    known = pd.DataFrame({'total': [12.12, np.nan, 123.45], 'left': left, 'wage': 21.0})
    found = derivations.solve(drawn, known, released)

    np.testing.assert_allclose(found['net'], [10.1, 50.0, np.nan])
    np.testing.assert_allclose(found['age'], [7.0] * 3)
    moved = derivations.back(drawn.assign(**found), released)
    assert moved['total'].tolist()[0] == 12.12 and moved['left'].tolist()[0] == left[0]
    ends = derivations.bound(known, released)
    assert ends['age'].tolist() == [[7.0, 7.0]] * 3


def test_a_difference_is_modelled_and_a_rounded_result_is_computed():
    names = ['c', 'a', 'b']
    expression = Formula('c', 'a - b').expression
    assert choose_result('c', expression, None, names) == 'a'
    assert choose_result('c', expression, 0, names) == 'c'
    assert choose_result('c', Formula('c', 'a / b').expression, None, names) == 'c'
    assert choose_result('c', expression, 0, ['a', 'b']) is None


def test_fixed_values_are_written_and_reserved_ones_replaced():
    derivations = derive(*RULES[2:])
    rows = {'employed': ['no', 'yes', 'yes', 'yes'], 'branch': ['shop', 'farm', None, 'shop']}
    numbers = {'wage': [50.0, 60.0, 0.0, 1.0], 'age': [40.0, 40.0, 30.0, 10.0]}
    cells = {name: np.array(each, dtype=object) for name, each in rows.items()}
    cells |= {name: np.array(each) for name, each in numbers.items()}
    found = dict(cells)
    for outcome in derivations.outcomes:
        found |= outcome.apply(found, {})

    assert found['branch'].tolist() == [None, 'farm', None, 'shop']
    # The child's 1 is allowed, and 0 is that of children only: another adult's wage replaces it.
    assert found['wage'].tolist() == [60.0, 60.0, 60.0, 1.0]
    assert isinstance(derivations, Derivations) and set(derivations.derived.names) == set(COLUMNS)


VALUES = {'a': np.array([3.0, 0.5]), 'b': np.array([-2.0, 4.0]), 'net price': np.array([8.0, 2.0])}


@pytest.mark.parametrize(
    ('text', 'result'),
    [
        ('a + b', [1.0, 4.5]),
        ('a - (b - `net price`)', [13.0, -1.5]),
        ('-a * 2 + +b', [-8.0, 3.0]),
        ('`net price` / a / 2', [8 / 6, 2.0]),
        ('1e1 - a', [7.0, 9.5]),
    ],
)
def test_what_is_computed_leads_back_to_each_column(text, result):
    expression = parse(text)
    np.testing.assert_allclose(expression.evaluate(VALUES), result)
    for name in expression.names:
        known = {**VALUES, 'result': expression.evaluate(VALUES)}
        np.testing.assert_allclose(expression.solve(name, 'result').evaluate(known), VALUES[name])
        rng = np.random.default_rng(0)
        ends = {each: np.sort(rng.uniform(1, 9, (1, 2))) for each in expression.names}
        inside = {each: rng.uniform(*own[0], 99) for each, own in ends.items()}
        low, high = expression.bound(ends)[0]
        assert low <= expression.evaluate(inside).min() <= expression.evaluate(inside).max() <= high


def test_a_divisor_that_may_be_zero_bounds_nothing():
    found = parse('a / b').bound({'a': np.array([[1.0, 2]]), 'b': np.array([[-1.0, 1]])})
    assert found.tolist() == [[-np.inf, np.inf]]


@pytest.mark.parametrize(
    'text',
    ['', '3', 'a +', 'a ** b', 'f(a)', 'a.b.c', 'a if b else c', '"a"', 'a < b', '1e999 * a', '`a'],
)
def test_anything_else_is_refused(text):
    with pytest.raises(FormulaError):
        parse(text)
