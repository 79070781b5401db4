"""Columns with pseudonyms: real frequencies, made-up names, and no real name anywhere."""

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from described import describe, describe_tables
from rdt.transformers import AnonymizedFaker, LabelEncoder, PseudoAnonymizedFaker
from restored import restore
from sdv.errors import InvalidDataError, SynthesizerInputError
from sdv.sampling import Condition

from sdv_threea import (
    ClustMixMultiTableSynthesizer,
    ClustMixSequentialSynthesizer,
    ClustMixSynthesizer,
)
from sdv_threea.synthesizers import single_table
from sdv_threea.transforms import preprocessor

COLUMNS = {'doctor': 'name', 'ward': 'categorical', 'cost': 'numerical'}
METADATA = describe(COLUMNS, 'visits')
VISITS = {'patient': 'id', **COLUMNS}
TABLES = {'patients': {'id': 'id', 'gp': 'name', 'age': 'numerical'}, 'visits': VISITS}
DATABASE = describe_tables(TABLES, ('visits', 'patient', 'patients', 'id'))

#: A real name starts with this, and no made-up one does.
REAL = 'Qzx'
SECRET = b'the key of names'


def make_visits(number=6_000, doctors=40, seed=0):
    """Visits in which a doctor has one ward, and the k-th doctor ``1 / k`` of the visits."""
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1.0, doctors + 1)
    chosen = rng.choice(doctors, number, p=shares / shares.sum())
    return pd.DataFrame(
        {
            'doctor': np.array([f'{REAL} doctor {at}' for at in range(doctors)])[chosen],
            'ward': np.array(list('ABCD'))[chosen % 4],
            'cost': rng.gamma(2, 100, number).round(),
        }
    )


def fit(table, metadata=METADATA, epsilon=8.0, pseudonyms=('doctor',), **settings):
    synthesizer = ClustMixSynthesizer(
        metadata, epsilon=epsilon, pseudonyms=list(pseudonyms), **settings
    )
    synthesizer.fit({'visits': table})
    return synthesizer


@pytest.fixture(scope='module')
def fitted():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(preprocessor, 'token_bytes', lambda _: SECRET)
        return fit(make_visits())


def test_names_are_as_many_and_as_frequent_as_they_are(fitted):
    names = fitted.sample(6_000)['visits']['doctor'].value_counts()
    real = make_visits()['doctor'].value_counts()

    assert 25 <= len(names) <= 80
    assert np.abs(names.iloc[:10].to_numpy() - real.iloc[:10].to_numpy()).max() < 350
    assert not names.index.str.contains(REAL).any()


def test_no_real_name_and_no_key_is_kept(fitted, tmp_path, walk):
    fitted.save_release(tmp_path / 'visits.release')
    sheet = fitted.datasheet()
    sheet.save_html(tmp_path / 'sheet.html')
    told = [fitted, fitted.get_privacy_statement(), fitted.check(), fitted.get_losses()]
    told += [fitted.get_transformers(), fitted.get_metadata().to_dict()]
    kept = [each.read_bytes() for each in tmp_path.iterdir()]
    kept += [cloudpickle.dumps(fitted), '\n'.join(map(str, told)).encode()]

    assert len(kept) == 4
    assert not any(REAL.encode() in each or SECRET in each for each in kept)
    assert not any(REAL in str(leaf) or leaf[-1] == SECRET for _, leaf in walk(fitted.__dict__))


def test_a_release_gives_the_same_names(fitted, tmp_path):
    restore(fitted, tmp_path / 'visits.release', lambda each: each.sample(200))
    fitted.reset_sampling()


def test_it_is_said_how_many_names_there_are(fitted):
    number = len(fitted._model.domain['doctor'].pseudonyms.sizes)

    assert fitted.get_losses().loc['doctor', 'loss'] == 'pseudonyms'
    assert f'doctor  {number} made-up names' in str(fitted.get_privacy_statement())
    assert f'{number} made-up names' in fitted.datasheet().to_markdown()
    assert 'counts learned' in str(fitted.check())


def test_rows_of_a_made_up_name_can_be_asked_for(fitted):
    wanted = fitted.sample(500)['visits']['doctor'].value_counts().index[0]
    rows = fitted.sample_from_conditions([Condition({'doctor': wanted}, 20)])['visits']

    assert rows['doctor'].tolist() == [wanted] * 20
    assert rows['ward'].value_counts().iloc[0] > 10
    with pytest.raises(ValueError, match='doctor'):
        fitted.sample_from_conditions([Condition({'doctor': 'Nobody at all'}, 1)])


def test_the_same_release_of_other_names_is_the_same_synthesizer(fitted, compare, monkeypatch):
    release, other = fitted._model, make_visits(seed=1)
    monkeypatch.setattr(single_table, 'release', lambda *_: release)
    other['doctor'] = other['doctor'].str.upper()
    fits = [fit(table) for table in (make_visits(), other)]

    assert compare(*(each.__getstate__() for each in fits)) == []
    pd.testing.assert_frame_equal(*(each.sample(100)['visits'] for each in fits))


def test_names_that_do_not_repeat_are_made_up_row_by_row_until_they_do():
    table = make_visits(2_000)
    alone = table.assign(doctor=[f'{REAL} {at}' for at in range(len(table))])
    synthesizer = fit(alone)
    once = synthesizer.sample(500)['visits']
    synthesizer.fit({'visits': table})
    repeated = synthesizer.sample(500)['visits']
    synthesizer.fit({'visits': alone})
    again = synthesizer.sample(500)['visits']

    assert min(once['doctor'].nunique(), again['doctor'].nunique()) > 480
    assert repeated['doctor'].nunique() < 200
    assert synthesizer.get_losses().loc['doctor', 'said'].startswith('A made-up name in each row')


@pytest.mark.parametrize('dtype', ['category', object])
def test_names_may_be_missing_and_stored_in_any_way(dtype):
    table = make_visits(2_000)
    table['doctor'] = table['doctor'].mask(table.index % 4 == 0).astype(dtype)
    drawn = fit(table).sample(2_000)['visits']['doctor']

    assert 0.15 < drawn.isna().mean() < 0.35
    assert 10 < drawn.nunique() < 150


def test_a_stated_number_of_names_is_kept_and_public():
    synthesizer = ClustMixSynthesizer(METADATA, epsilon=8.0, pseudonyms={'doctor': 40})
    synthesizer.fit({'visits': make_visits(3_000)})

    assert len(synthesizer._model.domain['doctor'].pseudonyms.sizes) <= 40
    assert 'numbers of different values' in str(synthesizer.get_privacy_statement())


@pytest.mark.parametrize(
    'pseudonyms',
    [
        ['ward'], ['nobody'], 'doctor', {'doctor': 0}, {'doctor': 1.5}, {'doctor': True},
        [['doctor']],
    ],
)  # fmt: skip
def test_wrong_columns_are_refused_before_a_row_is_read(pseudonyms):
    with pytest.raises(SynthesizerInputError, match='pseudonyms'):
        ClustMixSynthesizer(METADATA, pseudonyms=pseudonyms)


def test_a_generator_may_be_chosen_and_nothing_that_keeps_names():
    table = make_visits(2_000)
    synthesizer = ClustMixSynthesizer(METADATA, epsilon=8.0, pseudonyms=['doctor'])
    synthesizer.auto_assign_transformers({'visits': table})
    for keeping in (LabelEncoder(), PseudoAnonymizedFaker('person', 'name')):
        with pytest.raises(SynthesizerInputError, match='doctor'):
            synthesizer.update_transformers({'doctor': keeping})
    synthesizer.update_transformers({'doctor': AnonymizedFaker('internet', 'email')})
    synthesizer.fit({'visits': table})

    assert synthesizer.sample(50)['visits']['doctor'].str.contains('@').all()


def test_cells_that_are_no_names_are_refused_without_being_shown():
    table = make_visits(200)
    table['doctor'] = table['doctor'].astype(object)
    table.loc[3, 'doctor'] = [f'{REAL} in a list']
    synthesizer = ClustMixSynthesizer(METADATA, pseudonyms=['doctor'])

    with pytest.raises(InvalidDataError, match="'doctor'") as caught:
        synthesizer.fit({'visits': table})
    assert REAL not in str(caught.value)


def make_database(patients=1_500):
    visits = make_visits(2 * patients, doctors=20)
    visits.insert(0, 'patient', np.repeat(np.arange(patients), 2))
    gps = visits['doctor'].iloc[::2].to_numpy()
    ages = np.random.default_rng(2).integers(20, 90, patients)
    return {
        'patients': pd.DataFrame({'id': np.arange(patients), 'gp': gps, 'age': ages}),
        'visits': visits,
    }


def test_names_are_the_same_in_all_tables():
    tables = make_database()
    synthesizer = ClustMixMultiTableSynthesizer(
        DATABASE,
        epsilon=50.0,
        pseudonyms={'patients': {'gp': 'doctor'}, 'visits': ['doctor']},
        verbose=False,
    )
    synthesizer.fit(tables)
    drawn = synthesizer.sample_scale(1.0)
    both = drawn['visits'].merge(drawn['patients'], left_on='patient', right_on='id')
    one, other = set(drawn['patients']['gp']), set(drawn['visits']['doctor'])

    assert 15 < len(one | other) < 40
    assert len(one & other) > 0.5 * len(one | other)
    assert (both['gp'] == both['doctor']).mean() > 0.3
    assert REAL.encode() not in cloudpickle.dumps(synthesizer)


@pytest.mark.parametrize('pseudonyms', [['doctor'], {'nowhere': ['doctor']}, {'visits': ['ward']}])
def test_wrong_columns_of_a_database_are_refused(pseudonyms):
    with pytest.raises(SynthesizerInputError, match='pseudonyms'):
        ClustMixMultiTableSynthesizer(DATABASE, pseudonyms=pseudonyms, verbose=False)


def test_sequences_have_pseudonyms():
    metadata = describe(VISITS, 'visits', sequence_key='patient')
    synthesizer = ClustMixSequentialSynthesizer(metadata, epsilon=20.0, pseudonyms=['doctor'])
    synthesizer.fit({'visits': make_database(800)['visits']})
    drawn = synthesizer.sample(300)['visits']

    assert 5 < drawn['doctor'].nunique() < 100
    assert not drawn['doctor'].str.contains(REAL).any()
