"""The HTML page: its sections in order, escaped text, and nothing loaded from the network."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

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
METADATA = Metadata.load_from_dict({'tables': {'people': {'columns': COLUMNS}}})

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


def test_the_warning_comes_first_then_the_verdict_then_what_it_stands_on(reader):
    text = read(reader)
    wanted = [
        'Not for publication.', 'The verdict', 'What is promised', 'right in at most 55 of 100',
        'What it is good for', 'AUC of models that predict column 0', 'What was lost', 'Lost: ',
        'What to do', 'Rows that cannot be', 'What a model learns from it', 'How the columns match',
        'How the relations match', 'What is valid', 'How close it comes', 'The promise in full',
        '17.25', 'How it was made', 'versions',
    ]  # fmt: skip
    places = [text.index(each) for each in wanted]
    assert places == sorted(places)


def test_every_column_can_be_opened_and_found(page):
    listed = re.search(r'Find a column.*?</section>', page, re.DOTALL).group()
    names = re.findall(r'<summary><b>(.*?)</b>', listed)

    assert len(names) == len(COLUMNS)
    assert 'type="search"' in page
    assert 'Without any value, among real rows, synthetic ones or both: empty.' in page


def test_pairs_are_told_once_and_no_column_fills_the_open_ones(page):
    listed = page[page.index('Find a pair') :]
    names = re.findall(r'<details( open)?><summary><b>(.*?) by (.*?)</b>', listed)

    assert len({(a, b) for _, a, b in names}) == len(names) > 10
    opened = [name for is_open, *pair in names if is_open for name in pair]
    assert len(opened) == len(set(opened)) > 0


def test_scores_have_error_bars_and_far_values_are_told(reader):
    text = read(reader)
    assert re.search(r'AUC of models that predict column 0 .*?0\.\d{3} ± 0\.\d{3}', text)
    assert re.search(r'Error of pairs of columns .*?\d+\.\d% ± \d+\.\d+%', text)
    assert 'Beyond the axis: 0.25% of the real rows' in text
    assert 'Missing: 5.2% of the real rows' in text


def test_no_code_word_or_nan_is_on_the_page(reader):
    text = read(reader)
    assert 'a row is added or removed' in text
    assert not re.search(r'\bnan\b|add.remove|NaN|None\b', text)


def test_what_can_be_seen_is_said_to_those_who_cannot_see(page, reader):
    assert page.count('<svg') == len(re.findall(r'<svg[^>]*role="img" aria-label="[^"]', page)) > 10
    assert '<html lang="en">' in page
    assert reader.tags.count('h1') == reader.tags.count('main') == 1
    # What scrolls can be reached by keys.
    scrolls = re.findall(r'<div class="scroll"[^>]*>', page)
    assert scrolls
    assert all('tabindex="0"' in each and 'aria-label="' in each for each in scrolls)


def test_a_release_without_noise_has_a_page_too(report, tmp_path):
    infinite = STATEMENT | {'epsilon': np.inf, 'guarantee': 'none', 'mu': np.inf}
    page = write(replace(report, statement=infinite), tmp_path)
    assert 'Nothing, end to end' in page
    assert 'can hardly tell' not in page
    assert re.search(r'<dt>epsilon</dt><dd>none</dd>', page)


@pytest.mark.parametrize(('guarantee', 'holds'), [('end_to_end', True), ('paper', False)])
def test_the_page_says_that_a_promise_holds_where_there_is_one(report, tmp_path, guarantee, holds):
    page = write(replace(report, statement=STATEMENT | {'guarantee': guarantee}), tmp_path)
    assert ('can hardly tell' in page) == holds
    assert ('Nothing, end to end' in page) == (not holds)


def test_what_was_not_given_is_said_to_be_missing(report, tmp_path):
    page = write(replace(report, statement={}, utility={}), tmp_path)
    assert 'no synthesizer with a privacy statement was given' in page
    assert 'Not measured: it takes a target' in page


def test_the_promise_of_a_database_is_told_table_by_table(report, tmp_path):
    facts = STATEMENT | {'receipts': {'patient': [RECEIPT]}, 'tables': {'visit': f'a {HOSTILE}'}}
    page = write(replace(report, statement=facts), tmp_path)
    assert 'visit: a &lt;/script&gt;' in page
    assert HOSTILE not in page
    assert '>patient</td>' in page


def test_attacks_are_told_beside_their_control_and_are_not_the_guarantee(report, tmp_path):
    rates = {'on fitted rows': 0.12, 'on other rows': 0.11, 'guessing': 0.05, 'risk': 0.01}
    risk = pd.DataFrame.from_dict({'singling out': rates}, orient='index')
    page = write(replace(report, risk=risk), tmp_path)
    for shown in ('singling out', '12.0%', '11.0%', 'The promise above is the guarantee'):
        assert shown in page


def test_a_thousand_columns_stay_below_two_megabytes(tmp_path):
    rng = np.random.default_rng(0)
    columns = {f'column {at}': {'sdtype': 'numerical'} for at in range(1000)}
    tables = [pd.DataFrame(rng.normal(size=(60, 1000)), columns=list(columns)) for _ in range(2)]
    metadata = Metadata.load_from_dict({'tables': {'wide': {'columns': columns}}})
    narrow = [table.iloc[:, :3] for table in tables]
    few = Metadata.load_from_dict(
        {'tables': {'wide': {'columns': dict(list(columns.items())[:3])}}}
    )
    # SDMetrics would take minutes for half a million pairs.
    told = make_report(*narrow, few)
    from sdv_threea.report.distributions import compare_distributions
    from sdv_threea.report.fidelity import measure_fidelity

    named = {'wide': tables[0]}, {'wide': tables[1]}
    drawn = {
        ('wide', name): compare_distributions(tables[0][name], tables[1][name], columns[name])
        for name in columns
    }
    told = replace(
        told,
        joints={},
        fidelity=measure_fidelity(*named, metadata.to_dict()),
        quality=replace(told.quality, distributions=drawn),
    )
    page = write(told, tmp_path)
    assert page.count('<details') >= 1000
    assert len(page.encode()) < 2_000_000
