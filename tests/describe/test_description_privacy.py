"""What the description of a table reads from it, and that nothing but noisy counts leaves."""

import datetime
import math
import pickle
from collections import Counter
from decimal import Decimal
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sdv_threea.accounting.sensitivities import RECORD_UNITS
from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.answers import tally_rarer
from sdv_threea.describe.description import Description, asks, describe, needs_threshold
from sdv_threea.describe.questions import THRESHOLDS
from sdv_threea.describe.ranges import NUM_BINS
from sdv_threea.describe.sentinels import CODES
from sdv_threea.domain import EVERY_STEP, EVERY_TIME, TIME_STEPS, Category, Domain, Number
from sdv_threea.encoding.encoders import make_transformers
from sdv_threea.privacy import door as doors
from sdv_threea.rows.chunks import chunk_table
from sdv_threea.rows.guard import UnreadableRowsError
from sdv_threea.rows.intake.scalars import spell
from sdv_threea.statistics.describe import QUESTIONS

CONSTANTS = DescribeConstants()
describe = partial(describe, constants=CONSTANTS)

DOMAIN = Domain(
    (
        Number(name='x'),
        Number(name='time', steps=TIME_STEPS),
        Category(name='c'),
        Category(name='d'),
        Category(name='label'),
    ),
    'label',
)


LISTS = {QUESTIONS[name].title for name in THRESHOLDS}


ODD_NUMBERS = [1e308, -1e308, -0.0, np.nan, np.inf, 5e-324, 12_345.678, 2.0**63]


ODD_VALUES = [
    'never seen', None, np.nan, pd.NA, pd.NaT, True, 1, 1.5, (1, 2), (True, 2), -0.0, 1e308, '',
    pd.Timestamp('2020-01-01'), datetime.datetime(2020, 1, 1), Decimal('0.25'), pd.Timedelta(1),
    2**70,
]  # fmt: skip


ODD_ROWS = [
    (ODD_NUMBERS[at % 8], ODD_NUMBERS[(at + 3) % 8], value, ODD_VALUES[-1 - at])
    for at, value in enumerate(ODD_VALUES)
]


def make_table(rows):
    numbers, others = [row[:2] for row in rows], [row[2:] for row in rows]
    table = pd.DataFrame(numbers, columns=['x', 'time'], dtype=float)
    for at, name in enumerate(['c', 'label']):
        column = np.empty(len(rows), dtype=object)
        column[:] = [None] * len(rows)
        for row, values in enumerate(others):
            column[row] = values[at]
        table[name] = column
    # Some records have one category, others two.
    table.insert(3, 'd', [row[2] if type(row[3]) is int else None for row in rows])
    return table


def make_rows(number=40, seed=3):
    rng = np.random.default_rng(seed)
    labels = [True, 1, 'yes', None]
    return [
        (float(rng.normal()), float(rng.integers(0, 10**8)), rng.choice(['a', 'b']), labels[at % 4])
        for at in range(number)
    ]


class Door:
    """Looks over the shoulder of the one door of noise: what is exact, and what it is said to be.

    With targets, noise is whatever leads from the exact counts to them.
    """

    def __init__(self, monkeypatch):
        self.exact, self.receipts, self.max_new_keys, self.targets = {}, {}, {}, None
        self._add_noise, self._threshold_release = doors.add_noise, doors.threshold_release
        monkeypatch.setattr(doors, 'add_noise', self.add_noise)
        monkeypatch.setattr(doors, 'threshold_release', self.threshold_release)

    def add_noise(self, values, **terms):
        self.exact[terms['released']] = Counter(dict(enumerate(values.ravel().tolist())))
        if self.targets is not None:
            target = self.targets(terms['released'], values.shape)
            terms['noise'] = lead(values.ravel(), target.ravel(), terms)
        noisy, receipt = self._add_noise(values, **terms)
        self.receipts[terms['released']] = receipt
        return noisy, receipt

    def threshold_release(self, keys, counts, **terms):
        self.exact[terms['released']] = Counter(dict(zip(keys, counts.tolist(), strict=True)))
        if self.targets is not None:
            often = np.flatnonzero(counts >= terms['least'])
            often = sorted(often.tolist(), key=lambda at: repr(keys[at]))
            wanted = [self.targets(terms['released'], keys[at][1]) for at in often]
            target = np.array(wanted, dtype=np.int64)
            terms['noise'] = lead(counts[often], target, terms)
        self.max_new_keys[terms['released']] = terms['max_new_keys']
        *released, receipt = self._threshold_release(keys, counts, **terms)
        self.receipts[terms['released']] = receipt
        return *released, receipt


def lead(exact, target, terms):
    """Make noise that leads from exact counts to a target, in steps of the lattice of the door."""

    def noise(size, scale):
        steps = 2 ** round(math.log2(scale * terms['mu'] / terms['sensitivity']))
        return (target - exact) * steps

    return noise


def get_values(description):
    return description.domain['c'].values  # noqa: PD011 (no pandas)


@pytest.fixture
def door(monkeypatch):
    return Door(monkeypatch)


@pytest.fixture
def ask(ask):
    """The same, of the domain of these tests."""
    return lambda table, noise, domain=DOMAIN, **terms: ask(table, noise, domain, **terms)


@pytest.mark.parametrize('odd', ODD_ROWS, ids=lambda row: repr(row[2]))
@pytest.mark.parametrize('neighbors', ['add_remove', 'replace_one'])
def test_no_record_moves_exact_counts_further_than_the_receipt_says(
    door, silence, odd, neighbors, ask
):
    rows = make_rows()
    first = [rows[0]] if neighbors == 'replace_one' else []
    ask(make_table(first + rows[1:]), silence, neighbors=neighbors)
    before, receipts = door.exact, door.receipts
    door.exact = {}
    ask(make_table([odd] + rows[1:]), silence, neighbors=neighbors)

    assert set(before) == set(door.exact) == set(receipts)
    for released, counts in door.exact.items():
        moved = {key: counts[key] - before[released][key] for key in {*counts, *before[released]}}
        assert math.hypot(*moved.values()) <= receipts[released].sensitivity * (1 + 1e-12)
        if released in LISTS:
            unit = RECORD_UNITS if released == QUESTIONS['rarer'].title else 1
            assert max(map(abs, moved.values()), default=0) <= unit
            assert sum(each != 0 for each in moved.values()) <= door.max_new_keys[released]


@given(
    st.lists(st.lists(st.sampled_from(['a', 'b', 'c', None]), min_size=6, max_size=6)), st.data()
)
def test_a_record_shares_out_one_whole_whatever_was_found_before(rows, data):
    columns = tuple(Category(name=name) for name in 'uvwxyz')
    keys = st.frozensets(st.sampled_from([*map(spell, 'abc')]))
    found = tuple(data.draw(keys) for _ in columns)
    odd = data.draw(st.lists(st.sampled_from(['a', 'b', 'new', None]), min_size=6, max_size=6))
    before, after = (
        tally_rarer(columns, found, pd.DataFrame(each, columns=list('uvwxyz'), dtype=object))
        for each in (rows, [*rows, odd])
    )
    moved = [
        count - one.get(key, (None, 0))[1]
        for one, two in zip(before, after, strict=True)
        for key, (_, count) in two.items()
    ]

    assert all(isinstance(each, int) and each >= 0 for each in moved)
    assert sum(each**2 for each in moved) <= RECORD_UNITS**2
    left = sum(
        each is not None and spell(each) not in own for each, own in zip(odd, found, strict=True)
    )
    assert np.count_nonzero(moved) == left
    assert not any(key in own for own, tally in zip(found, after, strict=True) for key in tally)
    assert math.hypot(*moved) > 0.999 * RECORD_UNITS * bool(left) - 1


def test_noise_is_asked_for_at_the_price_on_the_receipts(ask):
    calls = []

    def noise(size, scale):
        calls.append((size, scale))
        return np.zeros(size, dtype=np.int64)

    _, receipts = ask(make_table(make_rows()), noise)

    assert math.hypot(*(each.mu for each in receipts)) == pytest.approx(0.5, rel=1e-12)
    assert math.fsum(each.delta for each in receipts) == pytest.approx(1e-6, rel=1e-12)
    assert len(receipts) == len(calls) == 8
    sizes = [size for size, _ in calls]
    places = NUM_BINS + len(CODES)
    assert (sizes[0], sizes[1], sizes[5]) == (5, 2 * (len(EVERY_STEP) + 2), 2 * places)
    for (_, scale), receipt in zip(calls, receipts, strict=True):
        steps = scale / receipt.noise_scale
        assert math.log2(steps) == pytest.approx(round(math.log2(steps)), abs=1e-9)
        assert receipt.noise_scale >= receipt.sensitivity / receipt.mu
        assert receipt.stage == 'describe'


def test_the_answer_depends_on_the_noisy_counts_alone(door, silence, ask):
    """Two tables that share nothing but a few frequent values, led to the same noisy counts."""
    places = NUM_BINS + len(CODES)
    grid = np.random.default_rng(8).integers(-3, 90, size=2 * places).reshape(2, places)

    counts = {spell('a'): 200, spell(1): 90, spell(True): 80, 0.0: 300, 60.0: 120}

    def targets(released, asked):
        if released == QUESTIONS['categories'].title:
            return 200 * (asked == spell('a'))
        if released in LISTS:
            return counts.get(asked, 0)
        return grid if asked == grid.shape else np.full(asked, 70)

    door.targets = targets
    texts = [''.join(['a', '']), str(b'a', 'ascii')]
    frequent = [(-0.0, 60.0, texts[0], 1), (0.0, 0.0, 'only here', True)] * 60
    answers = [
        ask(make_table(rows), silence)
        for rows in (
            frequent + make_rows(200),
            [(0.0, -0.0, texts[1], True), (-0.0, 60.0, texts[0], 1), (9.0, 7.0, '!', 'r')] * 70
            + ODD_ROWS,
        )
    ]

    assert get_values(answers[0][0]) == ('a',)
    assert [*map(repr, answers[0][0].spikes['time'])] == ['0.0', '60.0']

    assert pickle.dumps(answers[0]) == pickle.dumps(answers[1])
    assert pickle.dumps(make_transformers(answers[0][0])) == pickle.dumps(
        make_transformers(answers[1][0])
    )


@pytest.mark.parametrize(
    ('name', 'odd'),
    [('x', 'secret'), ('x', ['secret']), ('c', ['secret']), ('label', {'secret': 1})],
)
def test_what_cannot_be_counted_is_refused_before_anything_is_released(name, odd, ask):
    def noise(size, scale):
        raise AssertionError('something was released')

    table = make_table(make_rows()).astype(object)
    cells = table[name].tolist()
    table[name] = pd.Series([*cells[:-1], odd], dtype=object)
    with pytest.raises(UnreadableRowsError, match=f"'{name}'") as caught:
        ask(table, noise)
    assert 'secret' not in str(caught.value)
    assert caught.value.__context__ is None


def test_what_is_public_is_not_asked_for(silence, ask):
    domain = Domain(
        (
            Number(name='x', low=0, high=5, step=1.0, nullable=False),
            Category(name='c', values=('a', 'b'), nullable=True),
        ),
        'c',
    )
    description, receipts = ask(make_table(make_rows()), silence, domain)

    assert (description, receipts) == (Description(domain), ())
    assert not asks(domain)
    assert not needs_threshold(domain)
    assert asks(DOMAIN)
    assert needs_threshold(DOMAIN)


def test_steps_are_chosen_from_the_counts_of_the_columns_own_steps(door, silence, ask):
    """Numbers have one more candidate than times: its count says nothing about a time."""
    steps = np.zeros((2, len(EVERY_STEP) + 2), dtype=np.int64)
    steps[0, EVERY_STEP.index(1.0)] = steps[1, 0] = 900
    steps[1, len(EVERY_TIME) + 2] = 800

    def targets(released, asked):
        if released in LISTS:
            return 0
        return steps if asked == steps.shape else np.full(asked, 70)

    domain = Domain((Number(name='x'), Number(name='time', steps=TIME_STEPS)))
    door.targets = targets
    description, _ = ask(make_table(make_rows()), silence, domain)

    assert [column.step for column in description.domain.columns] == [1.0, 86_400.0]


@pytest.mark.parametrize('rows_per_unit', [1, 9])
def test_a_value_that_one_unit_holds_is_rarely_shown(gaussian, rows_per_unit):
    rows = chunk_table(pd.DataFrame({'c': np.array(['secret'] * 9, dtype=object)}))
    domain, delta, num_runs = Domain((Category(name='c', nullable=False),)), 0.4, 400
    terms = {'mu': 1.0, 'delta': delta, 'neighbors': 'add_remove', 'noise': gaussian}
    shown = sum(
        bool(describe(rows, domain, rows_per_unit=rows_per_unit, **terms)[0].domain['c'].values)
        for _ in range(num_runs)
    )

    # A unit of one row could not have made nine; the nine rows of one unit must stay hidden.
    most = stats.binom(num_runs, delta / rows_per_unit).isf(1e-6)
    assert (shown <= most) == (rows_per_unit == 9)
