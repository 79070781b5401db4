"""The HTML page: its sections in order, escaped text, and nothing loaded from the network."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from described import describe

from sdv_threea.report import make_report

HOSTILE = '</script><img src=x onerror=alert(1)>'
OBEYED = '\x1b\x07\u200f\u202e'

COLUMNS = {
    HOSTILE: {'sdtype': 'categorical'},
    'age': {'sdtype': 'numerical'},
    'day': {'sdtype': 'datetime'},
    'empty': {'sdtype': 'categorical'},
    **{f'column {at}': {'sdtype': 'categorical'} for at in range(8)},
}
METADATA = describe(COLUMNS, 'people')

RECEIPT = {
    'stage': HOSTILE, 'released': HOSTILE, 'sensitivity': 2.0, 'noise_scale': 17.25,
    'mu': 0.125, 'delta': 0.0, 'charged': True,
}  # fmt: skip
STATEMENT = {
    'epsilon': 1.0, 'delta': 1e-6, 'guarantee': 'end_to_end', 'neighbors': 'add_remove',
    'receipts': [RECEIPT], 'mu': 0.2355, 'unit': 'one row', 'fits': 1,
    'public': ['column names', f'types <b>of</b> {HOSTILE}', f'turned {OBEYED}'],
}  # fmt: skip


def make_people(seed, rows=400):
    rng = np.random.default_rng(seed)
    people = pd.DataFrame(
        {
            HOSTILE: rng.choice([HOSTILE, 'b'], rows),
            'age': rng.gamma(3, 12, rows).round(),
            'day': pd.Timestamp('2020-01-01') + pd.to_timedelta(rng.integers(400, size=rows), 'D'),
            'empty': None,
        }
    )
    people.loc[0, 'age'] = 1e7
    people.loc[:20, 'day'] = None
    for at in range(8):
        people[f'column {at}'] = rng.choice(['a', 'b', 'c'], rows)
    return people


@pytest.fixture(scope='module')
def report():
    real, synthetic, test = map(make_people, range(3))
    told = make_report(real, synthetic, METADATA, test=test, target='column 0')
    return replace(told, statement=STATEMENT, losses=[f'Lost: {HOSTILE}'])


def write(report, folder, title='t'):
    report.save_html(folder / 'page.html', title)
    return (folder / 'page.html').read_text('utf-8')


@pytest.fixture
def page(report, tmp_path):
    return write(report, tmp_path, HOSTILE)


class Reader(HTMLParser):
    """Collects the tags of a page, the addresses that it loads, and its visible text."""

    def __init__(self):
        super().__init__()
        self.tags, self.loaded, self.text, self.open = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.open.append(tag)
        self.loaded += [
            value for name, value in attrs if name in {'src', 'href'} and value != '#start'
        ]

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if not {'style', 'script', 'title'} & set(self.open):
            self.text.append(data)


@pytest.fixture
def reader(page):
    reader = Reader()
    reader.feed(page)
    return reader


def read(reader):
    return ' '.join(''.join(f'{each} ' for each in reader.text).split())


def test_the_page_is_one_small_file_that_loads_nothing(page, reader):
    assert reader.loaded == []
    assert reader.tags.count('link') == 0
    assert 'url(' not in page
    assert '@import' not in page
    assert len(page) < 400_000


def test_all_text_is_escaped(page, reader):
    assert 'img' not in reader.tags
    assert HOSTILE not in page
    assert reader.tags.count('script') == page.count('</script>') == 1
    assert 'types <b>of</b>' in ''.join(reader.text)
    assert not set(OBEYED) & set(page)
    assert f'turned {ascii(OBEYED)[1:-1]}' in ''.join(reader.text)


def test_the_page_prints_the_plan_of_a_table_and_of_each_table_of_a_database(report, tmp_path):
    lines = ['  22.0%  pairs of columns', '   none  triples: noise']
    plans = {'one': lines[:1], 'two': lines[1:]}
    for name, plan in (('plan', lines), ('plans', plans)):
        planned = replace(report, statement={**STATEMENT, name: plan})
        planned.save_html(tmp_path / 'page.html')
        told = (tmp_path / 'page.html').read_text('utf-8')
        assert all(line.strip() in told for line in lines)
    assert 'two: none  triples: noise' in told


def test_the_warning_comes_first_then_the_verdict_then_what_it_stands_on(reader):
    text = read(reader)
    wanted = [
        'Not for publication.', 'The verdict', 'What is promised', 'right in at most 55 of 100',
        'What it is good for', 'AUC of models that predict column 0', 'What was lost', 'Lost: ',
        'What to do', 'Rows with impossible pairs', 'What a model learns from it',
        'How the columns match', 'How the relations match', 'What is valid', 'How close it comes',
        'The promise in full', '17.25', 'How it was made', 'versions',
    ]  # fmt: skip
    places = [text.index(each) for each in wanted]
    assert places == sorted(places)


def test_what_can_be_seen_is_said_to_those_who_cannot_see(page, reader):
    assert page.count('<svg') == len(re.findall(r'<svg[^>]*role="img" aria-label="[^"]', page)) > 10
    assert '<html lang="en">' in page
    assert reader.tags.count('h1') == reader.tags.count('main') == 1
    # What scrolls can be reached by keys.
    scrolls = re.findall(r'<div class="scroll"[^>]*>', page)
    assert scrolls
    assert all('tabindex="0"' in each and 'aria-label="' in each for each in scrolls)


@pytest.mark.parametrize(('guarantee', 'holds'), [('end_to_end', True), ('paper', False)])
def test_the_page_says_that_a_promise_holds_where_there_is_one(report, tmp_path, guarantee, holds):
    page = write(replace(report, statement=STATEMENT | {'guarantee': guarantee}), tmp_path)
    assert ('can hardly tell' in page) == holds
    assert ('Nothing, end to end' in page) == (not holds)
