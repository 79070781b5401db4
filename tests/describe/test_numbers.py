"""Two looks at where numbers lie: at the bulk of each column, and at what lies beyond."""

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_threea.accounting.sensitivities import RECORD_UNITS
from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.answers import count_tails
from sdv_threea.describe.questions import ask_questions, suit_records
from sdv_threea.describe.ranges import grid_bins
from sdv_threea.describe.sentinels import make_look
from sdv_threea.domain import Domain, Number
from sdv_threea.statistics.describe import QUESTIONS

CONSTANTS = DescribeConstants()

NAMES = 'abcdef'
COLUMNS = tuple(Number(name=name) for name in NAMES)
DOMAIN = Domain(tuple(Number(name=name, nullable=False, step=0.0) for name in NAMES))

#: What a hostile record may hold.
CELLS = st.one_of(
    st.floats(),
    st.sampled_from([math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, 1e308, -1e308, 1.0, 2.0]),
)
ROWS = st.lists(st.lists(CELLS, min_size=6, max_size=6), max_size=5)

LOOKS = tuple(make_look(column) for column in COLUMNS)
PLACES = len(LOOKS[0].counts)

#: Where a bulk may lie: anywhere, and nowhere.
BULKS = st.one_of(
    st.just((math.inf, math.inf)),
    st.tuples(st.sampled_from([-4.0, 0.0, 1.0]), st.sampled_from([1.25, 2.0, 2.0**64])),
)


def make_table(rows):
    return pd.DataFrame(rows, columns=list(NAMES), dtype=float)


def draw_rows(number=20_000, seed=0):
    """Draw six columns of which all but 220 numbers of each lie near eight."""
    rng = np.random.default_rng(seed)
    table = rng.normal(8, 0.2, (number, 6))
    far = rng.permutation(number)[:1320].reshape(6, 220)
    for at, own in enumerate(far):
        table[own, at] = 40 + rng.random(len(own))
    return make_table(table)


def count_beyond(bulks, table):
    beyond = [look.lies_beyond(*bulk) for look, bulk in zip(LOOKS, bulks, strict=True)]
    return count_tails(LOOKS, beyond, table)


@given(ROWS, st.lists(CELLS, min_size=6, max_size=6), st.tuples(*[BULKS] * 6))
def test_a_record_shares_out_one_whole_wherever_the_bulks_lie(rows, odd, bulks):
    before, after = (count_beyond(bulks, make_table(each)) for each in (rows, [*rows, odd]))
    moved = after - before

    assert moved.shape == (6, PLACES)
    assert np.issubdtype(moved.dtype, np.integer)
    assert (moved >= 0).all()
    assert (np.count_nonzero(moved, axis=1) <= 1).all()
    assert int(np.square(moved).sum()) <= RECORD_UNITS**2


def test_only_what_lies_beyond_is_counted_and_missing_numbers_do_not():
    rows = [[5.0, 1.0, 0.5, 2.0, np.nan, 1.5], [1.5, 1.5, 1.5, 1.5, 1.5, 1.5]]
    counts = count_beyond(((1.0, 2.0),) * 6, make_table(rows))

    found = [(int(at), int(code)) for at, code in np.argwhere(counts)]
    assert found == [(0, grid_bins(np.array([5.0]))[0]), (2, grid_bins(np.array([0.5]))[0]),
                     (3, grid_bins(np.array([2.0]))[0])]  # fmt: skip
    assert set(counts[counts > 0].tolist()) == {math.isqrt(RECORD_UNITS**2 // 3)}


def test_what_few_rows_have_far_out_is_found_by_the_second_look(gaussian, ask):
    """The noise of one look at six columns hides 220 rows."""
    table = draw_rows()

    _, receipts = ask(table, gaussian, DOMAIN, mu=0.06)
    two, more = ask(table, gaussian, DOMAIN, mu=0.06, num_records=20_000.0)

    assert QUESTIONS['tails'].title not in [each.released for each in receipts]
    assert QUESTIONS['tails'].title in [each.released for each in more]
    # They lie between 40 and 41.
    assert all(column.high >= 41 for column in two.domain.columns)


def test_both_looks_are_paid_for_and_the_second_is_closer(gaussian, ask):
    questions = ask_questions(DOMAIN, 0.06, 'add_remove', gaussian, CONSTANTS)
    suited = suit_records(questions, 20_000.0, CONSTANTS)
    _, receipts = ask(draw_rows(), gaussian, DOMAIN, mu=0.06, num_records=20_000.0)
    paid = Counter({each.released: each.mu for each in receipts})

    assert math.hypot(*paid.values()) == pytest.approx(0.06)
    assert math.hypot(suited['ranges'].mu, suited['tails'].mu) == pytest.approx(
        questions['ranges'].mu
    )
    assert suited['tails'].scale / RECORD_UNITS < questions['ranges'].scale / 1.5


def test_the_second_look_says_nothing_of_the_bulk(monkeypatch, silence, ask):
    """Whatever it counts there, the counts of the first look are the answer."""
    found = []
    for each in (0, 10**9):
        monkeypatch.setattr(
            'sdv_threea.describe.numbers.count_tails',
            lambda looks, *_, own=each: np.full((6, max(len(x.counts) for x in looks)), own),
        )
        sketch = ask(draw_rows(), silence, DOMAIN, mu=0.06, num_records=20_000.0)[0].sketches['a']
        found.append(float(sketch.counts[(sketch.edges[:, 0] <= 8) & (sketch.edges[:, 1] > 8)][0]))

    assert found[0] == found[1] > 0
