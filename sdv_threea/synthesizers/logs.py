"""SDV's log of events, without the number of rows of the private table."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from sdv.multi_table.base import SYNTHESIZER_LOGGER as DATABASES
from sdv.single_table.base import SYNTHESIZER_LOGGER as TABLES

PRIVATE_ENTRY = 'TOTAL NUMBER OF ROWS'


@contextmanager
def hide_row_counts(synthesizer_id: str) -> Iterator[None]:
    """Keep the number of rows out of the events that a synthesizer logs meanwhile.

    Args:
        synthesizer_id: The synthesizer; the events of others are left alone.

    Yields:
        Nothing.
    """

    def censor(record: logging.LogRecord) -> bool:
        event = record.msg
        if isinstance(event, dict) and event.get('SYNTHESIZER ID') == synthesizer_id:
            record.msg = {key: value for key, value in event.items() if key != PRIVATE_ENTRY}
        return True

    for logger in (TABLES, DATABASES):
        logger.addFilter(censor)
    try:
        yield
    finally:
        for logger in (TABLES, DATABASES):
            logger.removeFilter(censor)
