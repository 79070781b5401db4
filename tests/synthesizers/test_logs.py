import logging

from sdv.single_table.base import SYNTHESIZER_LOGGER

from sdv_threea.synthesizers.logs import hide_row_counts


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
