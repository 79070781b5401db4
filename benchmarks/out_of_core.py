"""More rows than fit: 50 million rows of Adult's shape, fitted from parquet over Dask.

    pip install 'sdv-threea[dask]' && python benchmarks/out_of_core.py

The rows are written file by file, and never held: drawn from Adult with replacement, categories as
dictionaries, whole numbers in the smallest type that holds them. Each fit is a process of its own
with a cluster on this machine, of one and of two workers with one thread each; in the last of them
a worker is killed while it works. Then as many rows are sampled, to parquet again. Memory is
resident memory, of the process and of all its workers together. Every run is a row of
``benchmarks/results/out_of_core.csv``; what is there is not run again, unless it failed.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from processes import Ended, run
from rows import append

# A worker loads this file too: what only the fit needs is imported where it is needed.

RESULTS = Path(__file__).parent / 'results' / 'out_of_core.csv'
KEY = ['rows', 'workers', 'killed']
FIT = ['fit_seconds', 'peak_mib', 'main_peak_mib', 'worker_peak_mib', 'lost_workers']
SAMPLE = ['sampled_rows', 'sample_seconds', 'sample_peak_mib', 'sample_mib']
FIELDS = [*KEY, 'files', 'parquet_mib', 'idle_mib', *FIT, *SAMPLE, 'note']

#: Rows, and the share of them from which the formula of the page predicts the rest.
NUM_ROWS, SHARE = 50_000_000, 0.1
ROWS_PER_FILE = 500_000

#: A worker is killed after this part of the seconds that a fit takes.
KILLED_AT = 0.3

Job = dict[str, Any]


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--rows', type=int, default=NUM_ROWS)
    parser.add_argument('--rows-per-file', type=int, default=ROWS_PER_FILE)
    parser.add_argument('--sample-rows', type=int, help='rows to sample (default: as many)')
    parser.add_argument('--memory-limit', default='1.5GB', help='of a worker (default: 1.5GB)')
    parser.add_argument('--folder', type=Path, help='where the rows lie (default: temporary)')
    parser.add_argument('--again', action='store_true', help='run what is there once more')
    parser.add_argument('--timeout', type=float, default=7200, help='seconds for one run')
    parser.add_argument('--results', type=Path, default=RESULTS)
    parser.add_argument('--job', type=json.loads, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.sample_rows = arguments.sample_rows or arguments.rows
    return arguments


def list_jobs(arguments: argparse.Namespace) -> Iterator[Job]:
    """List the runs: a tenth of the rows first, then all, then with an accident."""
    yield {'rows': round(arguments.rows * SHARE), 'workers': 1, 'killed': 0}
    for workers in (1, 2):
        yield {'rows': arguments.rows, 'workers': workers, 'killed': 0}
    yield {'rows': arguments.rows, 'workers': 2, 'killed': 1}


def write_rows(folder: Path, num_rows: int, rows_per_file: int) -> list[Path]:
    """Write rows of Adult to parquet, file by file; what is there is not written again."""
    from made import resample_adult

    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for at, start in enumerate(range(0, num_rows, rows_per_file)):
        size = min(rows_per_file, num_rows - start)
        files.append(folder / f'part-{at:05}-{size}.parquet')
        if not files[-1].exists():
            table, _ = resample_adult(size, seed=at)
            partial = folder / 'partial'
            table.to_parquet(partial, index=False)
            partial.rename(files[-1])
    return files


def kill_worker(pid: int, after: float) -> None:
    """Kill a worker while it works."""
    time.sleep(after)
    os.kill(pid, signal.SIGKILL)
    print(f'killed worker {pid}', file=sys.stderr, flush=True)


def measure(job: Job) -> Job:
    """Fit, and sample if asked to, with a cluster of its own."""
    from dask.dataframe import read_parquet
    from distributed import Client, LocalCluster
    from meters import TreeWatch

    from sdv_threea import ClustMixSynthesizer
    from sdv_threea.datasets import load_adult

    warnings.simplefilter('ignore')
    *_, metadata = load_adult()
    synthesizer = ClustMixSynthesizer(metadata, delta=1e-9, target_column='income')
    limits = {'threads_per_worker': 1, 'memory_limit': job['memory_limit']}
    cluster = LocalCluster(n_workers=job['workers'], dashboard_address=None, **limits)
    with cluster, Client(cluster) as client:
        frame = read_parquet(job['files'])
        workers = client.run(os.getpid)
        with TreeWatch() as idle:
            time.sleep(1)
        if job['killed']:
            victim = next(iter(workers.values())), job['kill_after']
            threading.Thread(target=kill_worker, args=victim, daemon=True).start()
        start = time.perf_counter()
        with TreeWatch() as watch:
            synthesizer.fit({'adult': frame})
        figures = {
            'idle_mib': idle.peak_mib,
            'fit_seconds': time.perf_counter() - start,
            'peak_mib': watch.peak_mib,
            'main_peak_mib': watch.own_peak_mib,
            'worker_peak_mib': watch.child_peak_mib,
            'lost_workers': len({*workers.values()} - {*client.run(os.getpid).values()}),
        }
        if job['sample_rows']:
            figures |= sample(synthesizer, job)
    return figures


def sample(synthesizer: Any, job: Job) -> Job:
    """Sample to parquet; the files are counted and deleted."""
    from meters import TreeWatch
    from pyarrow.parquet import read_metadata

    start = time.perf_counter()
    try:
        with tempfile.TemporaryDirectory(dir=Path(job['files'][0]).parent) as folder:
            with TreeWatch() as watch:
                synthesizer.sample_to_parquet(
                    job['sample_rows'], folder, rows_per_file=job['rows_per_file']
                )
            seconds = time.perf_counter() - start
            files = list(Path(folder).rglob('*.parquet'))
            written = sum(read_metadata(file).num_rows for file in files)
            size = sum(file.stat().st_size for file in files)
    except Exception as error:  # the fit was measured: its figures are kept
        return {'note': f'sampling failed: {type(error).__name__}: {error}'[:160]}
    if written != job['sample_rows']:
        return {'note': f'sampling wrote {written} rows in place of {job["sample_rows"]}'}
    return {
        'sampled_rows': written,
        'sample_seconds': seconds,
        'sample_peak_mib': watch.peak_mib,
        'sample_mib': size / 2**20,
    }


def run_job(job: Job, timeout: float) -> Job:
    """Run a job in a process of its own, whose workers end with it."""
    try:
        done = run([sys.executable, __file__, '--job', json.dumps(job)], timeout)
    except Ended as why:
        return {'note': str(why)}
    lines = (done.stderr if done.returncode else done.stdout).strip().splitlines()
    if done.returncode:
        said = [line for line in lines if line[:1].isalpha() and 'Error' in line] or lines or ['?']
        return {'note': said[-1][:160]}
    return json.loads(next(line for line in reversed(lines) if line.startswith('{')))


def read_done(arguments: argparse.Namespace) -> pd.DataFrame:
    """Read what was done; forget what failed, or what is asked for again."""
    if not arguments.results.exists():
        return pd.DataFrame(columns=FIELDS)
    runs = pd.read_csv(arguments.results)
    asked = pd.DataFrame(list_jobs(arguments)).apply(tuple, axis=1)
    forgotten = runs[KEY].apply(tuple, axis=1).isin(asked)
    runs = runs[~forgotten | (runs['note'].isna() & (not arguments.again))]
    runs.to_csv(arguments.results, index=False)
    return runs


def run_all(arguments: argparse.Namespace, folder: Path) -> None:
    """Write the rows, and run what is missing."""
    missing = list_missing(arguments, read_done(arguments))
    if not missing:
        return
    start = time.perf_counter()
    files = write_rows(folder, arguments.rows, arguments.rows_per_file)
    print(f'wrote {len(files)} files in {time.perf_counter() - start:.0f} s', flush=True)
    for job in missing:
        # A tenth of the rows is a tenth of the files, at least one.
        part = files[: max(1, job['rows'] // arguments.rows_per_file)]
        sampled = job['workers'] == 2 and not job['killed']
        terms = {
            'files': [str(file) for file in part],
            'memory_limit': arguments.memory_limit,
            'sample_rows': arguments.sample_rows if sampled else 0,
            'rows_per_file': arguments.rows_per_file,
            'kill_after': find_seconds(arguments) * KILLED_AT,
        }
        result = run_job(job | terms, arguments.timeout)
        size = sum(file.stat().st_size for file in part) / 2**20
        append(arguments.results, FIELDS, job | {'files': len(part), 'parquet_mib': size} | result)
        print(job, tell(result), flush=True)


def tell(result: Job) -> str:
    """Say in one line how a run went."""
    note = result.get('note', '')
    if 'fit_seconds' not in result:
        return note
    return f'fit {result["fit_seconds"]:.0f} s, peak {result["peak_mib"]:.0f} MiB {note}'


def list_missing(arguments: argparse.Namespace, done: pd.DataFrame) -> list[Job]:
    """List the runs that are not among the results."""
    seen = {tuple(row) for row in done[KEY].to_numpy().tolist()}
    return [job for job in list_jobs(arguments) if tuple(job.values()) not in seen]


def find_seconds(arguments: argparse.Namespace) -> float:
    """Find the seconds of a fit to as many rows with two workers; a guess if there is none."""
    if arguments.results.exists():
        runs = pd.read_csv(arguments.results).query('workers == 2 and killed == 0')
        seconds = runs.loc[runs['rows'] == arguments.rows, 'fit_seconds'].dropna()
        if len(seconds):
            return float(seconds.iloc[-1])
    return 20.0


def main() -> None:
    """Run all, in a folder of its own or in the given one."""
    os.environ.setdefault('OMP_NUM_THREADS', '1')
    arguments = parse_arguments()
    if arguments.job is not None:
        print('\n' + json.dumps(measure(arguments.job)))
        return
    if arguments.folder:
        run_all(arguments, arguments.folder)
        return
    with tempfile.TemporaryDirectory() as folder:
        run_all(arguments, Path(folder))


if __name__ == '__main__':
    main()
