"""Pieces of pages: numbers in words, tables, lists, pictures."""

import math
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import sdv_threea
from sdv_threea.pages.fragments import (
    Html,
    escape,
    make_page,
    number,
    searchable,
    tabulate,
    write_page,
)
from sdv_threea.pages.plots import grids, histogram, levels, pair_map
from sdv_threea.pages.promise import is_promised, list_odds, share_stages, tell_promise


def draw(html):
    """The SVG elements of a piece of a page, read strictly."""
    return [ElementTree.fromstring(svg) for svg in re.findall(r'<svg.*?</svg>', html)]


@pytest.mark.parametrize(
    ('value', 'words'),
    [(math.nan, 'not defined'), (math.inf, 'infinite'), (1234.5, '1,234'), (0.25, '0.2500')],
)
def test_what_is_no_number_is_told_in_words(value, words):
    assert number(value) == words


def test_tables_name_each_cell_and_leave_out_what_is_empty():
    table = pd.DataFrame({'a_b': ['<i>', Html('<i>')], 'c': ['', '']}, index=['x', 'y'])
    html = tabulate(table, name='things')

    assert html.count('<td data-name="a b">&lt;i&gt;</td>') == 1
    assert html.count('<td data-name="a b"><i></td>') == 1
    assert '>c<' not in html
    assert 'aria-label="things"' in html


def test_steps_rise_to_the_largest_share():
    (svg,) = draw(histogram(np.array([0.5, 0.25]), np.array([0.0, 1.0]), ['0', '9'], 'by age'))

    assert svg.get('aria-label') == 'by age'
    area, line = (path.get('d') for path in svg)
    assert area == 'M0 50h1V75h1V100H0Z'
    assert line == 'M0 100h1V0h1'


def test_levels_have_bars_and_numbers_and_are_escaped():
    html = levels(['<b>', 'b'], real=np.array([0.5, 0.25]), synthetic=np.array([0.1, 0]))

    assert '&lt;b&gt;' in html
    assert 'width:100.0%' in html
    assert '50.0% · 10.0%' in html


def test_text_goes_into_html_by_one_door_alone():
    package = Path(sdv_threea.__file__).parent
    escaping = [path.name for path in package.rglob('*.py') if 'html import' in path.read_text()]
    assert escaping == []
    assert [p.name for p in package.rglob('*.py') if 'import html' in p.read_text()] == [
        'fragments.py'
    ]


@pytest.mark.parametrize('sign', ['\x1b', '\x07', '\u200e', '\u202e', '\u2069'])
def test_what_a_terminal_obeys_is_spelt_out(sign):
    assert escape(f'<{sign}>') == f'&lt;{ascii(sign)[1:-1]}&gt;'
    assert escape('naïve 你好 👩\u200d🔬\n') == 'naïve 你好 👩\u200d🔬\n'


def test_a_grid_is_dark_where_most_rows_are():
    real, synthetic = np.array([[1.0, 0.0]]), np.array([[0.25, 0.75]])
    drawn = grids(real, synthetic, ['down', 'across'], [['a'], ['b', 'c']])
    first, second = draw(drawn)

    assert [path.get('style') for path in first] == ['fill:rgba(var(--hue),1.00)']
    assert [path.get('d') for path in second] == ['M0 0h1v1h-1z', 'M1 0h1v1h-1z']
    assert second.get('viewBox') == '0 0 2 1'
    for label in ('>down<', '>across<', '<li>a</li>', '<li>c</li>', '100.0% of the rows'):
        assert label in drawn


def test_the_map_numbers_all_columns_and_leaves_the_diagonal():
    drawn = pair_map(['a', 'b'], np.array([[np.nan, 0.5], [0.5, np.nan]]))
    (svg,) = draw(drawn)
    cells = ''.join(path.get('d') for path in svg.iter('path'))
    assert cells == 'M1 0h0.92v0.92h-0.92zM0 1h0.92v0.92h-0.92z'
    assert [text.text for text in svg.iter('text')] == ['1', '2', '50', '50']
    assert '50.0% of the rows are off' in drawn


def test_a_page_is_one_file_of_html_and_nothing_else_is_written(tmp_path):
    page = make_page('<t>', '<p>a</p>', '', searchable([], 'Find'))

    assert '<title>&lt;t&gt;</title>' in page
    assert not re.search(r'(src|href)="(?!#)', page)
    for suffix in ('.pdf', '', '.png'):
        with pytest.raises(ValueError, match=r'must end in \.html'):
            write_page(tmp_path / f'page{suffix}', 't', '')
    assert not list(tmp_path.iterdir())


STRONG = {'epsilon': 1.0, 'delta': 1e-6, 'guarantee': 'end_to_end', 'unit': 'one row', 'mu': 0.2355}


def test_a_promise_is_told_as_the_odds_of_a_guess():
    said = ' '.join(tell_promise(STRONG))

    assert 'whether one row was fitted' in said
    # docs/privacy.md: 54.7 of 100, and limits are rounded up.
    assert 'right in at most 55 of 100' in said
    assert 'ε = 1 at δ = 1e-06, a promise that is strong' in said


@pytest.mark.parametrize(
    ('epsilon', 'delta', 'strength'),
    [
        (1.0, 1e-6, 'strong'), (3.0, 1e-6, 'moderate'), (8.0, 1e-6, 'weak against'),
        (1.0, 9e-3, 'moderate'), (0.1, 1e-9, 'strong'), (0.01, 0.5, 'weak against'),
    ],
)  # fmt: skip
def test_a_promise_is_as_strong_as_the_best_guesser_is_weak(epsilon, delta, strength):
    facts = {'epsilon': epsilon, 'delta': delta, 'guarantee': 'end_to_end'}
    assert f'a promise that is {strength}' in ' '.join(tell_promise(facts))


def test_those_who_may_be_exposed_are_counted():
    assert 'exposed' not in ' '.join(tell_promise(STRONG | {'exposed': 0}))
    said = ' '.join(tell_promise(STRONG | {'exposed': 1200}))
    assert 'delta=1e-06 is at or above 1 / (released number of rows)' in said
    assert '1,200 of them were exposed entirely' in said
    assert 'number of units' in ' '.join(tell_promise(STRONG | {'exposed': 2, 'tables': {}}))


@pytest.mark.parametrize(
    'facts', [STRONG | {'epsilon': math.inf, 'guarantee': 'none'}, STRONG | {'guarantee': 'paper'}]
)
def test_where_nothing_is_promised_that_is_what_is_said(facts):
    assert not is_promised(facts)
    (said,) = tell_promise(facts)
    assert said.startswith('Nothing, end to end')


def test_without_a_statement_nothing_is_known():
    assert tell_promise({}) == [
        'Not known here: no synthesizer with a privacy statement was given.'
    ]


def test_failures_of_thresholds_count_and_several_fits_are_told():
    receipt = {'stage': 'describe', 'delta': 0.1, 'mu': 0.2, 'charged': True}
    said = ' '.join(tell_promise(STRONG | {'receipts': [receipt], 'fits': 3}))

    assert 'at most 65 of 100' in said
    assert 'fitted 3 times' in said


def test_the_odds_of_other_epsilons_stand_around_those_of_this_one():
    rows = list(list_odds(STRONG | {'epsilon': 1.5, 'mu': 0.342}))

    assert [row['ε'] for row in rows] == ['0.1', '0.5', '1', '1.5 (here)', '2', '3', '5', '8']
    guessed = [float(row['a coin is guessed right, of 100']) for row in rows]
    assert guessed == sorted(guessed)


def test_stages_share_the_squared_loss_of_what_was_charged():
    receipts = [
        {'stage': 'encoding', 'mu': 1.0, 'charged': True},
        {'stage': 'anonymize', 'mu': 1.0, 'charged': True},
        {'stage': 'anonymize', 'mu': math.sqrt(2), 'charged': True},
        {'stage': 'adapt', 'mu': 5.0, 'charged': False},
    ]
    expected = pd.Series({'encoding': 0.25, 'anonymize': 0.75})
    pd.testing.assert_series_equal(share_stages(receipts), expected)
    assert share_stages([{'stage': 'a', 'mu': math.inf, 'charged': True}]).empty
