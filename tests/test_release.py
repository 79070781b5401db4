import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from chance import silent
from unpaired import Unpaired

from sdv_threea.constants import AdaptConstants
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.pipeline import release as run_pipeline
from sdv_threea.sampling.asked import CodeCondition, ImpossibleCondition
from sdv_threea.settings import Constants


@pytest.fixture
def rng():
    return np.random.default_rng(37)


def make_table(rng, num_rows=2_000):
    label = rng.random(num_rows) < 0.3
    number = np.rint(rng.normal(50 + 20 * label, 8)).clip(0, 100)
    color = np.where(rng.random(num_rows) < 0.2 + 0.5 * label, 'red', 'blue').astype(object)
    target = np.where(label, 'yes', 'no').astype(object)
    return pd.DataFrame({'number': number, 'color': color, 'target': target})


DOMAIN = Domain(
    (
        Number(name='number', low=0.0, high=100.0, step=1.0, nullable=False),
        Category(name='color', values=('red', 'blue', 'green'), nullable=False),
        Category(name='target', values=('no', 'yes'), nullable=False),
    ),
    target='target',
)


def make_release(table, domain=DOMAIN, *, epsilon=math.inf, **adapt):
    constants = Constants(adapt=AdaptConstants(**adapt))
    settings = Unpaired(epsilon=epsilon, delta=1e-6, constants=constants)
    return run_pipeline(table, domain, settings, noise=silent, rng=np.random.default_rng(1))


def test_the_number_of_rows_is_an_estimate_from_what_is_released(rng):
    released = make_release(make_table(rng, 500))

    assert released.num_rows == pytest.approx(500)
    assert len(released.sample(0, rng)) == 0


def list_arrays(value):
    """All arrays in a value, however deep."""
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, (list, tuple)):
        parts = value
    elif isinstance(value, dict):
        parts = value.values()
    else:
        parts = vars(value).values() if hasattr(value, '__dict__') else ()
    return [array for part in parts for array in list_arrays(part)]


def test_a_release_holds_plain_numpy_and_nothing_as_long_as_the_table(rng):
    """Its size is that of the domain: twice the records, not a number more."""
    sizes = 997, 2 * 997
    made = [make_release(make_table(rng, size), doubt=-1e9) for size in sizes]
    # How many features there are follows from the draws, and has a bound of its own.
    assert all(each.adapted.interplay.weights.shape[1] <= 256 for each in made)
    small, large = (replace(each, adapted=replace(each.adapted, interplay=None)) for each in made)
    arrays = [*list_arrays(small), *list_arrays(made[0].adapted.interplay)]

    assert len(arrays) > 10
    assert all(type(array) is np.ndarray for array in arrays)
    shapes = [[part.shape for part in list_arrays(each)] for each in (small, large)]
    assert shapes[0] == shapes[1]
    assert all(997 not in part.shape for part in arrays)


def sample_allowed(released, num_rows, rng, **values):
    """Sample rows with some values of columns."""
    asked = {}
    for name, wanted in values.items():
        found = {each.name: each for each in released.transformers}[name]
        mask = np.isin(np.arange(found.size), found.encode(pd.Series(wanted)))
        asked[name] = CodeCondition(np.full(num_rows, -1), mask[None], released.chances(name) > 0)
    return released.sample(num_rows, rng, asked)


def test_an_impossible_condition_names_the_column(rng):
    released = make_release(make_table(rng))

    with pytest.raises(ImpossibleCondition, match="'color'"):
        sample_allowed(released, 5, rng, color=['green'], number=[50.0])


def test_conditions_that_no_class_shares_are_impossible_together(rng):
    table = make_table(rng)
    table['color'] = np.where(table['target'] == 'yes', 'red', 'blue')
    released = replace(make_release(table), adapted=None)

    with pytest.raises(ImpossibleCondition, match='none to all of them together'):
        sample_allowed(released, 5, rng, color=['red'], target=['no'])


def test_chances_are_those_of_the_samples(rng):
    released = make_release(make_table(rng))
    rows = released.sample(20_000, rng)

    shares = released.mixture.weights.sum(axis=1) / released.num_rows
    assert (released.chances('target') == [[0, 1, 0], [0, 0, 1]]).all()
    color = shares @ released.chances('color')
    assert color[3] == 0
    assert (rows['color'] == 'red').mean() == pytest.approx(color[1], abs=0.02)


def test_classes_without_weight_have_no_chances_and_are_never_drawn(rng):
    released = make_release(make_table(rng))
    weights = released.mixture.weights * [[1.0], [0.0]]
    without = replace(released, mixture=replace(released.mixture, weights=weights))

    assert (without.chances('color')[1] == 0).all()
    assert (sample_allowed(without, 200, rng, color=['red'])['target'] == 'no').all()
    with pytest.raises(ImpossibleCondition, match="'target'"):
        sample_allowed(without, 1, rng, target=['yes'])
