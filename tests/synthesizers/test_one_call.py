"""A DataFrame without metadata: names and dtypes are public, and no cell is looked at."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sdv.errors import InvalidDataTypeError, SynthesizerInputError

from sdv_threea import synthesize
from sdv_threea.synthesizers import AssumptionWarning


def make_people(seed=0, rows=4000):
    rng = np.random.default_rng(seed)
    group = rng.choice(['low', 'high'], rows)
    return pd.DataFrame(
        {
            'key': range(rows),
            'whole': rng.integers(50, size=rows),
            'real': rng.normal(group == 'high', 1),
            'flag': rng.random(rows) < 0.3,
            'maybe': pd.array(rng.choice([True, None], rows), dtype='boolean'),
            'day': pd.Timestamp('2020-01-01') + pd.to_timedelta(rng.integers(99, size=rows), 'D'),
            'group': group,
            'level': pd.Categorical(group, categories=['low', 'middle', 'high']),
            'string': pd.array(group, dtype='string'),
        }
    )


def test_one_call_gives_rows_of_every_kind_and_says_what_it_assumed():
    people = make_people()
    with pytest.warns(AssumptionWarning, match='Assumed by names and dtypes alone') as told:
        rows, synthesizer = synthesize(people, 8.0, target='group', sdtypes={'key': 'id'})

    said = str(told[0].message)
    for wanted in (
        'id: key;', 'numerical: whole, real;', 'boolean: flag, maybe;', 'datetime: day;',
        'categorical: group, level, string.', 'Every row is one unit',
    ):  # fmt: skip
        assert wanted in said
    assert told[0].filename == __file__
    assert list(rows) == list(people)
    # The released number of rows has noise of some rows at epsilon 8.
    assert len(rows) == round(synthesizer._model.num_rows)
    assert 3700 < len(rows) < 4300
    assert set(rows['group']) == {'low', 'high'}
    assert rows['day'].between('2019-12-25', '2020-04-20').all()
    statement = synthesizer.get_privacy_statement()
    assert (statement.epsilon, statement.fits) == (8.0, 1)
    assert not [fact for fact in statement.public if 'stated in the metadata' in fact]


def test_what_is_assumed_does_not_depend_on_a_cell():
    """Neither texts that look like numbers or dates, nor few values, nor categories of a dtype."""
    told = []
    for values in (['1', '2'], ['2020-01-01', 'x'], ['Jane Doe', None]):
        table = pd.DataFrame({'word': pd.Categorical(values * 200), 'number': [0.0, 1.0] * 200})
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter('always')
            rows, synthesizer = synthesize(table, 1.0, num_rows=7)
        assert len(rows) == 7
        told.append([str(each.message) for each in found if each.category is AssumptionWarning])
        assert synthesizer.metadata.to_dict()['tables']['table']['columns'] == {
            'word': {'sdtype': 'categorical'}, 'number': {'sdtype': 'numerical'},
        }  # fmt: skip
    assert told[0] == told[1] == told[2]


def make_customers(rows=600):
    """Names that many rows share: as categories they would be released, word for word."""
    return pd.DataFrame(
        {
            'customerID': [f'C-{each}' for each in range(rows)],
            'first_name': ['Xaveria'] * rows,
            'last_name': pd.Categorical(['Quux'] * rows),
            'city': pd.array(['Bern'] * rows, dtype='string'),
            'phone': ['555-0199'] * rows,
            'tenure': range(rows),
            'plan': ['basic', 'full'] * (rows // 2),
        }
    )


def test_what_names_call_personal_is_made_up_and_said():
    customers = make_customers()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', AssumptionWarning)
        with pytest.raises(SynthesizerInputError, match=r"'customerID'.*accept=\['unit'\]"):
            synthesize(customers, 1000.0, target='plan')
    with pytest.warns(AssumptionWarning) as told:
        rows, synthesizer = synthesize(
            customers, 1000.0, target='plan', num_rows=300, accept='unit'
        )

    for name in ('customerID', 'first_name', 'last_name', 'city', 'phone'):
        assert not set(rows[name]) & set(customers[name])
    assert set(rows['plan']) == {'basic', 'full'}
    assert synthesizer._model.domain.names == ('tenure', 'plan')
    (said,) = [str(each.message) for each in told if each.category is AssumptionWarning]
    assert 'made up' in said
    assert "sdtypes={'phone': 'categorical'}" in said


def test_texts_that_are_dates_by_their_name_are_asked_about_before_anything_is_read():
    days = pd.date_range('2012-01-01', periods=300).strftime('%Y/%m/%d').astype(object)
    weather = pd.DataFrame({'date': days, 'wind': np.arange(300.0)})
    with pytest.raises(SynthesizerInputError, match=r"sdtypes=\{'date': 'datetime'\}"):
        synthesize(weather, 1000.0)
    with pytest.warns(AssumptionWarning):
        rows, _ = synthesize(weather, 1000.0, num_rows=9, sdtypes={'date': 'datetime'})
    assert set(pd.to_datetime(rows['date']).dt.year) == {2012}
    for known in (weather.astype({'date': 'category'}), weather.astype({'date': 'datetime64[ns]'})):
        with pytest.warns(AssumptionWarning):
            synthesize(known, 1000.0, num_rows=9)


def test_free_text_is_asked_about_before_anything_is_read():
    people = pd.DataFrame(
        {
            'Name': ['Braund, Mr. Owen Harris'] * 300,
            'notes': ['Mrs. Quux is ill'] * 300,
            'code': [1, 2, 3] * 100,
            'fare': np.arange(300.0),
        }
    )
    stated = {'code': 'categorical'}
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        with pytest.raises(SynthesizerInputError) as asked:
            synthesize(people, 1000.0, sdtypes=stated)
    line = "sdtypes={'code': 'categorical', 'Name': 'text', 'notes': 'text'}"
    assert line in str(asked.value)
    assert 'Quux' not in str(asked.value)

    with pytest.warns(AssumptionWarning):
        rows, _ = synthesize(
            people, 1000.0, num_rows=9, sdtypes={**stated, 'Name': 'text', 'notes': 'categorical'}
        )
    assert not set(rows['Name']) & set(people['Name'])
    assert set(rows['notes']) == set(people['notes'])
    assert list(rows) == list(people)


@pytest.mark.parametrize(
    ('table', 'more', 'error', 'complaint'),
    [
        ({'a': [1]}, {}, InvalidDataTypeError, 'must be a DataFrame'),
        (pd.DataFrame({'a': [1]}), {'sdtypes': {'b': 'id'}}, SynthesizerInputError, 'no columns'),
        (pd.DataFrame({'a': [1j]}), {}, SynthesizerInputError, 'complex128 of the column'),
        (pd.DataFrame([[1, 2]], columns=['a', 'a']), {}, SynthesizerInputError, 'the same name'),
        (pd.DataFrame({'a': [1]}), {'target': 'b'}, SynthesizerInputError, 'b'),
        (pd.DataFrame({'a': [1]}), {'epsilon': -1}, SynthesizerInputError, 'epsilon'),
    ],
)
def test_what_cannot_be_told_is_refused_before_anything_is_read(table, more, error, complaint):
    with pytest.raises(error, match=complaint):
        synthesize(table, **{'epsilon': 1.0} | more)
