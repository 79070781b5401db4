import logging
import re

from sdv.single_table.base import SYNTHESIZER_LOGGER

from sdv_threea import ClustMixSynthesizer
from sdv_threea.planning.plan import STAGES
from sdv_threea.synthesizers.progress import hide_row_counts

NAME = 'people'


def fit(metadata, table, **settings):
    ClustMixSynthesizer(metadata, epsilon=5.0, **settings).fit({NAME: table})


def test_a_fit_says_nothing_by_default(small_metadata, small_table, capfd):
    fit(small_metadata, small_table)
    assert tuple(capfd.readouterr()) == ('', '')


def test_a_verbose_fit_names_its_stages_in_order(small_metadata, small_table, capfd):
    fit(small_metadata, small_table, verbose=True)
    out, shown = capfd.readouterr()
    assert out == ''
    places = [shown.index(f'({stage}') for stage in STAGES]
    assert places == sorted(places)
    assert shown.rstrip().endswith(f'| {len(STAGES)}/{len(STAGES)}')
    assert '100%' in shown


def test_what_is_shown_does_not_depend_on_the_rows(small_metadata, small_table, capfd):
    """Neither on their number, nor on how long they take; only on what was released."""
    shown = []
    for rows in (small_table, small_table.head(100)):
        fit(small_metadata, rows, verbose=True)
        told = capfd.readouterr().err
        assert not re.search(r'\d:\d|/s\b|s/', told)
        shown.append([*dict.fromkeys(re.findall(r'\((\w+)|(\d+)%', told))])
    assert shown[0] == shown[1]


def log(synthesizer_id):
    SYNTHESIZER_LOGGER.info({'SYNTHESIZER ID': synthesizer_id, 'TOTAL NUMBER OF ROWS': 77})


def test_row_counts_of_one_synthesizer_are_hidden_for_a_while(caplog):
    caplog.set_level(logging.INFO, logger=SYNTHESIZER_LOGGER.name)
    with hide_row_counts('ours'):
        log('ours')
        log('another')
        SYNTHESIZER_LOGGER.info('a text')
    log('ours')

    assert [record.msg for record in caplog.records] == [
        {'SYNTHESIZER ID': 'ours'},
        {'SYNTHESIZER ID': 'another', 'TOTAL NUMBER OF ROWS': 77},
        'a text',
        {'SYNTHESIZER ID': 'ours', 'TOTAL NUMBER OF ROWS': 77},
    ]


def test_an_event_tells_what_is_known_to_be_public_and_nothing_else(caplog):
    """A later SDV may spell its events otherwise, or count other things."""
    caplog.set_level(logging.INFO, logger=SYNTHESIZER_LOGGER.name)
    with hide_row_counts('ours'):
        SYNTHESIZER_LOGGER.info({'EVENT': 'Fit', 'SYNTHESIZER ID': 'ours', 'ROWS': 77})
        SYNTHESIZER_LOGGER.info({'EVENT': 'Fit', 'ID': 'ours', 'TOTAL NUMBER OF ROWS': 77})

    assert [record.msg for record in caplog.records] == [
        {'EVENT': 'Fit', 'SYNTHESIZER ID': 'ours'},
        {'EVENT': 'Fit'},
    ]
