import math
from functools import partial

import numpy as np
import pandas as pd
import pytest

from sdv_threea.constants import RECORDS_PER_NOISE, DescribeConstants, EncodingConstants
from sdv_threea.describe.description import Description, describe
from sdv_threea.domain import MISSING, SPREAD, Category, Domain, Number
from sdv_threea.encoding.classes import make_classes, settle_guess
from sdv_threea.encoding.encoders import encode, make_transformers
from sdv_threea.rows.chunks import chunk_table
from sdv_threea.rows.codes import label

CONSTANTS = EncodingConstants()
describe = partial(describe, constants=DescribeConstants())
make_classes = partial(make_classes, constants=CONSTANTS)


def classify(target, noise, *, mu=0.5, scale=2.0, **known):
    """Lay out a table of a feature and a target, and label its records."""
    numerical = isinstance(target, np.ndarray) and target.dtype.kind == 'f'
    column = Number if numerical else Category
    table = pd.DataFrame({'x': np.linspace(0, 1, len(target)), 'y': target})
    domain = Domain((Number(name='x'), column(name='y', **known)), 'y')
    description, _ = describe(
        chunk_table(table), domain, mu=mu, delta=1e-6, neighbors='add_remove', noise=noise
    )
    transformers = make_transformers(description)
    classes = make_classes(description, transformers, scale)
    codes = encode(table, transformers)
    return classes, codes, label(codes, classes.target, classes.of_code)


@pytest.mark.parametrize('values', [['no', 'yes'], [0, 1], [False, True], ['a', 'b', 'c', 'd']])
def test_each_value_of_a_category_is_a_class(gaussian, rng, values):
    target = pd.Series(rng.choice(len(values), size=3000)).map(dict(enumerate(values)))
    classes, codes, labels = classify(target, gaussian)

    assert classes.count == len(values)
    assert sorted(np.unique(labels)) == list(range(len(values)))
    assert all(len(set(labels[target == value])) == 1 for value in values)
    assert classes.scored(2).tolist() == [0]
    assert np.array_equal(classes.target_code()[labels], codes[:, 1])


def test_a_missing_category_is_a_class_if_it_may_occur(gaussian, rng):
    target = pd.Series(rng.choice(['a', 'b', None], size=3000), dtype=object)
    classes, codes, labels = classify(target, gaussian)
    assert classes.count == 3
    assert np.all(labels[target.isna()] == 0)
    assert np.array_equal(classes.target_code()[labels], codes[:, 1])

    classes, _, labels = classify(target, gaussian, nullable=False)
    assert classes.count == 2
    assert np.all(labels[target.isna()] == -1)
    assert classes.target_code().tolist() == [1, 2]


def test_a_value_that_is_not_on_the_list_has_no_class(gaussian):
    target = pd.Series(['a', 'b', 'c', None], dtype=object)
    _, _, labels = classify(target, gaussian, values=('b', 'a'), nullable=False)

    assert labels.tolist() == [1, 0, -1, -1]


def test_a_numerical_target_is_cut_into_bins_of_about_equal_mass(gaussian, rng):
    target = rng.lognormal(3, 1, size=20_000)
    classes, _, labels = classify(target, gaussian)
    sizes = np.bincount(labels)

    assert classes.ordered
    assert classes.count == len(sizes) == CONSTANTS.most_classes
    assert sizes.min() > 400
    assert sizes.max() < 2000
    middles = [target[labels == label].mean() for label in range(classes.count)]
    assert np.all(np.diff(middles) > 0)
    assert classes.scored(2).tolist() == [0, 1]
    assert classes.target_code() is None


def test_noise_decides_how_many_bins_there_are(gaussian, rng):
    target = rng.normal(size=5000)

    for scale, least, most in (
        (10.0, 5, 5),
        (1e6, 1, 1),
        (0.0, CONSTANTS.most_classes, CONSTANTS.most_classes),
    ):
        classes = classify(target, gaussian, scale=scale)[0]
        assert least <= classes.count <= most
        if 1 < classes.count < CONSTANTS.most_classes:
            assert classes.count == pytest.approx(5000 / (RECORDS_PER_NOISE * scale), abs=1)


def test_a_missing_number_is_a_class_of_its_own(gaussian, rng):
    target = np.where(rng.random(6000) < 0.3, np.nan, rng.normal(size=6000))
    classes, _, labels = classify(target, gaussian)
    assert set(labels[np.isnan(target)]) == {classes.count - 1}
    assert classes.count - 1 not in labels[~np.isnan(target)]

    labels = classify(target, gaussian, nullable=False)[2]
    assert set(labels[np.isnan(target)]) == {-1}


ONLY = {'name': 'y', 'values': ('a', 'b'), 'nullable': False, 'unreleased': MISSING}


@pytest.mark.parametrize(
    ('facts', 'listed', 'stands'),
    [
        ({}, (960.0, 10.0), True),
        ({}, (900.0, 10.0), False),  # a tenth of the records has other values
        ({}, (900.0, 40.0), True),  # or not: the noise may say so
        ({}, None, True),  # all values are stated
        ({'nullable': True}, (1000.0, 10.0), False),
        ({'values': tuple('abcdef')}, (1000.0, 10.0), False),
        ({'values': ()}, (0.0, 0.0), False),
    ],
)
def test_a_guess_remains_the_target_if_all_of_its_values_were_found(facts, listed, stands):
    domain = Domain((Number(name='x'), Category(**{**ONLY, **facts})), 'y')
    known = {} if listed is None else {'y': listed}
    settled = settle_guess(Description(domain, listed=known), (1000.0, 10.0), 5, 4.0)
    assert settled.domain.target == ('y' if stands else None)
    assert settled.domain['y'].unreleased == (SPREAD if stands else MISSING)
    assert settled.domain['x'] == domain['x']


def test_how_many_records_have_a_value_that_was_found_is_released(gaussian, rng):
    target = pd.Series(rng.choice(['a', 'b', None], 3000, p=[0.5, 0.3, 0.2]), dtype=object)
    table = pd.DataFrame({'x': np.linspace(0, 1, 3000), 'y': target})
    domain = Domain((Number(name='x'), Category(name='y')), 'y')
    told = {'mu': 0.5, 'delta': 1e-6, 'neighbors': 'add_remove', 'noise': gaussian}
    description, receipts = describe(chunk_table(table), domain, **told)
    (scale,) = (each.noise_scale for each in receipts if 'classes' in each.released)
    count, noise = description.listed['y']
    assert noise == pytest.approx(scale * math.sqrt(2), rel=1e-3)
    assert abs(count - target.notna().sum()) < 5 * noise
