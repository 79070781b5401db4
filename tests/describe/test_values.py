import itertools
from decimal import Decimal

import numpy as np
import pandas as pd

from sdv_threea.describe.values import tally, tally_numbers
from sdv_threea.rows.intake.columns import read_categories, read_numbers

ODD = [
    True, 1, 1.5, '1', 'True', (1, True), (True, 1), -0.5, 0, False, Decimal('0.1'), '', 1e308,
    pd.Timestamp('2020-01-01'), pd.Timedelta(1), None, np.nan, pd.NA, pd.NaT,
]  # fmt: skip


def odd_column(values=ODD):
    cells = np.empty(len(values), dtype=object)
    for at, value in enumerate(values):
        cells[at] = value
    return pd.Series(cells, name='odd')


def test_a_tally_tells_nothing_of_the_order_of_the_records():
    values = [True, 1, 1.5, (1, True), -0.5, 0, 'a']
    tallies = [
        tally(read_categories(odd_column(list(order))))
        for order in itertools.islice(itertools.permutations(values), 0, 5040, 97)
    ]

    first = {key: repr(counted) for key, counted in tallies[0].items()}
    assert all({key: repr(each[key]) for key in each} == first for each in tallies)


def test_tallies_of_parts_add_up():
    numbers = pd.Series([0.1, -0.0, 0.0, np.nan, 0.1, 3, 0.0])
    parts = [tally_numbers(read_numbers(numbers[:3])), tally_numbers(read_numbers(numbers[3:]))]
    both = parts[0] + parts[1]

    assert (both.numbers.tolist(), both.counts.tolist()) == ([0.0, 0.1, 3.0], [3, 2, 1])
    columns = odd_column(ODD * 2), odd_column(ODD)
    tallies = [tally(read_categories(column)) for column in columns]
    assert {count for _, count in (tallies[0] + tallies[1]).values()} == {3}
    assert (tallies[1] + tallies[0]).keys() == tallies[0].keys()
