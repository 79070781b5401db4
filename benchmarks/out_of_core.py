"""More rows than fit: 50 million rows of Adult's shape, fitted from parquet over Dask.

    pip install 'sdv-threea[dask]' && python benchmarks/out_of_core.py          # an hour
    python benchmarks/out_of_core.py --rows 40000 --rows-per-file 10000 --kill-after 2 \
        --results /tmp/out_of_core.csv                                          # minutes

The rows are written file by file, and never held: drawn from Adult with replacement, categories as
dictionaries, whole numbers in the smallest type that holds them. Each fit is a process of its own
with a cluster on this machine, of one and of two workers with one thread each; in the last of them
a worker is killed while it works, ``--kill-after`` seconds from the start. Two workers sample as
many rows, to parquet again. Memory is resident memory, of the process and of all its workers
together.
"""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from runner import Benchmark, Job, Options, Row, read_memory

# A worker loads this file too: what only the fit needs is imported where it is needed.

#: A tenth of the rows is fitted first, to see how seconds and memory grow.
SHARE = 0.1


def list_jobs(options: Options) -> Iterator[Job]:
    """List the runs: a tenth of the rows first, then all, then with an accident."""
    yield {'rows': round(options.rows * SHARE), 'workers': 1, 'killed': 0}
    for workers in (1, 2):
        yield {'rows': options.rows, 'workers': workers, 'killed': 0}
    yield {'rows': options.rows, 'workers': 2, 'killed': 1}


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


def measure(job: Job, options: Options) -> Row:
    """Fit, and sample where two workers did well, with a cluster of its own."""
    from dask.dataframe import read_parquet
    from distributed import Client, LocalCluster

    from sdv_threea import ClustMixSynthesizer
    from sdv_threea.datasets import load_adult

    warnings.simplefilter('ignore')
    files = write_rows(Path(options.folder), job['rows'], options.rows_per_file)
    size = sum(file.stat().st_size for file in files) / 2**20
    *_, metadata = load_adult()
    synthesizer = ClustMixSynthesizer(metadata, delta=1e-9, target_column='income')
    limits = {'threads_per_worker': 1, 'memory_limit': options.memory_limit}
    cluster = LocalCluster(n_workers=job['workers'], dashboard_address=None, **limits)
    with cluster, Client(cluster) as client:
        workers = client.run(os.getpid)
        if job['killed']:
            victim = next(iter(workers.values()))
            threading.Timer(options.kill_after, os.kill, (victim, signal.SIGKILL)).start()
        start = time.perf_counter()
        with TreeWatch() as watch:
            synthesizer.fit({'adult': read_parquet(list(map(str, files)))})
        figures = {
            'parquet_mib': size,
            'fit_seconds': time.perf_counter() - start,
            'peak_mib': watch.peak_mib,
            'worker_peak_mib': watch.child_peak_mib,
            'lost_workers': len({*workers.values()} - {*client.run(os.getpid).values()}),
        }
        if job['workers'] == 2 and not job['killed']:
            figures |= sample(synthesizer, options)
    return figures


def sample(synthesizer: Any, options: Options) -> Row:
    """Sample to parquet; the files are counted and deleted."""
    from pyarrow.parquet import read_metadata

    start = time.perf_counter()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        with TreeWatch() as watch:
            synthesizer.sample_to_parquet(options.rows, folder, rows_per_file=options.rows_per_file)
        seconds = time.perf_counter() - start
        files = list(Path(folder).rglob('*.parquet'))
        return {
            'sampled_rows': sum(read_metadata(file).num_rows for file in files),
            'sample_seconds': seconds,
            'sample_peak_mib': watch.peak_mib,
        }


class TreeWatch(threading.Thread):
    """Watches the memory of this process and of all that it started, until it is stopped.

    Memory that processes share counts in each of them: the sum is never below what is in use.
    """

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak_mib = self.child_peak_mib = 0.0
        self._stopped = threading.Event()

    def run(self) -> None:
        """Look again and again."""
        import psutil

        me = psutil.Process()
        while not self._stopped.wait(0.1):
            # Nothing is read of a child that has just ended.
            children = [read_memory(child.pid) or 0.0 for child in me.children(recursive=True)]
            self.child_peak_mib = max(self.child_peak_mib, *children, 0.0)
            self.peak_mib = max(self.peak_mib, (read_memory() or 0.0) + sum(children))

    def __enter__(self) -> TreeWatch:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self.join()


BENCHMARK = Benchmark(
    name='out_of_core',
    list_jobs=list_jobs,
    measure=measure,
    options={
        'rows': 50_000_000,
        'rows_per_file': 500_000,
        'memory_limit': '1.5GB',
        'kill_after': 90.0,
        'folder': str(Path(tempfile.gettempdir()) / 'out_of_core'),
        'timeout': 7200.0,
    },
    process='job',
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
