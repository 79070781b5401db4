"""SDV's event log, without the number of rows of the private table."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sdv.multi_table.base import SYNTHESIZER_LOGGER as DATABASES
from sdv.single_table.base import SYNTHESIZER_LOGGER as TABLES

ID = 'SYNTHESIZER ID'

#: Entries that an event may have; any other may count private rows.
PUBLIC_ENTRIES = (
    'EVENT',
    'TIMESTAMP',
    'SYNTHESIZER CLASS NAME',
    ID,
    'TOTAL NUMBER OF TABLES',
    'TOTAL NUMBER OF COLUMNS',
)


def log_event(
    synthesizer: Any, event: str, num_columns: int, *, num_rows: int | None = None
) -> None:
    """Log an event of a single-table synthesizer, as SDV does; ``num_rows`` must be public."""
    TABLES.info(
        {
            'EVENT': event,
            'TIMESTAMP': datetime.now(),
            'SYNTHESIZER CLASS NAME': type(synthesizer).__name__,
            ID: synthesizer._synthesizer_id,
            'TOTAL NUMBER OF TABLES': 1,
            **({} if num_rows is None else {'TOTAL NUMBER OF ROWS': num_rows}),
            'TOTAL NUMBER OF COLUMNS': num_columns,
        }
    )


@contextmanager
def hide_row_counts(synthesizer_id: str) -> Iterator[None]:
    """Strip everything but public entries from the events of one synthesizer in this block."""

    def censor(record: logging.LogRecord) -> bool:
        event = record.msg
        if isinstance(event, dict) and event.get(ID, synthesizer_id) == synthesizer_id:
            record.msg = {key: value for key, value in event.items() if key in PUBLIC_ENTRIES}
        return True

    for logger in (TABLES, DATABASES):
        logger.addFilter(censor)
    try:
        yield
    finally:
        for logger in (TABLES, DATABASES):
            logger.removeFilter(censor)
