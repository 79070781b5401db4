"""Saving and loading."""

import copy
import warnings

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from sdv.errors import SDVVersionWarning, VersionError
from sdv.utils import load_synthesizer

NAME = 'people'


@pytest.fixture(scope='module')
def path(fitted, tmp_path_factory):
    path = tmp_path_factory.mktemp('saved') / 'synthesizer.pkl'
    fitted.save(path)
    return path


def draw(synthesizer):
    synthesizer.reset_sampling()
    return synthesizer.sample(30)[NAME]


def test_what_is_loaded_samples_the_same_rows(fitted, path):
    pd.testing.assert_frame_equal(draw(load_synthesizer(path)), draw(fitted))


def test_what_is_loaded_goes_on_where_it_was_saved(fitted, tmp_path):
    draw(fitted)
    fitted.save(tmp_path / 'synthesizer.pkl')
    loaded = load_synthesizer(tmp_path / 'synthesizer.pkl')
    pd.testing.assert_frame_equal(loaded.sample(10)[NAME], fitted.sample(10)[NAME])


def test_another_process_can_load_and_sample(run_anew, fitted, path, tmp_path):
    program = (
        'import sys; from sdv.utils import load_synthesizer\n'
        'synthesizer = load_synthesizer(sys.argv[1]); synthesizer.reset_sampling()\n'
        f"synthesizer.sample(30)['{NAME}'].to_pickle(sys.argv[2])"
    )
    done = run_anew(program, path, tmp_path / 'rows.pkl')
    assert done.returncode == 0, done.stderr
    pd.testing.assert_frame_equal(pd.read_pickle(tmp_path / 'rows.pkl'), draw(fitted))


@pytest.mark.parametrize(
    'duplicate', [copy.deepcopy, lambda each: cloudpickle.loads(cloudpickle.dumps(each))]
)
def test_a_copy_samples_the_same_rows(fitted, duplicate):
    pd.testing.assert_frame_equal(draw(duplicate(fitted)), draw(fitted))


@pytest.mark.filterwarnings('ignore::sdv.errors.RefitWarning')
def test_what_is_loaded_can_be_fitted_again(path, few):
    loaded = load_synthesizer(path)
    loaded.fit({NAME: few.assign(city='Olten')})
    assert set(loaded.sample(50)[NAME]['city']) == {'Olten'}


def test_saving_before_fitting_warns(make, small_metadata, tmp_path):
    with pytest.warns(UserWarning, match='not yet been fitted'):
        make(small_metadata).save(tmp_path / 'synthesizer.pkl')


def save_as_of(synthesizer, version, path):
    aged = copy.deepcopy(synthesizer)
    aged._fitted_sdv_version = version
    aged.save(path)


def test_what_a_newer_sdv_has_fitted_is_not_loaded(fitted, tmp_path):
    save_as_of(fitted, '999.0.0', tmp_path / 'synthesizer.pkl')
    with pytest.raises(VersionError, match='999'):
        load_synthesizer(tmp_path / 'synthesizer.pkl')


def test_what_an_older_sdv_has_fitted_is_loaded_with_a_warning(fitted, tmp_path):
    save_as_of(fitted, '1.0.0', tmp_path / 'synthesizer.pkl')
    with pytest.warns(SDVVersionWarning, match=r'1\.0\.0'):
        assert len(load_synthesizer(tmp_path / 'synthesizer.pkl').sample(2)[NAME]) == 2


def test_another_sdv_is_no_reason_to_fit_again(fitted, few):
    aged = copy.deepcopy(fitted)
    aged._fitted_sdv_version = '1.0.0'
    with pytest.raises(VersionError, match='create a new synthesizer'):
        aged.fit({NAME: few})


@pytest.mark.differs(
    theirs='has the values of single records',
    ours='has only what was released, and may be published',
    why='That is what the privacy promise is about.',
)
def test_what_a_saved_file_has_of_the_table(make, private, build_metadata, tmp_path):
    letters = np.random.default_rng(0).choice(['a', 'b'], 400).astype(object)
    letters[7] = 'private-value'
    synthesizer = make(build_metadata({'x': {'sdtype': 'categorical'}}))
    synthesizer.fit({NAME: pd.DataFrame({'x': letters})})
    synthesizer.save(tmp_path / 'synthesizer.pkl')
    found = b'private-value' in (tmp_path / 'synthesizer.pkl').read_bytes()
    assert found is not private


@pytest.mark.filterwarnings('ignore::sdv.errors.RefitWarning')
def test_a_copy_that_is_fitted_again_leaves_the_first_alone(fitted, few):
    expected, duplicate = draw(fitted), copy.deepcopy(fitted)
    duplicate.fit({NAME: few.assign(city='Olten')})
    pd.testing.assert_frame_equal(draw(fitted), expected)


@pytest.mark.differs(
    theirs='is silent', ours='warns', why='Every fit is another release, and their costs add up.'
)
def test_what_a_second_fit_says(make, private, small, small_metadata):
    synthesizer = make(small_metadata)
    synthesizer.fit({NAME: small})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        synthesizer.fit({NAME: small})
    assert any('costs add up' in str(each.message) for each in caught) is private
