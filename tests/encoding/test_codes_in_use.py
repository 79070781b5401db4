"""Which codes of a number occur, by what columns with alike counts show together."""

import numpy as np
import pytest

from sdv_threea.constants import DescribeConstants
from sdv_threea.encoding.codes_in_use import find_codes
from sdv_threea.encoding.encoders import NumberEncoder

#: The records of each answer to a question of 4,000 people, most of whom were not asked.
ANSWERS = {-9: 120, -7: 2320, 1: 310, 2: 310, 3: 310, 4: 310, 5: 310}


def look(columns, rng, scale=56.0, hidden=()):
    """Count the values of columns with noise; return those that can occur, by column."""
    transformers, counts, masks = [], [], []
    for at, records in enumerate(columns):
        low, high = min(records), max(records)
        edges = np.arange(low - 1.5, high + 2.5)
        transformers.append(NumberEncoder(edges, 1.0, False, ()).assign(f'q{at}'))
        exact = [0, *(records.get(value, 0) for value in range(low - 1, high + 2))]
        counts.append(np.array(exact) + (rng.normal(0, scale, len(exact)) if scale else 0.0))
        values = np.arange(low - 2, high + 2)
        masks.append((values > low - 2) & ~np.isin(values, hidden))
    records = float(sum(columns[0].values()))
    found = find_codes(masks, transformers, counts, scale, records, DescribeConstants())
    return [
        set((np.flatnonzero(mask) + min(own) - 2).tolist())
        for mask, own in zip(found, columns, strict=True)
    ]


def test_alike_columns_show_codes_and_gaps_that_noise_masks_in_each(rng):
    found = look([ANSWERS] * 25, rng, hidden=(-10, -9, 6))

    assert all(own == {*ANSWERS} for own in found)


def test_a_column_by_itself_keeps_the_codes_that_noise_may_mask(rng):
    months = {12: 180, 13: 4, 15: 64, 18: 113, 20: 8, 24: 184, 30: 40, 36: 83}
    (found,) = look([months], rng)

    assert found == set(range(11, 38))


@pytest.mark.parametrize('scale', [8.0, 0.0])
def test_with_little_noise_a_column_shows_its_codes_by_itself(scale, rng):
    (found,) = look([ANSWERS], rng, scale)

    assert found - {-10, 6} == {*ANSWERS}


def test_unlike_columns_share_nothing(rng):
    ages = {value: 60 for value in range(-9, 58)}
    *questions, of_ages = look([*[ANSWERS] * 25, ages], rng, hidden=(-10, 6))

    assert all(own == {*ANSWERS} for own in questions)
    assert {*range(-9, 58)} - {-10, 6} <= of_ages


def test_a_code_of_one_column_alone_stays_if_its_own_count_shows_it(rng):
    more = ANSWERS | {-7: 2010, 0: 310}
    *others, found = look([*[ANSWERS] * 24, more], rng)

    assert 0 in found
    assert not any(0 in own for own in others)
