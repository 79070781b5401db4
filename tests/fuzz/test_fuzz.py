"""Hostile and odd input: none of many examples, the same each time, ends in a defect.

What must hold of each is said in ``hostile/verdict.py``: it is *valid*, or *refused* by one clear
error that names what is wrong. The examples are fixed, the noise is not: nothing that the judge
asks for depends on it. ``FUZZ_TIMES=8 FUZZ_SEED=1 pytest tests/fuzz`` runs eight times as many
others.
"""

import os
import traceback
from collections import Counter

import pandas as pd
import pytest

TIMES, SEED = (
    int(os.environ.get(f'FUZZ_{name}', other)) for name, other in (('TIMES', 1), ('SEED', 4))
)

#: Strategy, judge, number of examples, and how most of them end.
SUITES = {
    'tables': ('tables', 'good_tables', 'verdict', 'judge', 40, 'valid'),
    'faulty columns': ('tables', 'bad_tables', 'verdict', 'judge', 40, 'refused'),
    'broken tables': ('tables', 'broken_tables', 'verdict', 'judge', 10, 'refused'),
    'arguments': ('arguments', 'calls', 'arguments', 'judge_call', 100, 'refused'),
    'databases': ('databases', 'databases', 'databases', 'judge_database', 6, 'valid'),
}


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('name', SUITES)
def test_every_example_is_valid_or_refused_by_name(hostile, name):
    module, strategy, court, judge, num_examples, usual = SUITES[name]
    ends, defects = Counter(), {}

    def check(case):
        try:
            ends[getattr(hostile(court), judge)(case)] += 1
        except Exception as error:  # reported here: hypothesis cannot print every metadata
            text = ''.join(traceback.format_exception(error))
            defects.setdefault(locate(error), f'{case!r}\n{text}')

    examples = getattr(hostile(module), strategy)()
    hostile('verdict').run_through(check, examples, num_examples=TIMES * num_examples, number=SEED)

    assert not defects, '\n\n'.join(f'{where}\n{text}' for where, text in defects.items())
    assert set(ends) <= {'valid', 'refused'}
    assert ends.total() >= TIMES * num_examples
    assert ends[usual] > ends.total() / 2


def locate(error):
    """Say where in the package, or else where at all, an error came from: a defect is told once."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if f'{os.sep}sdv_threea{os.sep}' in frame.filename]
    last = (own or frames)[-1]
    text = '' if own else f': {str(error)[:60]}'
    return f'{type(error).__name__} at {os.path.basename(last.filename)}:{last.lineno}{text}'


@pytest.fixture
def good_case(hostile):
    tables = hostile('tables')
    number = {'sdtype': 'numerical', 'range_min': 0, 'range_max': 29}
    date = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d', 'range_is_nullable': False}
    metadata = tables.make_metadata({'x': number, 'c': {'sdtype': 'categorical'}, 'd': date})
    table = pd.DataFrame({'x': range(30), 'c': ['a', 'b', 'a'] * 10, 'd': '2020-02-29'})
    settings = {'epsilon': 100.0, 'public_metadata': True}
    return tables.Case(table, metadata, settings, 20, is_told=True)


def test_the_judge_sees_what_is_wrong(hostile, good_case, monkeypatch):
    """Each of these is a defect that the judge must not pass."""
    verdict = hostile('verdict')
    assert verdict.judge(good_case) == 'valid'

    def spoil(change):
        with monkeypatch.context() as patch:
            whole = verdict.ClustMixSynthesizer

            class Spoilt(whole):
                def sample(self, num_rows):
                    (rows,) = super().sample(num_rows).values()
                    return {hostile('tables').NAME: change(rows)}

            patch.setattr(verdict, 'ClustMixSynthesizer', Spoilt)
            verdict.judge(good_case)

    for change, expected in [
        (lambda rows: rows[['c', 'x', 'd']], 'columns'),
        (lambda rows: rows.head(3), 'rows instead of'),
        (lambda rows: rows.assign(x=rows['x'].astype(float)), 'instead of int64'),
        (lambda rows: rows.assign(c='never seen'), 'categories that the table has not'),
        (lambda rows: rows.assign(x=rows['x'] + 30), "'x' is not from 0 to 29"),
        (lambda rows: rows.assign(d=rows['d'].where(rows['x'] < 9)), "'d' has missing values"),
        (lambda rows: rows.assign(d='29.2.2020'), 'not in its format'),
    ]:
        with pytest.raises(verdict.Defect, match=expected):
            spoil(change)


@pytest.mark.parametrize(
    ('text', 'names', 'expected'),
    [
        ('nothing', ('x',), 'does not name'),
        ("column 'x' is wrong", (), 'without reason'),
        ("column 'x' has canary-731733", ('x',), 'shows a value'),
    ],
)
def test_the_judge_sees_an_unclear_error(hostile, text, names, expected):
    verdict = hostile('verdict')
    with pytest.raises(verdict.Defect, match=expected):
        verdict.check_refusal(ValueError(text), names)
    assert verdict.check_refusal(ValueError("column 'x' is wrong"), ('x',)) == 'refused'
