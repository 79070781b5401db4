"""Rows that meet conditions, of a release and without a synthesizer around it."""

import math

import numpy as np
import pandas as pd
import pytest
from described import describe
from sdv.cag import Inequality
from unpaired import Unpaired

from sdv_threea.conditions.sampler import LEAST_DRAWN, ConditionSampler
from sdv_threea.pipeline import release
from sdv_threea.sampling.asked import deal
from sdv_threea.transforms.preprocessor import Preprocessor

COLUMNS = {'age': 'numerical', 'city': 'categorical', 'mail': 'email'}


def make_sampler(table, columns, constraints, rng):
    """A sampler that notes how many rows are made up at a time."""
    preprocessor = Preprocessor(describe(columns), target=None, coerce=False)
    preprocessor.add_constraints(constraints)
    given = preprocessor.take({'t': table})
    preprocessor.prepare(given.header)
    rows = given.rows.map(preprocessor.make_translation())
    settings = Unpaired(epsilon=math.inf)
    released = release(rows, preprocessor.derive().derived, settings, rng=rng)
    preprocessor.learn(released.domain, released.transformers)
    made = []

    def generate(rows):
        made.append(len(rows))
        return rows.reindex(columns=list(table)).fillna('made up').astype(table.dtypes.to_dict())

    return ConditionSampler(released, preprocessor, generate), made


@pytest.fixture(scope='module')
def sampler():
    rng = np.random.default_rng(0)
    city = rng.choice(['Bern', 'Chur'], 400, p=[0.99, 0.01])
    table = pd.DataFrame({'age': rng.integers(18, 90, 400), 'city': city, 'mail': 'private'})
    return make_sampler(table, COLUMNS, [], rng)


def draw(sampler, known, max_tries=100, batch_size=None):
    rng = np.random.default_rng(1)
    return list(sampler.sample(pd.DataFrame(known), rng, max_tries, batch_size))


def test_batches_are_as_large_as_asked_for_and_rows_have_the_index_of_their_conditions(sampler):
    sampler, made = sampler
    made.clear()
    known = pd.DataFrame({'mail': list('abcde')}, index=[7, 3, 5, 9, 1])
    parts = draw(sampler, known, batch_size=2)

    assert made == [2, 2, 1]
    assert [list(part.index) for part in parts] == [[7, 3], [5, 9], [1]]
    assert pd.concat(parts)['mail'].equals(known['mail'])


def test_what_cannot_be_met_is_dropped_with_a_warning_that_shows_no_condition(sampler):
    sampler, _ = sampler
    with pytest.warns(UserWarning, match=r"Only some .* 'city' other than \['Bern', 'Chur'\]") as e:
        (rows,) = draw(sampler, {'city': ['Bern', 'secret']})

    assert list(rows.index) == [0]
    assert 'secret' not in str(e[0].message)


class Rejecting:
    """A constraint that some rows break."""

    def __init__(self, chance):
        self.rng, self.chance, self.asked = np.random.default_rng(2), chance, []

    def is_valid(self, rows):
        self.asked.append(len(rows))
        return self.rng.random(len(rows)) < self.chance


@pytest.mark.parametrize(('max_tries', 'complete'), [(1, False), (100, True)])
def test_rows_that_constraints_reject_are_drawn_again_several_at_a_time(
    sampler, max_tries, complete
):
    sampler, made = sampler
    adopted = sampler.preprocessor.constraints.adopted
    adopted.append(Rejecting(0.3))
    made.clear()
    try:
        (rows,) = draw(sampler, {'city': ['Bern'] * 60}, max_tries)
    finally:
        adopted.clear()

    assert (len(rows) == 60) is complete
    assert rows.index.is_unique and rows.index.is_monotonic_increasing
    assert len(made) == 1 if max_tries == 1 else 2 <= len(made) <= 3
    assert all(size >= LEAST_DRAWN for size in made[1:])


def test_a_drawn_row_serves_any_equal_condition_and_heavy_rows_serve_first():
    offered, wanted = np.array([1, 0, 1, 1, 2]), np.array([0, 1, 3, 1])
    weights = np.array([1e-9, 1.0, 1.0, 1.0, 1.0])
    kept, served = deal(offered, weights, wanted, np.random.default_rng(0))

    assert sorted(kept) == [1, 2, 3]
    assert (offered[kept] == wanted[served]).all()
    assert sorted(served) == [0, 1, 3]


def test_where_nothing_is_modelled_what_is_known_is_written():
    metadata = describe({'mail': 'email'})
    preprocessor = Preprocessor(metadata, target=None, coerce=False)
    sampler = ConditionSampler(None, preprocessor, lambda rows: rows.assign(mail='made up'))
    (rows,) = draw(sampler, {'mail': ['a', 'b']})

    assert rows['mail'].tolist() == ['a', 'b']


@pytest.fixture(scope='module')
def ordered():
    """A sampler of three ordered numbers, of which differences were released."""
    rng = np.random.default_rng(3)
    low = rng.integers(0, 200, 300)
    rows = {'low': low, 'middle': low + rng.integers(0, 9, 300)}
    table = pd.DataFrame(rows | {'high': rows['middle'] + rng.integers(0, 9, 300)})
    order = [Inequality('low', 'middle'), Inequality('middle', 'high')]
    return make_sampler(table, dict.fromkeys(table, 'numerical'), order, rng)


@pytest.mark.parametrize(
    ('known', 'tries'),
    [
        ({'low': 5}, 1), ({'high': 90}, 9), ({'middle': 60, 'high': 63}, 9),
        ({'low': 60, 'high': 70}, 9), ({'low': 60, 'middle': 63, 'high': 70}, 1),
    ],
    ids=str,
)  # fmt: skip
def test_known_numbers_follow_from_differences_by_solving_for_the_others(ordered, known, tries):
    sampler, made = ordered
    made.clear()
    (drawn,) = draw(sampler, {name: [value] * 200 for name, value in known.items()})

    assert len(drawn) == 200
    assert len(made) <= tries
    assert all((drawn[name] == value).all() for name, value in known.items())
    assert (drawn['low'] <= drawn['middle']).all() and (drawn['middle'] <= drawn['high']).all()
