"""The one runner of the benchmarks: it measures jobs, and keeps a row of a CSV for each.

A benchmark lists its jobs, and measures one of them; see :class:`Benchmark`. A row is written as
soon as its job is done, and a job whose row is there is not run again: whatever was stopped goes
on. All benchmarks take these options, and those of their own:

    --data FOLDER           the tables (default: ../shared/data)
    --results FILE          the rows (default: benchmarks/results/<name>.csv); pages are written
                            from the default file only
    --again failed|all      measure the jobs once more that failed, or all that are asked for
    --timeout SECONDS       of a job, where jobs have processes of their own
    --memory GIB            the same
    --page                  measure nothing, write the pages
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import groupby, product
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Literal

import pandas as pd

RESULTS = Path(__file__).parent / 'results'
DATA = Path('../shared/data')

#: What identifies a measurement, and what it found: values by name of a column.
Job = dict[str, Any]
Row = dict[str, Any]
Options = argparse.Namespace

#: Seconds between two looks at the clock and at the memory of a process.
INTERVAL = 0.5

#: The longest reason of a failure that is kept.
REASON_LENGTH = 160


@dataclass(frozen=True)
class Benchmark:
    """What is measured, and where it goes.

    Args:
        name: Of the file of results, without its ending.
        list_jobs: Lists the jobs that the options ask for, all with the same names.
        measure: Measures a job: a row, or several; their names become columns after the job's.
        options: The options of the benchmark, with their defaults. Where the default is a list of
            texts, only these can be chosen, unless ``choices`` says otherwise.
        choices: What some of the options may be.
        write_pages: Writes pages from all rows.
        process: Jobs are measured in this process (``'none'``), each in one of its own
            (``'job'``), or those of a group in one, one after another (``'group'``). In a process
            of its own, a job that fails has a ``note`` that says why; else the failure is raised.
        group: The columns that jobs of a group share. When one fails in a process of its own, the
            rest of its group is not tried.
    """

    name: str
    list_jobs: Callable[[Options], Iterable[Job]]
    measure: Callable[[Job, Options], Row | list[Row]]
    options: Mapping[str, Any] = field(default_factory=dict)
    choices: Mapping[str, Iterable[str]] = field(default_factory=dict)
    write_pages: Callable[[pd.DataFrame], None] | None = None
    process: Literal['none', 'job', 'group'] = 'none'
    group: Sequence[str] = ()

    @property
    def path(self) -> Path:
        """The committed results."""
        return RESULTS / f'{self.name}.csv'

    def read(self) -> pd.DataFrame:
        """Read the committed results."""
        return pd.read_csv(self.path, keep_default_na=False, na_values=['', 'nan'])

    def main(self, description: str | None, arguments: list[str] | None = None) -> None:
        """Run from the command line: measure what is missing, then write the pages."""
        os.environ.setdefault('OMP_NUM_THREADS', '1')
        options = read_options(self, description, arguments)
        if not options.page:
            run(self, options)
        if self.write_pages and options.results == self.path:
            self.write_pages(self.read())


def grid(**values: Iterable[Any]) -> Iterator[Job]:
    """List all combinations of values, the first name varied last."""
    for combination in product(*values.values()):
        yield dict(zip(values, combination, strict=True))


def read_options(
    benchmark: Benchmark, description: str | None = None, arguments: list[str] | None = None
) -> Options:
    """Read the command line; each option has the type of its default."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=description, formatter_class=raw)
    common = {'data': DATA, 'results': benchmark.path, 'timeout': 900.0, 'memory': 14.0}
    for name, default in (common | dict(benchmark.options)).items():
        kind: dict[str, Any] = {'type': type(default), 'help': f'default: {default}'}
        if isinstance(default, list):
            text = f'default: {" ".join(map(str, default))}'
            kind = {'nargs': '*', 'type': type(default[0]), 'help': text}
            if isinstance(default[0], str):
                kind['choices'] = list(benchmark.choices.get(name, default))
        parser.add_argument(f'--{name.replace("_", "-")}', default=default, **kind)
    parser.add_argument('--again', choices=['failed', 'all'], help='measure these once more')
    parser.add_argument('--page', action='store_true', help='measure nothing, write the pages')
    return parser.parse_args(arguments)


def run(benchmark: Benchmark, options: Options) -> None:
    """Measure what is asked for and missing, and append a row for each."""
    missing = list_missing(benchmark, options)
    forget(options.results, missing)
    group = benchmark.group or list(next(iter(missing), ()))
    for _, jobs in groupby(missing, lambda job: [job[name] for name in group]):
        for job, rows, seconds in measure_group(benchmark, list(jobs), options):
            append(options.results, [job | row for row in rows])
            told = ', '.join(f'{name} {value}' for name, value in job.items())
            print(f'{told}: {rows[0].get("note") or f"{seconds:.1f} s"}', flush=True)


def list_missing(benchmark: Benchmark, options: Options) -> list[Job]:
    """List the jobs that are asked for and have no row, or whose rows are to be made anew."""
    jobs = list(benchmark.list_jobs(options))
    names = list(next(iter(jobs), ()))
    rows = [] if options.again == 'all' else read_text(options.results)
    done = {spell(row, names): row.get('note') for row in rows}
    again = {key for key, note in done.items() if note and options.again == 'failed'}
    return [job for job in jobs if spell(job, names) not in done.keys() - again]


def spell(job: Mapping[str, Any], names: Iterable[str]) -> tuple[str, ...]:
    """Spell the values of a job alike before and after it is written."""

    def spell_value(value: Any) -> str:
        try:
            return repr(float(str(value)))
        except ValueError:
            return str(value)

    return tuple(spell_value(job[name]) for name in names)


def read_text(path: Path) -> list[dict[str, str]]:
    """Read the rows of results as they are written; none if there is no file."""
    if not path.exists():
        return []
    with path.open(newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file))


def append(path: Path, rows: list[Row]) -> None:
    """Append rows to results: floats have five significant digits, other text stays."""
    texts = [{k: f'{v:.5g}' if isinstance(v, float) else v for k, v in row.items()} for row in rows]
    write_text(path, [*read_text(path), *texts])


def write_text(path: Path, rows: list[Row]) -> None:
    """Write results, all at once; a name that the first rows do not have is a later column."""
    path.parent.mkdir(parents=True, exist_ok=True)
    names = dict.fromkeys(name for row in rows for name in row)
    with path.with_suffix('.part').open('w', newline='', encoding='utf-8') as file:
        writer = csv.DictWriter(file, list(names), restval='', lineterminator='\n')
        writer.writeheader()
        writer.writerows(rows)
    path.with_suffix('.part').replace(path)


def forget(path: Path, jobs: list[Job]) -> None:
    """Take the rows of some jobs out of the results; the text of others stays as it is."""
    rows, names = read_text(path), list(next(iter(jobs), ()))
    forgotten = {spell(job, names) for job in jobs}
    kept = [row for row in rows if spell(row, names) not in forgotten]
    if len(kept) < len(rows):
        write_text(path, kept)


def measure_group(
    benchmark: Benchmark, jobs: list[Job], options: Options
) -> Iterator[tuple[Job, list[Row], float]]:
    """Measure the jobs of a group, each with its seconds; after a failure none is tried."""
    worker, failed = Worker(benchmark, options), False
    try:
        for job in jobs:
            start = time.perf_counter()
            try:
                if failed:
                    raise Failed('not tried: an earlier job failed')
                rows = worker.measure(job)
            except Failed as why:
                if benchmark.process == 'none':
                    raise
                rows, failed = [{'note': str(why)}], True
            if benchmark.process == 'job':
                worker.end()
            yield job, rows, time.perf_counter() - start
    finally:
        worker.end()


class Failed(Exception):
    """A job has no figures; the message is one short line that says why."""


class Worker:
    """Measures jobs, in a process with limits of time and memory where the benchmark wants one.

    The process starts with the first job. It ends with all that it started.
    """

    def __init__(self, benchmark: Benchmark, options: Options) -> None:
        self.benchmark, self.options = benchmark, options
        self.process: BaseProcess | None = None

    def measure(self, job: Job) -> list[Row]:
        """Measure a job: its rows, at least one."""
        measure, options = self.benchmark.measure, self.options
        if self.benchmark.process == 'none':
            return _call(measure, job, options)
        if self.process is None:
            context = multiprocessing.get_context('spawn')
            self.pipe, there = context.Pipe()
            self.process = context.Process(target=_serve, args=(there, measure, options))
            self.process.start()
            there.close()
        try:
            self.pipe.send(job)
            self._wait(time.monotonic() + options.timeout)
            found = self.pipe.recv()
        except (EOFError, OSError):
            raise Failed('the process died') from None
        if isinstance(found, str):
            raise Failed(found)
        return found

    def end(self) -> None:
        """End the process, if there is one, and its children."""
        if self.process is not None:
            self.pipe.close()
            self.process.join(INTERVAL)  # one that waits for a job ends by itself
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.kill()
            self.process.join()
            self.process = None

    def _wait(self, end: float) -> None:
        while not self.pipe.poll(INTERVAL):
            if time.monotonic() > end:
                raise Failed(f'timed out after {self.options.timeout:g} s')
            if (read_memory(self.process.pid) or 0) > self.options.memory * 1024:
                raise Failed(f'out of memory: more than {self.options.memory:g} GiB')


def _serve(pipe: Connection, measure: Callable[..., Any], options: Options) -> None:
    """Measure jobs as they come, in a group of processes that can be ended together."""
    os.setsid()
    with suppress(EOFError):
        while True:
            job = pipe.recv()
            try:
                pipe.send(_call(measure, job, options))
            except Failed as why:
                pipe.send(str(why))


def _call(measure: Callable[..., Any], job: Job, options: Options) -> list[Row]:
    try:
        rows = measure(job, options)
    except Failed:
        raise
    except Exception as error:
        said = str(error).strip() or repr(error)
        raise Failed(f'{type(error).__name__}: {said.splitlines()[0]}'[:REASON_LENGTH]) from error
    return rows if isinstance(rows, list) else [rows]


def run_command(command: list[str], timeout: float, **terms: Any) -> tuple[int, str, str]:
    """Run a program to its end, and end with it all that it started.

    What it takes beside :class:`subprocess.Popen` is a limit of seconds. Returned are its status,
    and what it wrote as results and as errors.
    """
    pipes = {'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, 'text': True}
    process = subprocess.Popen(command, **pipes, errors='replace', start_new_session=True, **terms)
    try:
        written = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Failed(f'timed out after {timeout:g} s') from None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return process.returncode, *written


@contextmanager
def measured(name: str, into: Row) -> Iterator[None]:
    """Measure what happens inside: ``<name>_seconds`` and, on Linux, ``<name>_peak_mib``.

    That is the peak of resident memory, less what was resident at the start.
    """
    gc.collect()
    linux = sys.platform == 'linux'
    if linux:
        ctypes.CDLL(None).malloc_trim(0)  # else the reuse of freed memory looks like no use at all
        with suppress(OSError):  # where it may, it forgets earlier peaks
            Path('/proc/self/clear_refs').write_text('5')
    before, start = read_memory(), time.perf_counter()
    yield
    into[f'{name}_seconds'] = time.perf_counter() - start
    if linux:
        into[f'{name}_peak_mib'] = max(read_memory(figure='VmHWM') - before, 0.0)


def read_memory(process: int | str = 'self', figure: str = 'VmRSS') -> float | None:
    """Read what a process holds, in MiB; none where that cannot be told."""
    try:
        lines = Path(f'/proc/{process}/status').read_text().splitlines()
        (line,) = (line for line in lines if line.startswith(f'{figure}:'))
    except (OSError, ValueError):
        return None
    return int(line.split()[1]) / 1024
