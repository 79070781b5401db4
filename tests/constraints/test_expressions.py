"""Arithmetic of columns: computed, solved, bounded, and nothing else read."""

import numpy as np
import pytest

from sdv_threea.constraints.expressions import FormulaError, parse

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
