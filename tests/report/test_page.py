"""The HTML page: its sections, escaped text, and nothing loaded from the network."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from sdv_threea.report import Quality, Report, Utility
from sdv_threea.report.distributions import Distribution
from sdv_threea.report.page import NUM_COLUMNS

HOSTILE = '</script><img src=x onerror=alert(1)>'


def write_page(path, *, title, quality, statement=None, utility=None):
    told = statement.to_dict() if statement else {}
    trained = {} if utility is None else {'the target': Utility(scores=utility)}
    Report(quality=quality, statement=told, utility=trained).save_html(path, title)


class ExampleStatement:
    def __init__(self, epsilon=1.0):
        self.epsilon = epsilon

    def to_dict(self):
        receipt = {
            'stage': HOSTILE, 'released': HOSTILE, 'sensitivity': 2.0, 'noise_scale': 17.25,
            'mu': 0.125, 'delta': 0.0, 'charged': True,
        }  # fmt: skip
        return {
            'epsilon': self.epsilon, 'delta': 1e-6, 'guarantee': 'end_to_end',
            'neighbors': 'add_remove', 'receipts': [receipt], 'mu': 0.5,
            'unit': 'one row', 'public': ['column names', f'types <b>of</b> {HOSTILE}'],
        }  # fmt: skip


@pytest.fixture
def quality():
    names = [f'column {row}' for row in range(NUM_COLUMNS + 1)] + [HOSTILE]
    shares = np.array([0.4, 0.6])
    levels = pd.Index(['no', HOSTILE])
    drawn = Distribution(labels=levels, real=shares, synthetic=shares, binned=False)
    pairs = pd.DataFrame(
        {'Table': 't', 'Column 1': names[:-1], 'Column 2': names[1:], 'Score': 0.5}
    )
    return Quality(
        overall=0.91,
        shapes=0.92,
        pairs=0.9,
        diagnostic=1.0,
        columns=pd.DataFrame(
            {'Table': 't', 'Column': names, 'Score': np.linspace(1, 0, len(names))}
        ),
        column_pairs=pairs,
        distributions={('t', name): drawn for name in names},
        details={
            'Data Validity': pd.DataFrame(
                {'Table': 't', 'Column': names, 'Metric': 'KeyUniqueness', 'Score': 0.25}
            )
        },
    )


@pytest.fixture
def utility():
    return pd.DataFrame(
        {'AUC': [0.928, 0.901], 'accuracy': [0.87, 0.85], 'note': ['', HOSTILE]},
        index=['real', 'synthetic'],
    )


@pytest.fixture
def page(tmp_path, quality, utility):
    path = tmp_path / 'page.html'
    statement = ExampleStatement()
    write_page(path, title=HOSTILE, statement=statement, utility=utility, quality=quality)
    return path.read_text('utf-8')


class Reader(HTMLParser):
    """Collects the tags of a page, the addresses that it loads, and its visible text."""

    def __init__(self):
        super().__init__()
        self.tags, self.loaded, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.loaded += [value for name, value in attrs if name in {'src', 'href'}]

    def handle_data(self, data):
        if self.tags and self.get_starttag_text() and self.cdata_elem is None:
            self.text.append(data)


@pytest.fixture
def reader(page):
    reader = Reader()
    reader.feed(page)
    return reader


def test_the_page_loads_nothing_and_carries_plotly_once(page, reader):
    assert reader.loaded == []
    assert reader.tags.count('link') == 0
    assert len(re.findall(r'plotly\.js v\d', page)) == 1
    assert len(page) < 8_000_000


def test_all_text_is_escaped(page, reader):
    assert 'img' not in reader.tags
    assert HOSTILE not in page
    assert reader.tags.count('script') == page.count('</script>')
    assert 'types <b>of</b>' in ''.join(reader.text)


def test_the_warning_comes_first_and_the_numbers_follow(reader):
    text = ' '.join(''.join(reader.text).split())

    assert text.index('Not for publication.') < text.index('What is promised')
    for shown in (
        '1e-06',
        'guarantee: end to end',
        'one row',
        'column names',
        '0.901',
        '0.928',
        '0.910',
        '17.25',
        '0.1250',
    ):
        assert shown in text


def test_the_worst_columns_are_drawn_first(page):
    captions = re.findall(r'<figcaption><b>(.*?)</b> match ([\d.]+)', page)

    assert len(captions) == NUM_COLUMNS
    scores = [float(score) for _, score in captions]
    assert scores == sorted(scores)
    assert scores[0] == 0.0


def test_a_release_without_noise_has_a_page_too(tmp_path, quality, utility):
    path = tmp_path / 'page.html'
    write_page(
        path, title='t', statement=ExampleStatement(np.inf), utility=utility, quality=quality
    )
    text = path.read_text('utf-8')
    assert '<strong>inf</strong>' in text
    assert 'Nothing, end to end' in text
    assert 'This holds for the synthetic rows' not in text


@pytest.mark.parametrize(('guarantee', 'holds'), [('end_to_end', True), ('paper', False)])
def test_the_page_says_that_a_promise_holds_where_there_is_one(tmp_path, quality, guarantee, holds):
    class Statement(ExampleStatement):
        def to_dict(self):
            return super().to_dict() | {'guarantee': guarantee}

    path = tmp_path / 'page.html'
    write_page(path, title='t', quality=quality, statement=Statement())

    text = path.read_text('utf-8')
    assert ('This holds for the synthetic rows' in text) == holds
    assert ('Nothing, end to end' in text) == (not holds)


def test_what_was_not_given_is_said_to_be_missing(tmp_path, quality):
    path = tmp_path / 'page.html'
    write_page(path, title='t', quality=quality)

    text = path.read_text('utf-8')
    assert 'made without a privacy statement' in text
    assert 'Not measured' in text
    assert '<span>quality</span><strong>0.910</strong>' in text
    assert '<span>ε</span>' not in text


def test_the_promise_of_a_database_is_told_table_by_table(tmp_path, quality):
    class DatabaseStatement(ExampleStatement):
        def to_dict(self):
            facts = super().to_dict()
            receipts = {'patient': facts.pop('receipts')}
            del facts['guarantee']
            return facts | {'receipts': receipts, 'tables': {'patient_visit': f'one {HOSTILE}'}}

    path = tmp_path / 'page.html'
    write_page(path, title='t', quality=quality, statement=DatabaseStatement())

    text = path.read_text('utf-8')
    assert 'patient_visit: one &lt;/script&gt;' in text
    assert HOSTILE not in text
    assert '<td>patient</td>' in text
    assert '17.25' in text
