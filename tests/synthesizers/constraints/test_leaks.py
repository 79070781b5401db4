"""Constraints bring nothing private with them, and take nothing private away."""

import cloudpickle
import pandas as pd
import pytest
from sdv.cag import FixedCombinations, Inequality

from sdv_threea import ClustMixSynthesizer
from sdv_threea.synthesizers import single_table

NAME = 'people'


def spot(data, **secret):
    """Give one record a combination of its own, of values that others have too, or have not."""
    data = data.copy()
    for name, value in secret.items():
        data.loc[data.index[0], name] = value
    return data


def test_a_rare_combination_does_not_leave(fit, table):
    data = spot(table[['city', 'country', 'low']], city='secret-city', country='secret-country')
    data = spot(data.iloc[::-1], city='Bern', country='FR')
    constraint = FixedCombinations(['city', 'country'])
    synthesizer = fit([constraint], data, epsilon=5.0)
    sampled = synthesizer.sample(3_000)[NAME]

    assert b'secret' not in cloudpickle.dumps(synthesizer)
    assert ('Bern', 'FR') not in set(zip(sampled['city'], sampled['country'], strict=True))
    assert ('Bern', 'FR') not in synthesizer._model.domain['city#country'].values  # noqa: PD011
    assert b'Basel' in cloudpickle.dumps(synthesizer)
    assert constraint._combinations is None


def test_what_a_constraint_learned_elsewhere_is_left_behind(metadata, table):
    constraints = [FixedCombinations(['city', 'country']), Inequality('low', 'high')]
    for constraint in constraints:
        constraint.fit(spot(table, city='secret-city', high=98_765), metadata)
    synthesizer = ClustMixSynthesizer(metadata)
    synthesizer.add_constraints(constraints)
    kept = cloudpickle.dumps(synthesizer)

    assert b'secret-city' not in kept
    assert b'secret-city' in cloudpickle.dumps(constraints)
    assert synthesizer.get_constraints()[1]._formatters[NAME]['high']._max_value != 98_765
    constraints[0].fit(spot(table, city='another-secret'), metadata)
    assert b'another-secret' not in cloudpickle.dumps(synthesizer)


@pytest.fixture
def other_table(make):
    """Wholly other rows: ranges, combinations, differences and missing values."""
    other = make(2_000, seed=1)
    for name in ('low', 'middle', 'high'):
        other[name] = 3 * other[name] - 1_000
    other['city'] = other['city'].str.upper().mask(other.index % 7 == 0)
    other['country'] = other['country'].str.lower()
    other['known'], other['later'] = other['known'].fillna(-5.0), other['later'] + 9_000.0
    other['start'] = '24.12.1990'
    other['salary'] = other['salary'] - 500_000
    return other


def test_a_fitted_synthesizer_is_a_function_of_the_release(
    fit, table, compare, other_table, everything, even_low, below_largest
):
    constraints = [*everything, even_low(), below_largest('unsorted')]
    tables = [each[each['low'] % 2 == 0] for each in (table, other_table)]
    model = fit(constraints, tables[0])._model

    def fit_constant(data):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(single_table, 'release', lambda *_: model)
            return fit(constraints, data)

    one, other = map(fit_constant, tables)
    assert compare(one.__getstate__(), other.__getstate__()) == []
    loaded = [cloudpickle.loads(cloudpickle.dumps(each)) for each in (one, other)]
    assert compare(*loaded) == []
    pd.testing.assert_frame_equal(one.sample(90)[NAME], other.sample(90)[NAME])
    assert compare(one.__getstate__(), other.__getstate__()) == []
