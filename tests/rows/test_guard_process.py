"""What the guard installs for the whole process disturbs nobody, and cannot be got round."""

import functools
import logging
import sys
import warnings

import cloudpickle

from sdv_threea.rows import guard
from sdv_threea.rows.guard import guarded

SECRET = 'secret-4711'


def test_that_functions_which_name_the_modules_are_pickled_by_value():
    with guarded():
        pass

    assert cloudpickle.loads(cloudpickle.dumps(lambda: (sys, warnings)))() == (sys, warnings)


def test_what_makes_and_handles_records_hears_nothing_of_the_inside(monkeypatch):
    """Records are not even made: factories, own loggers and wrappers would hear them."""
    heard = []

    class OwnLogger(logging.Logger):
        def handle(self, record):
            heard.append(record)

    made = logging.getLogRecordFactory()
    with guarded():
        pass
    with monkeypatch.context() as patch:
        real = logging.Logger.handle

        @functools.wraps(real)
        def wrapper(logger, record):
            heard.append(record)
            real(logger, record)

        patch.setattr(logging.Logger, 'handle', wrapper)
        logging.setLogRecordFactory(lambda *given, **named: heard.append(given) or made())
        try:
            with guarded():
                OwnLogger('own').critical(SECRET)
                logging.getLogger('any').critical(SECRET)
            assert heard == []
        finally:
            logging.setLogRecordFactory(made)
        OwnLogger('own').critical('outside')
        assert len(heard) == 1


def test_the_filter_is_there_once_however_often_others_come_before_it():
    with warnings.catch_warnings():
        for _ in range(5):
            warnings.simplefilter('default')
            with guarded():
                pass
        assert sum(each is guard._IGNORED for each in warnings.filters) == 1
