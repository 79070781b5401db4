"""Rows in chunks: however a table is cut, the sums over it are the same."""

from __future__ import annotations

import math
import pickle
import tracemalloc
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from chance import by_size
from chunked import chunk_arrays
from unpaired import Unpaired

from sdv_threea.adapt import features, link_functions
from sdv_threea.constants import AdaptConstants
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.pipeline import release
from sdv_threea.rows import chunks as room
from sdv_threea.rows.chunks import LARGEST_SUM, Rows, Source, add, chunk_table
from sdv_threea.rows.guard import UnreadableRowsError
from sdv_threea.settings import Constants


class Pair(NamedTuple):
    """Two columns."""

    number: np.ndarray
    group: np.ndarray


def double(chunk):
    return chunk._replace(number=2 * chunk.number)


def count(chunk):
    return np.array([len(chunk[0])]), (np.bincount(chunk[1], chunk[0], 3).astype(np.int64),)


def count_rows(chunk):
    return np.array([len(chunk)])


@pytest.fixture
def pair():
    rng = np.random.default_rng(4)
    return Pair(rng.integers(-99, 99, 1000), rng.integers(0, 3, 1000))


@pytest.mark.parametrize('chunk_rows', [1, 7, 999, 1000, 5000])
def test_sums_are_those_of_the_whole(pair, chunk_rows):
    rows = chunk_arrays(pair, chunk_rows).map(double)

    for each in (rows, rows.keep(), pickle.loads(pickle.dumps(rows))):
        (total,), (sums,) = each.sum(count)
        assert total == 1000
        assert sums.tolist() == [2 * pair.number[pair.group == at].sum() for at in range(3)]


def test_a_table_without_rows_is_one_empty_chunk():
    assert chunk_table(pd.DataFrame({'x': []})).sum(count_rows).tolist() == [0]


def test_wide_tables_have_short_chunks(monkeypatch):
    monkeypatch.setattr(room, 'LEAST_ROWS', 10)
    wide, narrow = (
        chunk_table(pd.DataFrame(np.zeros((2, width)))).source.chunk_rows for width in (2000, 2)
    )

    assert (wide, narrow) == (room.CHUNK_CELLS // 2000, room.CHUNK_CELLS // 2)


@pytest.mark.parametrize(('room_for', 'calls'), [(0, 30), (3, 24), (10, 10)])
def test_chunks_are_mapped_once_as_far_as_there_is_room(monkeypatch, pair, room_for, calls):
    mapped = []
    monkeypatch.setattr(room, 'KEPT_BYTES', room_for * 100 * 2 * 8)
    kept = chunk_arrays(pair, 100).map(lambda chunk: mapped.append(0) or double(chunk)).keep()
    answers = [pickle.dumps(kept.sum(count)) for _ in range(3)]

    assert len(set(answers)) == 1
    assert len(mapped) == calls


@pytest.mark.parametrize(('room_for', 'calls'), [(0, 3), (1, 1)])
def test_a_table_is_mapped_once_if_there_is_room(monkeypatch, room_for, calls):
    """Texts count with all of their letters."""
    mapped = []
    table = pd.DataFrame({'number': np.arange(3.0), 'text': ['a' * 1000, 'b' * 1000, None]})
    monkeypatch.setattr(room, 'KEPT_BYTES', 2000 + room_for * 1000)
    kept = chunk_table(table).map(lambda chunk: mapped.append(0) or chunk).keep()

    assert [kept.sum(count_rows)[0] for _ in range(3)] == [3] * 3
    assert len(mapped) == calls


@pytest.mark.parametrize(('room_for', 'calls'), [(0, 30), (3, 24), (10, 10)])
def test_what_is_kept_may_be_mapped_and_kept_again(monkeypatch, pair, room_for, calls):
    mapped = []
    monkeypatch.setattr(room, 'KEPT_BYTES', room_for * 100 * 2 * 8)
    kept = chunk_arrays(pair, 100).map(double).keep()
    again = kept.map(lambda chunk: mapped.append(0) or double(chunk)).keep()
    fourfold = chunk_arrays(pair, 100).map(double).map(double)

    assert {pickle.dumps(again.sum(count)) for _ in range(3)} == {pickle.dumps(fourfold.sum(count))}
    assert len(mapped) == calls


def test_none_is_kept_after_one_that_does_not_fit(monkeypatch, pair):
    """Or the others would be counted in place of it."""
    monkeypatch.setattr(room, 'KEPT_BYTES', 1000)
    pair.number[:100], pair.number[100:] = 1, 0
    ones = chunk_arrays(pair, 100).map(lambda chunk: Pair(*(c[chunk.number > 0] for c in chunk)))
    kept = ones.keep()

    assert [kept.sum(count)[0].tolist() for _ in range(3)] == [[100]] * 3


def test_each_row_has_a_coin_of_its_own(pair):
    """Two-sided; 6 standard deviations: a false alarm in 10^9."""
    rows = chunk_arrays(pair, 100)
    shares = [rows.thin(0.3).sum(count)[0][0] for _ in range(40)]
    tables = chunk_table(pd.DataFrame(pair._asdict()), 64).thin(0.3)
    shares += [tables.sum(count_rows)[0] for _ in range(40)]

    assert len(set(shares)) > 20
    assert abs(np.mean(shares) - 300) < 6 * math.sqrt(1000 * 0.3 * 0.7 / 80)
    assert rows.thin(1.0) is rows


def test_coins_are_tossed_before_rows_are_mapped(pair):
    seen = []
    rows = chunk_arrays(pair, 100).map(lambda chunk: seen.append(len(chunk.number)) or chunk)
    rows.thin(0.1).sum(count)

    assert 0 < sum(seen) < 400


def test_sums_that_do_not_fit_are_refused():
    large = np.array([LARGEST_SUM // 2])

    for each in (large, -large):
        with pytest.raises(UnreadableRowsError, match='64 bits'):
            add((each, each), (each, each))
    assert add((large - 1,), (large,))[0] == LARGEST_SUM - 1


DOMAIN = Domain(
    (
        Number(name='x'),
        Number(name='n', low=0, high=9, step=1.0, nullable=False),
        Category(name='c'),
        Category(name='y', values=('no', 'yes'), nullable=False),
    ),
    'y',
)


def make_table(num_rows):
    rng = np.random.default_rng(7)
    y = rng.random(num_rows) < 0.4
    return pd.DataFrame(
        {
            'x': np.where(rng.random(num_rows) < 0.1, 5.0, rng.normal(y, 2.0)).round(3),
            'n': rng.integers(0, 5, num_rows) + 5.0 * (y & (rng.random(num_rows) < 0.6)),
            'c': pd.Series(rng.choice(['a', 'b', None], num_rows), dtype=object),
            'y': pd.Series(np.where(y, 'yes', 'no'), dtype=object),
        }
    )


class Elsewhere(NamedTuple):
    """Rows on another machine: what is asked, and what is answered, is pickled on its way."""

    source: Source

    def sum(self, statistic):
        answer = self.source.sum(pickle.loads(pickle.dumps(statistic)))
        return pickle.loads(pickle.dumps(answer))

    def keep(self, steps):
        return None


def test_a_release_does_not_depend_on_where_the_rows_are_or_how_they_are_cut(monkeypatch):
    table, settings = make_table(3000), Unpaired(epsilon=3.0, delta=1e-5)
    whole, long, short = (chunk_table(table, chunk_rows) for chunk_rows in (3000, 700, 64))
    released = []
    for rows, kept_bytes in (
        (whole, room.KEPT_BYTES),
        (long, room.KEPT_BYTES),
        (short, 10_000),
        (Rows(Elsewhere(long.source)), 0),
    ):
        monkeypatch.setattr(room, 'KEPT_BYTES', kept_bytes)
        rng = np.random.default_rng(1)
        released.append(release(rows, DOMAIN, settings, noise=by_size, rng=rng))

    assert len(set(map(pickle.dumps, released))) == 1


def measure_peak(num_rows):
    table = make_table(num_rows)
    # What draws take is the same for any table. It is made little, or the rows would not be seen.
    constants = Constants(adapt=AdaptConstants(most_features=8))
    settings = Unpaired(epsilon=30.0, delta=1e-7, constants=constants)
    tracemalloc.start()
    release(table, DOMAIN, settings, noise=by_size, rng=np.random.default_rng(1))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def test_memory_does_not_grow_with_the_rows(monkeypatch):
    monkeypatch.setattr(room, 'CHUNK_CELLS', 2**13)
    monkeypatch.setattr(room, 'KEPT_BYTES', 2**14)
    monkeypatch.setattr(link_functions, 'MOST_DRAWS', 1000)
    monkeypatch.setattr(features, 'NUM_LANDMARKS', 32)
    measure_peak(1000)
    few, many = (measure_peak(num_rows) for num_rows in (8000, 96_000))

    assert many < 1.25 * few
    assert many < 96_000 * 4 * 8
