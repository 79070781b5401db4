"""Messages: all that is warned, logged and printed is caught, and nothing of it is shown."""

import logging
import sys
import warnings
from contextlib import suppress

from sdv_threea.audit.messages import count_words, listen


def test_warnings_logs_and_prints_are_heard_and_not_shown(capsys, recwarn):
    logger = logging.getLogger('sdv_threea.of.a.test')
    with listen() as heard:
        warnings.warn('a warning', stacklevel=1)
        logger.warning('a log of %s', 3)
        sys.stdout.write('a print\n')
        sys.stderr.write('an error\n')
    assert heard == ['WARNING a log of 3', 'UserWarning a warning', 'a print', 'an error']
    assert capsys.readouterr() == ('', '')
    assert not recwarn.list


def test_the_same_warning_is_heard_each_time():
    for _ in range(2):
        with listen() as heard:
            warnings.warn('again', stacklevel=1)
        assert heard == ['UserWarning again']


def test_levels_and_filters_of_loggers_hold():
    logger = logging.getLogger('sdv_threea.of.another.test')
    logger.setLevel(logging.INFO)

    def censor(record):
        record.msg = {name: each for name, each in record.msg.items() if name != 'ROWS'}
        return True

    logger.addFilter(censor)
    with listen() as heard:
        logger.info({'EVENT': 'Fit', 'ROWS': 3})
        logger.debug({'EVENT': 'unheard'})
    assert heard == ['INFO EVENT: Fit']


def test_what_was_said_before_an_error_is_heard():
    with suppress(ZeroDivisionError), listen() as heard:
        sys.stdout.write('before')
        raise ZeroDivisionError
    assert heard == ['before']


def test_words_are_counted():
    counts = count_words(['no value of c', 'no value of d'])
    assert counts['messages'] == 2
    assert counts["'no' is said"] == 2
    assert counts["'d' is said"] == 1
