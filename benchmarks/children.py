"""How fast are large databases, and how much memory do they take?

    python benchmarks/children.py                                       # a minute
    python benchmarks/children.py --rows 200000 800000 --in-files 1     # not in memory: a minute
    python benchmarks/children.py --sequences 1 --in-files 0 1          # two minutes

Customers, and ten times as many orders of six columns, are fitted at epsilon 3 and as many are
sampled: as two tables, or as one table of sequences, in which orders show their customer. Seconds
are those of the processor. Each run is a process of its own; *peak* is the most memory that is
resident during fit and sample, beyond what was before. Tables that are not in memory are files of
Parquet of 100,000 orders each, and as many rows are sampled from any number of files.
"""

from __future__ import annotations

import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from runner import Benchmark, Job, Options, Row, read_memory
from sdv.metadata import Metadata

#: Orders of one customer, on average.
ORDERS = 10

#: Orders of one file.
PART = 100_000

KINDS = {
    'customers': {
        'customer': 'id',
        'age': 'numerical',
        'sex': 'categorical',
        'region': 'categorical',
    },
    'orders': {
        'order': 'id',
        'customer': 'id',
        'amount': 'numerical',
        'kind': 'categorical',
        'day': 'datetime',
        'gift': 'boolean',
    },
}


def list_jobs(options: Options) -> Iterator[Job]:
    """List the runs."""
    for sequences, in_files, rows in product(options.sequences, options.in_files, options.rows):
        yield {'rows': rows, 'in_files': in_files, 'sequences': sequences}


def make_tables(rows: int, sequences: int, seed: int = 0) -> dict[str, pd.DataFrame]:
    """Make customers, and ``rows`` orders that cost more the older a customer is."""
    rng, number = np.random.default_rng(seed), rows // ORDERS
    age = rng.integers(18, 90, number)
    owner = np.sort(rng.integers(0, number, rows))
    customers = pd.DataFrame(
        {
            'customer': np.arange(number),
            'age': age,
            'sex': rng.choice(['f', 'm'], number),
            'region': rng.choice(list('abcdefgh'), number),
        }
    )
    orders = pd.DataFrame(
        {
            'order': np.arange(rows),
            'customer': owner,
            'amount': np.round(rng.lognormal(3, 1, rows) * (1 + age[owner] / 100), 2),
            'kind': rng.choice(['web', 'shop', 'post'], rows),
            'day': pd.Timestamp('2020-01-01') + pd.to_timedelta(rng.integers(0, 999, rows), 'D'),
            'gift': rng.random(rows) < 0.2,
        }
    )
    if sequences:
        return {'orders': orders.merge(customers, on='customer')}
    return {'customers': customers, 'orders': orders}


def write_tables(folder: Path, rows: int, sequences: int) -> dict[str, str]:
    """Write the tables in files of :data:`PART` orders; return the folder of each table."""
    written = {}
    for at, start in enumerate(range(0, rows, PART)):
        for name, table in make_tables(min(PART, rows - start), sequences, at).items():
            keys = {key: table[key] + start for key in ('customer', 'order') if key in table}
            written[name] = str(folder / name)
            (folder / name).mkdir(exist_ok=True)
            table.assign(**keys).to_parquet(folder / name / f'{at:05}.parquet', index=False)
    return written


def describe_sequences() -> Metadata:
    """Return the metadata of orders that show their customer."""
    kinds = KINDS['orders'] | KINDS['customers']
    columns = {column: {'sdtype': kind} for column, kind in kinds.items()}
    keys = {'primary_key': 'order', 'sequence_key': 'customer', 'sequence_index': 'day'}
    return Metadata.load_from_dict({'tables': {'orders': {'columns': columns, **keys}}})


def describe() -> Metadata:
    """Return the metadata of both tables."""
    tables = {
        name: {
            'primary_key': next(iter(kinds)),
            'columns': {column: {'sdtype': kind} for column, kind in kinds.items()},
        }
        for name, kinds in KINDS.items()
    }
    link = {
        'parent_table_name': 'customers',
        'parent_primary_key': 'customer',
        'child_table_name': 'orders',
        'child_foreign_key': 'customer',
    }
    return Metadata.load_from_dict({'tables': tables, 'relationships': [link]})


def make(sequences: int, number: int) -> tuple[Any, Callable[[float], Any]]:
    """Make a synthesizer, and the function that samples a share of a number of customers."""
    from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSequentialSynthesizer

    terms: dict[str, Any] = {'epsilon': 3.0, 'delta': 1e-7, 'verbose': False}
    if sequences:
        context = ['age', 'sex', 'region']
        metadata = describe_sequences()
        made = ClustMixSequentialSynthesizer(metadata, context_columns=context, **terms)
        return made, lambda share: made.sample(round(share * number))
    tables = ClustMixMultiTableSynthesizer(describe(), privacy_unit='customers', **terms)
    return tables, tables.sample_scale


def measure(job: Job, options: Options) -> Row:
    """Fit and sample in this process, and watch its memory."""
    warnings.simplefilter('ignore')
    rows, sequences = job['rows'], job['sequences']
    with tempfile.TemporaryDirectory() as folder:
        tables: dict[str, Any]
        if job['in_files']:
            tables, share = write_tables(Path(folder), rows, sequences), PART / rows
        else:
            tables, share = make_tables(rows, sequences), 1.0
        synthesizer, sample = make(sequences, rows // ORDERS)
        with Watch() as watch:
            start = time.process_time()
            synthesizer.fit(tables)
            fitted = time.process_time()
            sampled = sample(share)
            done = time.process_time()
    return {
        'fit_s': fitted - start,
        'sample_s': done - fitted,
        'peak_mib': watch.peak,
        'sampled': len(sampled['orders']),
    }


class Watch:
    """Watch the resident memory of this process; ``peak`` is the most beyond that at the start."""

    def __enter__(self) -> Self:
        self.before, self.peak, self.done = read_memory() or 0.0, 0.0, threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.done.set()
        self.thread.join()

    def _look(self) -> None:
        while not self.done.wait(0.05):
            self.peak = max(self.peak, (read_memory() or 0.0) - self.before)


BENCHMARK = Benchmark(
    name='children',
    list_jobs=list_jobs,
    measure=measure,
    options={'rows': [100_000, 300_000, 1_000_000], 'in_files': [0], 'sequences': [0]},
    process='job',
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
