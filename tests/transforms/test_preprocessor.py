"""From the table of a user to the columns that are modelled: nothing of the rows is kept."""

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from described import describe
from rdt.transformers import LogScaler
from sdv.cag import FixedCombinations, Inequality
from sdv.errors import InvalidDataError

from sdv_threea.audit.observations import flatten
from sdv_threea.transforms.preprocessor import Preprocessor

COLUMNS = {
    'low': {'sdtype': 'numerical'},
    'high': {'sdtype': 'numerical'},
    'income': {'sdtype': 'numerical'},
    'city': {'sdtype': 'categorical'},
    'country': {'sdtype': 'categorical'},
    'day': {'sdtype': 'datetime', 'datetime_format': '%d.%m.%Y'},
    'mail': {'sdtype': 'email'},
}


def make(*, coerce=False, target=None):
    metadata = describe(COLUMNS)
    preprocessor = Preprocessor(metadata, target=target, coerce=coerce)
    preprocessor.add_constraints(
        [Inequality('low', 'high'), FixedCombinations(['city', 'country'])]
    )
    preprocessor.check_transformers({'income': LogScaler()})
    preprocessor.choose_transformers({'income': LogScaler()})
    return preprocessor


def make_table(seed=0, num_rows=200):
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 50, num_rows)
    days = pd.Timestamp('2020-01-01') + pd.to_timedelta(rng.integers(0, 300, num_rows), 'D')
    return pd.DataFrame(
        {
            'low': low,
            'high': low + rng.integers(0, 9, num_rows),
            'income': rng.lognormal(3, 1, num_rows).round(2),
            'city': rng.choice(['Bern', 'Chur'], num_rows),
            'country': 'CH',
            'day': days.strftime('%d.%m.%Y'),
            'mail': [f'secret-{at}@example.com' for at in range(num_rows)],
        }
    )


def process(preprocessor, table):
    given = preprocessor.take({'t': table})
    preprocessor.check(given)
    proxy = preprocessor.prepare(given.header)
    return preprocessor.translate(table), proxy


def test_what_is_kept_is_a_function_of_the_dtypes():
    one, other = make(), make()
    _, first = process(one, make_table(0, 200))
    _, second = process(other, make_table(1, 333).assign(low=-7, city='Lyon'))

    pd.testing.assert_frame_equal(first, second)
    assert flatten(one) == flatten(other)
    assert b'secret' not in cloudpickle.dumps(one)


def test_the_proxy_has_the_columns_and_dtypes_and_tells_nothing_else():
    table = make_table()
    _, proxy = process(make(), table)

    assert proxy.dtypes.to_dict() == table.dtypes.to_dict()
    assert all(len(set(proxy[name])) == 1 for name in proxy)


@pytest.mark.parametrize(
    ('change', 'complaint'),
    [
        ({'low': 'secret'}, "'low'.*not numbers"),
        ({'income': -987_654.0}, r"'income' has values .* LogScaler\(\) cannot take"),
    ],
)
def test_complaints_show_no_value(change, complaint):
    table = make_table().assign(**change)
    with pytest.raises(InvalidDataError, match=complaint) as error:
        process(make(), table)
    assert 'secret' not in str(error.value)
    assert '987654' not in str(error.value)

    process(make(coerce=True), table)
