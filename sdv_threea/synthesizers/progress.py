"""Progress bars without times, and SDV's event log without the number of private rows.

The duration of a step reveals about how many rows there are, and notebooks are often published with
their output. So bars show no times, and are drawn at every step, independently of a clock.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sdv.multi_table.base import SYNTHESIZER_LOGGER as DATABASES
from sdv.single_table.base import SYNTHESIZER_LOGGER as TABLES
from tqdm import tqdm

from sdv_threea.names import printable

#: Options of ``tqdm``: the look of a bar, which is drawn at every step.
BAR = {
    'bar_format': '{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt}',
    'mininterval': 0.0,
    'miniters': 1,
}


#: Functions called with the name of each stage as it begins, and with ``''`` at the end.
watchers: list[Callable[[str], None]] = []

ID = 'SYNTHESIZER ID'

#: Entries of an event that are logged; others may count private rows.
PUBLIC_ENTRIES = (
    'EVENT',
    'TIMESTAMP',
    'SYNTHESIZER CLASS NAME',
    ID,
    'TOTAL NUMBER OF TABLES',
    'TOTAL NUMBER OF COLUMNS',
)


def bars(*, shown: bool) -> dict[str, Any]:
    """Return options of ``tqdm`` for a bar."""
    return {'disable': not shown, **BAR}


@contextmanager
def show_stages(*, shown: bool) -> Iterator[Callable[[str], None]]:
    """Yield a function to call with the name of each stage as it begins, which moves the bar."""
    from sdv_threea.planning.plan import STAGES

    with _counting('Release', len(STAGES), shown=shown) as (bar, tell):

        def begin(stage: str) -> None:
            bar.n = STAGES.index(stage)
            tell(stage)
            for watch in watchers:
                watch(f'{stage} (stage {bar.n + 1} of {len(STAGES)})')

        yield begin
        bar.n = len(STAGES)
        for watch in watchers:
            watch('')


def show_tables(tables: Iterable[str], *, shown: bool) -> Iterator[str]:
    """Yield the names of tables; a bar shows each until the next one is asked for."""
    names = list(tables)
    with _counting('Release Tables', len(names), shown=shown) as (bar, tell):
        for name in names:
            tell(printable(name))
            yield name
            bar.update()


@contextmanager
def _counting(
    title: str, total: int, *, shown: bool
) -> Iterator[tuple[tqdm[Any], Callable[[str], None]]]:
    """Yield a bar of public steps, and a function that names the current step."""
    from sdv_threea.maths.tracking import watcher

    under_way = ''

    def tell(name: str) -> None:
        nonlocal under_way
        under_way = name
        bar.set_description_str(f'{title} ({name})')

    def count(name: str, at: int, of: int) -> None:
        bar.set_description_str(f'{title} ({under_way}: {name} {at} of {of})')

    with tqdm(total=total, desc=title, **bars(shown=shown)) as bar:
        before = watcher.set(count if shown else None)
        try:
            yield bar, tell
        finally:
            watcher.reset(before)
        bar.set_description_str(title)


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
    """Keep only public entries in the logged events of one synthesizer, within this block."""

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
