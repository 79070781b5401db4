"""What a synthesizer tells of itself, and what it logs."""

import datetime
import logging

import pytest
import sdv
from sdv.single_table.base import SYNTHESIZER_LOGGER
from sdv.utils import load_synthesizer

NAME = 'people'


@pytest.fixture
def events(caplog):
    """The events that were logged, when called."""
    caplog.set_level(logging.INFO)
    return lambda: [each.msg for each in caplog.records if each.name == SYNTHESIZER_LOGGER.name]


def test_before_fitting_there_is_nothing_but_a_date_of_creation(make, small_metadata):
    assert make(small_metadata).get_info() == {
        'class_name': make.func.__name__,
        'creation_date': datetime.date.today().isoformat(),
        'is_fit': False,
        'last_fit_date': None,
        'fitted_sdv_version': None,
    }


def test_after_fitting_there_is_a_date_and_a_version(fitted):
    info = fitted.get_info()
    assert info['is_fit'] is True
    assert info['last_fit_date'] == datetime.date.today().isoformat()
    assert info['fitted_sdv_version'] == sdv.version.community


def test_a_new_synthesizer_is_an_event(make, small_metadata, events):
    make(small_metadata)
    (event,) = events()
    assert event['EVENT'] == 'Instance'
    assert event['SYNTHESIZER CLASS NAME'] == make.func.__name__


def test_fitting_is_two_events(make, small, small_metadata, events):
    make(small_metadata).fit({NAME: small})
    fits = [event for event in events() if event['EVENT'].startswith('Fit')]
    assert [event['EVENT'] for event in fits] == ['Fit', 'Fit processed data']
    assert all(event['TOTAL NUMBER OF COLUMNS'] == 2 for event in fits)
    assert all(event['TOTAL NUMBER OF TABLES'] == 1 for event in fits)


@pytest.mark.differs(
    theirs='is logged',
    ours='is not logged',
    why='A table and its neighbour differ by it; the log may be kept in a file.',
)
def test_the_number_of_private_rows(make, private, small, small_metadata, events):
    make(small_metadata).fit({NAME: small})
    (fit,) = (event for event in events() if event['EVENT'] == 'Fit')
    assert ('TOTAL NUMBER OF ROWS' in fit) is not private


def test_sampling_is_an_event_with_its_number_of_rows(fitted, events):
    fitted.sample(13)
    (event,) = events()
    assert event['EVENT'] == 'Sample'
    assert event['TOTAL NUMBER OF ROWS'] == 13


def test_saving_and_loading_are_events_of_the_same_synthesizer(fitted, events, tmp_path):
    fitted.save(tmp_path / 'synthesizer.pkl')
    load_synthesizer(tmp_path / 'synthesizer.pkl')
    saved, loaded = events()
    assert (saved['EVENT'], loaded['EVENT']) == ('Save', 'Load')
    assert saved['SYNTHESIZER ID'] == loaded['SYNTHESIZER ID']


def test_every_synthesizer_has_an_id_of_its_own(make, small_metadata, events):
    make(small_metadata), make(small_metadata)
    first, second = (event['SYNTHESIZER ID'] for event in events())
    assert first != second


# Which values noise hides is said of every release: see docs/losses.md.
@pytest.mark.filterwarnings('ignore:This release has lost')
@pytest.mark.filterwarnings('error::UserWarning')
def test_a_good_table_is_fitted_and_sampled_without_warnings(make, small, small_metadata):
    synthesizer = make(small_metadata)
    synthesizer.fit({NAME: small})
    synthesizer.sample(5)


def test_metadata_that_was_not_saved_is_noticed(make, small_metadata):
    small_metadata.update_column('x', sdtype='numerical', table_name=NAME)
    with pytest.warns(UserWarning, match='saving the metadata'):
        make(small_metadata)


def test_metadata_that_is_changed_later_is_noticed_and_not_used(make, small, small_metadata):
    synthesizer = make(small_metadata)
    small_metadata.update_column('x', sdtype='categorical', table_name=NAME)
    with pytest.warns(UserWarning, match='metadata has been modified'):
        synthesizer.fit({NAME: small})
    assert synthesizer.get_metadata().tables[NAME].columns['x']['sdtype'] == 'numerical'


def test_the_class_is_found_where_sdv_has_its_synthesizers(make):
    assert getattr(sdv.single_table, make.func.__name__) is make.func
