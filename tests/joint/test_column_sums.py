"""Numbers that are sums of others: which are likely, the count of each, and what samples show."""

import math
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from chance import draw_from, silent
from described import describe

from sdv_threea import ClustMixSynthesizer, pipeline
from sdv_threea.domain import TIME_STEPS, Category, Domain, Number
from sdv_threea.joint.column_sums import (
    MOST_SUMS,
    Sum,
    _count,
    find_likely,
    list_numbers,
    release_sums,
)
from sdv_threea.rows.chunks import chunk_table
from sdv_threea.synthesizers import single_table

TOTAL = Sum('total', ('net', 'tax'), 0.01)

#: Cells that arithmetic of floats does not add up, or not at all.
HOSTILE = [np.nan, np.inf, -np.inf, 1.8e308, -1.8e308, 5e-324, -0.0, 2.0**53, 0.1, 0.3, 7.0]


def make_bills(rng, num_rows):
    net, shipping = rng.gamma(2, 50, num_rows).round(2), rng.gamma(2, 20, num_rows).round(2)
    tax = (0.2 * net).round(2)
    bills = {'net': net, 'tax': tax, 'shipping': shipping, 'place': rng.normal(9, 2, num_rows)}
    return pd.DataFrame({**bills, 'total': (net + tax + shipping).round(2)})


def look(table):
    domain = Domain(tuple(Number(name=name, step=0.01, low=-9e3, high=9e3) for name in table))
    moments = [(name, table[name].mean(), table[name].std()) for name in table]
    return find_likely(domain, moments, table.corr().to_numpy())


def count(table, likely=(TOTAL,), noise=None, chunk_rows=10_000):
    terms = {'mu': 1.0 if noise else math.inf, 'neighbors': 'add_remove', 'noise': noise or silent}
    sizes = [table[[own.total, *own.parts]].notna().all(axis=1).sum() for own in likely]
    return release_sums(chunk_table(table, chunk_rows), likely, sizes, **terms)


def test_the_likely_sums_are_those_whose_means_and_deviations_agree(rng):
    likely = look(make_bills(rng, 4000))

    assert likely[0] == Sum('total', ('net', 'tax', 'shipping'), 0.01)
    assert all(each.total == 'total' for each in likely)


def test_few_sums_are_counted_and_none_of_unrelated_numbers(rng):
    shared = rng.gamma(9, 9, 4000)
    alike = pd.DataFrame({f'x{at}': (at + 1) * shared for at in range(9)})
    apart = pd.DataFrame({f'x{at}': rng.gamma(2, 10 + at, 4000) for at in range(6)})

    assert len(look(alike)) == MOST_SUMS
    assert look(apart) == []
    assert look(apart * 0) == []
    assert look(-make_bills(rng, 4000))[0].total == 'total'


def test_only_numbers_are_looked_at():
    columns = Number(name='x'), Number(name='at', steps=TIME_STEPS), Category(name='c')

    assert list_numbers(Domain(columns), []) == ['x']
    assert list_numbers(Domain(columns), ['x']) == []


@pytest.mark.parametrize('chunk_rows', [1, 7, 10_000])
def test_a_hostile_record_moves_each_count_by_at_most_one(chunk_rows):
    """Whatever its cells are, alone and among others, bit for bit."""
    cells = np.array(np.meshgrid(HOSTILE, HOSTILE, HOSTILE)).reshape(3, -1)[:, ::-7]
    table = pd.DataFrame(dict(zip(['net', 'tax', 'total'], cells, strict=True)))
    likely = TOTAL, Sum('total', ('tax', 'net'), 0.0), Sum('net', ('tax', 'total', 'total'), 1.0)
    alone = np.array(
        [[own.holds(table[at : at + 1])[0] for own in likely] for at in range(len(table))]
    )

    assert np.array_equal(alone.T, [own.holds(table) for own in likely])
    counted = [_count(likely, table[:end]) for end in range(len(table) + 1)]
    moved = [np.linalg.norm(np.subtract(*pair)) for pair in pairwise(counted)]
    assert max(moved) <= math.sqrt(len(likely))
    assert alone.any()
    count(table, likely, chunk_rows=chunk_rows)


@pytest.mark.parametrize(('wrong', 'kept'), [(0.05, 1), (0.2, 0)])
def test_a_sum_is_kept_if_nearly_all_records_obey(rng, wrong, kept):
    table = make_bills(rng, 1000)
    table.loc[rng.random(1000) < wrong, 'total'] += 5
    likely = [Sum('total', ('net', 'tax', 'shipping'), 0.01), Sum('net', ('tax', 'tax'), 0.01)]

    assert len(count(table, likely)[0]) == kept


def test_records_without_a_total_are_no_evidence_against_it(rng):
    table = make_bills(rng, 1000)
    table.loc[::3, 'total'] = np.nan
    likely = [Sum('total', ('net', 'tax', 'shipping'), 0.01)]

    assert len(count(table, likely)[0]) == 1


def test_a_total_may_be_a_part_and_comes_first():
    table = pd.DataFrame({'a': [1.0, 2], 'b': [1.0, 2], 'c': [2.0, 4], 'd': [4.0, 8]})
    likely = [Sum('d', ('c', 'c'), 1.0), Sum('c', ('a', 'b'), 1.0), Sum('d', ('a', 'a', 'c'), 1.0)]

    assert count(table, likely)[0] == (likely[1], likely[0])


def test_no_number_follows_from_itself():
    table = pd.DataFrame({'a': [1.0, 2], 'b': [1.0, 2], 'c': [1.0, 2]})
    likely = [Sum('b', ('a',), 1.0), Sum('c', ('b',), 1.0), Sum('a', ('c',), 1.0)]

    assert count(table, likely)[0] == (likely[0], likely[1])


def test_numbers_that_are_nearly_the_same_are_no_copies(rng):
    """Ratings that differ by one for a fifth of the people."""
    first = rng.integers(1, 10, 2000).astype(float)
    table = pd.DataFrame({'first': first, 'again': first + (rng.random(2000) < 0.2)})

    assert count(table, [Sum('again', ('first',), 1.0)])[0] == ()


def test_what_is_missing_a_sentinel_or_out_of_range_stays():
    domain = Domain(
        (
            Number(name='net', sentinels=(-9.0,)),
            Number(name='tax'),
            Number(name='total', low=0.0, high=9.0, sentinels=(999.0,)),
        )
    )
    table = pd.DataFrame(
        {
            'net': [1.0, -9.0, np.nan, 8.0, 1.0, 1.0],
            'tax': [0.111, 1.0, 1.0, 8.0, 1.0, 1.0],
            'total': [5.0, 5.0, 5.0, 5.0, 999.0, np.nan],
        }
    )
    TOTAL.write(table, domain)

    assert table.total.tolist()[:5] == [1.11, 5.0, 5.0, 5.0, 999.0]
    assert math.isnan(table.total[5])


def test_copies_and_sums_of_copied_numbers_are_found_together(rng, monkeypatch):
    """Neither a copy of a part, nor one of the total, nor a rounded one hides what adds up."""
    bills = make_bills(rng, 3000)
    bills = bills.assign(again=bills.net, due=bills.total, whole=bills.shipping.round())
    noise = draw_from(np.random.default_rng(5))
    monkeypatch.setattr(single_table, 'release', partial(pipeline.release, noise=noise))
    synthesizer = ClustMixSynthesizer(describe(dict.fromkeys(bills, 'numerical')), epsilon=3.0)
    synthesizer.fit({'t': bills})
    rows = synthesizer.sample(1000)['t']

    assert np.mean((rows.total - rows.net - rows.tax - rows.shipping).abs() < 0.015) > 0.9
    assert np.mean(rows.net == rows.again) > 0.95
    assert np.mean(rows.due == rows.total) > 0.95
    assert np.mean((rows.whole - rows.shipping).abs() <= 0.5) > 0.95
    assert 'likely sums' in str(synthesizer.get_privacy_statement())
