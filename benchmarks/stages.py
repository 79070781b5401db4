"""Where the time of a fit goes: by stage of the algorithm and by kind of work.

    python benchmarks/stages.py                     # three tables: minutes
    python benchmarks/stages.py --tables Adult --results /tmp/stages.csv

A timer interrupts the fit every few milliseconds and looks where it is: the stage that began last,
and the innermost function of the package. The time since the last look is booked there. Each fit
is a process of its own; the second fit is the one that is looked at, as the first loads and
compiles.
"""

from __future__ import annotations

import signal
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any
from unittest.mock import patch

from cost import ADULT, OURS, load_table, make_synthesizer
from runner import Benchmark, Job, Options, Row

#: Seconds between two looks.
INTERVAL = 0.004

#: The stage before the release begins and after it has ended.
OUTSIDE = 'around'

#: Kinds of work, by the start of the module that does it; the longest that fits counts.
KINDS = {
    '': 'other',
    'accounting': 'noise',
    'adapt': 'adapt',
    'anonymize': 'mixture',
    'approximate': 'scores and components',
    'approximate.moments': 'statistics',
    'conditions': 'SDV',
    'constraints': 'SDV',
    'describe': 'encoding',
    'encoding': 'encoding',
    'encoding.records': 'scores and components',
    'maths': 'mixture',
    'partition': 'scores and components',
    'privacy': 'statistics',
    'privacy.discrete': 'noise',
    'privacy.mechanism': 'noise',
    'storage': 'SDV',
    'synthesizers': 'SDV',
    'transforms': 'SDV',
}

#: The tables, by name: jobs of :mod:`cost`.
TABLES = {
    'Adult': {'series': 'adult'},
    'Adult, resampled': {'series': 'rows', 'rows': 10**6},
    'made': {'series': 'columns', 'rows': 10_000, 'columns': 1_000, 'values': 5},
}


def name_kind(module: str) -> str:
    """Name the kind of work that a module of the package does."""
    room = module.removeprefix('sdv_threea').removeprefix('.')
    return KINDS[max((start for start in KINDS if room.startswith(start)), key=len)]


def look_up(frame: FrameType | None) -> str:
    """Name the kind of work of the innermost function of the package."""
    while frame is not None:
        module = frame.f_globals.get('__name__', '')
        if module.startswith('sdv_threea.'):
            return name_kind(module)
        frame = frame.f_back
    return KINDS['']


class Clock:
    """Books the time since the last look on the stage and the kind of work of this one."""

    def __init__(self) -> None:
        self.stage = OUTSIDE
        self.seconds: dict[tuple[str, str], float] = defaultdict(float)
        self._last = 0.0

    def look(self, _: int = 0, frame: FrameType | None = None) -> None:
        """Look where the program is: a handler of a signal."""
        now = time.perf_counter()
        self.seconds[self.stage, look_up(frame)] += now - self._last
        self._last = now

    def begin(self, stage: str) -> None:
        """Note that a stage begins: what was done up to here belongs to the one before."""
        self.look(0, sys._getframe(1))
        self.stage = stage

    @contextmanager
    def running(self) -> Iterator[None]:
        """Look every few milliseconds, and once at the end."""
        before = signal.signal(signal.SIGALRM, self.look)
        self._last = time.perf_counter()
        signal.setitimer(signal.ITIMER_REAL, INTERVAL, INTERVAL)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            self.look(0, sys._getframe())

    @contextmanager
    def show_stages(self, **_: Any) -> Iterator[Callable[[str], None]]:
        """Stand in for the progress bar, which is told each stage as it begins."""
        yield self.begin
        self.begin(OUTSIDE)


def list_jobs(options: Options) -> Iterator[Job]:
    """List the tables."""
    for name in options.tables:
        job = ADULT | TABLES[name]
        yield {'table': name, 'rows': job['rows'], 'columns': job['columns']}


def measure(job: Job, options: Options) -> list[Row]:
    """Fit twice, and watch the second fit."""
    from sdv_threea.synthesizers import single_table

    warnings.simplefilter('ignore')
    wanted = ADULT | TABLES[job['table']] | {'method': OURS}
    table, metadata, target = load_table(wanted, options.data)
    tables = {next(iter(metadata.tables)): table}
    make_synthesizer(wanted, metadata, target).fit(tables)
    synthesizer, clock = make_synthesizer(wanted, metadata, target), Clock()
    with patch.object(single_table, 'show_stages', clock.show_stages), clock.running():
        synthesizer.fit(tables)
    return [
        {'stage': stage, 'kind': kind, 'seconds': seconds}
        for (stage, kind), seconds in clock.seconds.items()
    ]


BENCHMARK = Benchmark(
    name='stages',
    list_jobs=list_jobs,
    measure=measure,
    options={'tables': list(TABLES)},
    process='job',
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
