import datetime
import math
from functools import partial

import numpy as np
import pandas as pd
import pytest

from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.description import describe
from sdv_threea.domain import EVERY_STEP, MISSING, Category, Domain, Number
from sdv_threea.encoding.encoders import (
    CategoryEncoder,
    NumberEncoder,
    decode,
    encode,
    make_transformers,
)
from sdv_threea.rows.chunks import chunk_table

describe = partial(describe, constants=DescribeConstants())


def lay_out(values, noise, mu=0.5, **known):
    table = pd.DataFrame({'x': np.asarray(values, dtype=float)})
    domain = Domain((Number(name='x', **known),))
    description, _ = describe(
        chunk_table(table), domain, mu=mu, delta=1e-6, neighbors='add_remove', noise=noise
    )
    return table, make_transformers(description)


def round_trip(table, transformers, rng):
    codes = encode(table, transformers)
    return codes, decode(codes.astype(np.int64), transformers, rng)


def columns(rng, size=3000):
    return {
        'normal': rng.normal(size=size),
        'lognormal': rng.lognormal(3, 2, size=size),
        'zero to ten': rng.integers(0, 11, size=size),
        'years': rng.integers(1950, 2024, size=size),
        'negative': -rng.gamma(2, 100, size=size),
        'cents': np.round(rng.lognormal(3, 1, size=size), 2),
        'constant': np.full(size, 7.25),
        'zero': np.zeros(size),
        'all missing': np.full(size, np.nan),
        'huge': rng.normal(5e12, 1e11, size=size),
        'beyond exact floats': 2.0**60 + 2**10 * rng.integers(0, 2**20, size=size),
        'beyond the grid': rng.choice([1e308, -1e308, math.inf], size=size),
        'spike': np.where(rng.random(size) < 0.2, 99_999, rng.integers(17, 90, size=size)),
        'zeros and amounts': np.where(rng.random(size) < 0.7, 0, rng.lognormal(8, 1, size=size)),
        'some missing': np.where(rng.random(size) < 0.3, np.nan, rng.normal(size=size)),
    }


NAMES = list(columns(np.random.default_rng(0), 10))


@pytest.mark.parametrize('name', NAMES)
def test_what_is_decoded_lies_in_the_bin_it_was_decoded_from(gaussian, rng, name):
    table, transformers = lay_out(columns(rng)[name], gaussian, 0.3)
    codes, back = round_trip(table, transformers, rng)

    assert codes.min() >= (0 if transformers[0].nullable else -1)
    assert codes.max() < transformers[0].size
    known = codes[:, 0] >= 0
    assert np.array_equal(encode(back, transformers)[known], codes[known])
    assert np.array_equal(back['x'].isna()[known], codes[known, 0] == 0)


def test_every_code_decodes_into_its_own_bin(gaussian, rng):
    for values in columns(rng).values():
        _, transformers = lay_out(values, gaussian)
        transformer = transformers[0]
        codes = np.repeat(np.arange(1, transformer.size), 40)
        again = transformer.encode(pd.Series(transformer.decode(codes, rng)))
        # Beyond the integers that floats tell apart, bins may be empty.
        if np.abs(transformer.edges).max() < 2**50:
            assert np.array_equal(again, codes)
        assert np.all(np.diff(transformer.edges) > 0) or transformer.edges[-1] > 2**50


@pytest.mark.parametrize('step', [0.0, 1.0, 0.01])
def test_the_place_of_a_number_is_where_it_is_decoded_from(rng, step):
    edges = np.array([-20.005, -3.005, 0.995, 1.005, 70.005]) if step == 0.01 else None
    edges = np.array([-20.5, -3.5, 0.5, 1.5, 70.5]) if edges is None else edges
    encoder = NumberEncoder(edges, step, nullable=True)
    whole = rng.uniform(-20, 70, 500)
    values = np.round(whole / step) * step if step else whole
    column = pd.Series(np.append(values, np.nan))

    places = encoder.coder.place(column)

    assert np.isnan(places[-1])
    assert ((places[:-1] >= 0) & (places[:-1] < 1)).all()
    again = encoder.decode(encoder.encode(column), rng, np.nan_to_num(places))
    assert again[:-1] == pytest.approx(values, abs=1e-9)
    # Each is placed by itself, whatever stands beside it; what is beyond the range, at its ends.
    alone = [encoder.coder.place(column[at : at + 1])[0] for at in range(20)]
    assert alone == places[:20].tolist()
    assert encoder.coder.place(pd.Series([-1e9, 1e9])) == pytest.approx([0.0, 1.0])


def test_numbers_come_back_as_round_as_they_were(gaussian, rng):
    """Amounts of the three steps, of which some are heavy and have a bin by themselves."""
    size = 30_000
    steps = rng.choice([1000.0, 100.0, 1.0], p=[0.3, 0.2, 0.5], size=size)
    amounts = np.maximum(np.round(rng.lognormal(8, 1, size) / steps), 1) * steps
    table, transformers = lay_out(amounts, gaussian, steps=EVERY_STEP)
    _, back = round_trip(table, transformers, rng)

    assert {1000.0, 100.0, 1.0} <= {step for step, _ in transformers[0].heaps}
    for step in (1000.0, 100.0):
        real, drawn = ((each['x'] % step == 0).mean() for each in (table, back))
        assert drawn == pytest.approx(real, abs=0.03)
    few, real = (each['x'].between(2_400, 2_900) for each in (back, table))
    assert few.sum() == pytest.approx(real.sum(), rel=0.1), 'bins keep their mass'


def test_numbers_beyond_the_range_count_at_its_ends():
    transformer = NumberEncoder(np.array([0.0, 1.0, 2.0]), 0.0, nullable=False)

    assert transformer.encode(pd.Series([-9.0, 1e308, -math.inf, math.inf, 2.0])).tolist() == [
        1, 2, 1, 2, 2,
    ]  # fmt: skip


def test_categories_come_back_as_they_are():
    values = ('a', 1, True, (1, 2), pd.Timestamp('2020-01-01'), 2.5)
    transformer = CategoryEncoder(values, nullable=True)
    column = pd.Series([*values, None, 'never seen', np.nan, 1.0], dtype=object)
    codes = transformer.encode(column)
    back = transformer.decode(codes[:7], np.random.default_rng(0))

    assert codes.tolist() == [1, 2, 3, 4, 5, 6, 0, -1, 0, 2]
    assert list(map(repr, back)) == list(map(repr, [*values, None]))


def test_records_are_encoded_one_by_one(gaussian, rng):
    odd = ['a', 'b', None, 1, True, 1.0, (1, 2), 1e308, datetime.datetime(2020, 1, 1), 'never']
    numbers = [1e308, -0.0, np.nan, math.inf, 7.5, -3, 99_999, 2.0**63, 5e-324, -math.inf]
    train = pd.DataFrame({'x': rng.normal(size=800), 'c': rng.choice(['a', 'b'], size=800)})
    domain = Domain((Number(name='x'), Category(name='c')))
    terms = {'mu': 0.5, 'delta': 1e-6, 'neighbors': 'add_remove', 'noise': gaussian}
    transformers = make_transformers(describe(chunk_table(train), domain, **terms)[0])
    table = pd.DataFrame({'x': numbers, 'c': pd.Series(odd, dtype=object)})
    together = encode(table, transformers)

    alone = [encode(table.iloc[[at]], transformers)[0].tolist() for at in range(len(table))]
    assert together.tolist() == alone
    backwards = encode(table.iloc[::-1], transformers)
    assert np.array_equal(backwards[::-1], together)


def test_what_is_not_listed_has_a_code_if_something_stands_for_it():
    cells = pd.Series(['a', 'c', None, 'b', 'd'], dtype=object)
    spread = CategoryEncoder(('a', 'b'), nullable=True).assign('x')
    missing = CategoryEncoder(('a', 'b'), nullable=True, unreleased=MISSING).assign('x')
    other = CategoryEncoder(('a', 'b'), nullable=False, unreleased='Other').assign('x')

    assert [each.size for each in (spread, missing, other)] == [3, 4, 4]
    assert [each.unlisted for each in (spread, missing, other)] == [-1, 3, 3]
    assert spread.encode(cells).tolist() == [1, -1, 0, 2, -1]
    assert missing.encode(cells).tolist() == [1, 3, 0, 2, 3]
    assert other.encode(cells).tolist() == [1, 3, 3, 2, 3]
    rng, codes = np.random.default_rng(0), np.array([0, 1, 2, 3])
    assert missing.decode(codes, rng).tolist() == [None, 'a', 'b', None]
    assert other.decode(codes, rng).tolist() == [None, 'a', 'b', 'Other']
