"""Where the time of a fit goes: by stage of the algorithm and by kind of work.

    python benchmarks/stages_cost.py                # three tables: minutes

A timer interrupts the fit every few milliseconds and looks where it is: the stage that began last,
and the innermost function of the package. The time since the last look is booked there. Each fit
is a process of its own; the second fit is the one that is looked at, as the first loads and
compiles. Rows of ``benchmarks/results/stages.csv`` are written anew, table by table.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any
from unittest.mock import patch

import pandas as pd
from cost_jobs import MADE_ROWS, MADE_VALUES, Job
from processes import tell_failure
from rows import append

RESULTS = Path(__file__).parent / 'results' / 'stages.csv'
SHAPE = ['table', 'rows', 'columns']
FIELDS = [*SHAPE, 'stage', 'kind', 'seconds']

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
    'approximate': 'scores and cells',
    'approximate.moments': 'statistics',
    'conditions': 'SDV',
    'constraints': 'SDV',
    'describe': 'encoding',
    'encoding': 'encoding',
    'encoding.records': 'scores and cells',
    'maths': 'mixture',
    'partition': 'scores and cells',
    'privacy': 'statistics',
    'privacy.discrete': 'noise',
    'privacy.mechanism': 'noise',
    'storage': 'SDV',
    'synthesizers': 'SDV',
    'transforms': 'SDV',
}

JOBS: list[Job] = [
    {'table': 'Adult', 'series': 'adult', 'rows': 32_561, 'columns': 15, 'values': 0},
    {'table': 'Adult, resampled', 'series': 'rows', 'rows': 10**6, 'columns': 15, 'values': 0},
    {
        'table': 'made',
        'series': 'columns',
        'rows': MADE_ROWS,
        'columns': 1_000,
        'values': MADE_VALUES,
    },
]


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


def measure(job: Job) -> list[Job]:
    """Fit twice, and watch the second fit."""
    from cost import OURS, load_table, make_synthesizer

    from sdv_threea.synthesizers import single_table

    warnings.simplefilter('ignore')
    job = job | {'method': OURS, 'epsilon': 1.0}
    table, metadata, target = load_table(job, Path())
    tables = {next(iter(metadata.tables)): table}
    make_synthesizer(job, metadata, target).fit(tables)
    synthesizer, clock = make_synthesizer(job, metadata, target), Clock()
    with patch.object(single_table, 'show_stages', clock.show_stages), clock.running():
        synthesizer.fit(tables)
    return [
        {'stage': stage, 'kind': kind, 'seconds': round(seconds, 4)}
        for (stage, kind), seconds in clock.seconds.items()
    ]


def run_job(job: Job) -> list[Job]:
    """Watch a fit in a process of its own; one that fails says why, and has nothing booked."""
    command = [sys.executable, __file__, '--job', json.dumps(job)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(tell_failure(done), flush=True)
        return []
    return json.loads(done.stdout.splitlines()[-1])


def write_anew(path: Path, job: Job, booked: list[Job]) -> None:
    """Write what a table took, in place of what it took before."""
    shape = {name: job[name] for name in SHAPE}
    if path.exists():
        old = pd.read_csv(path)
        same = old[SHAPE].apply(tuple, axis=1) == tuple(shape.values())
        old[~same].to_csv(path, index=False)
    for row in booked:
        append(path, FIELDS, shape | row)


def main() -> None:
    """Watch every fit, and write the results of its table anew."""
    os.environ.setdefault('OMP_NUM_THREADS', '1')
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--results', type=Path, default=RESULTS)
    parser.add_argument('--small', action='store_true', help='the first table only')
    parser.add_argument('--job', type=json.loads, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.job is not None:
        print('\n' + json.dumps(measure(arguments.job)))
        return
    for job in JOBS[: 1 if arguments.small else None]:
        booked = run_job(job)
        if booked:
            write_anew(arguments.results, job, booked)
        total = sum(row['seconds'] for row in booked)
        print(f'{job["table"]}, {job["rows"]} x {job["columns"]}: {total:.2f} s', flush=True)


if __name__ == '__main__':
    main()
