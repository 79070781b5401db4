"""How long sampling takes, beside SDV's GaussianCopula, and how much memory; on Adult.

    python benchmarks/sampling.py --rows 32561 1000000 --rows-per-file 250000
    python benchmarks/sampling.py --children 1000000

Prints the CPU seconds of ``sample``, and of ``sample_to_parquet`` into a folder that is removed
again; and by how many MiB the peak of the process's memory grew, which a later line can only raise.
With ``--children``, it is a database that is sampled: patients, and so many stays.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sdv.metadata import Metadata
from sdv.single_table import GaussianCopulaSynthesizer

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.datasets import load_adult

#: Rows of the parent table of the database that is fitted.
NUM_PARENTS = 5_000

#: Rows that are sampled before the clock starts: what is loaded at the first call is loaded then.
WARM_UP = 1_000


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--rows', type=int, nargs='+', default=[32_561, 1_000_000])
    parser.add_argument('--rows-per-file', type=int, default=250_000)
    parser.add_argument('--children', type=int, help='rows of a child table, in place of Adult')
    parser.add_argument('--repeats', type=int, default=3, help='the fastest counts (default: 3)')
    return parser.parse_args()


def read_peak() -> float:
    """Return the peak of this process's memory, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(sample: Callable[[], Any], repeats: int) -> tuple[float, float]:
    """Return the CPU seconds of the fastest run, and by how many MiB the peak grew."""
    before, seconds = read_peak(), []
    for _ in range(repeats):
        start = time.process_time()
        sample()
        seconds.append(time.process_time() - start)
    return min(seconds), read_peak() - before


def make_database() -> tuple[dict[str, pd.DataFrame], Metadata]:
    """Draw patients, with three stays each on average, and what describes them."""
    rng = np.random.default_rng(0)
    owners = np.repeat(np.arange(NUM_PARENTS), rng.poisson(3, NUM_PARENTS))
    tables = {
        'patient': pd.DataFrame(
            {
                'patient': np.arange(NUM_PARENTS),
                'age': rng.integers(18, 90, NUM_PARENTS),
                'kind': rng.choice(['a', 'b', 'c'], NUM_PARENTS),
            }
        ),
        'stay': pd.DataFrame(
            {
                'stay': [f'S{number:06}' for number in range(len(owners))],
                'patient': owners,
                'days': rng.poisson(4, len(owners)),
                'ward': rng.choice(list('uvwxyz'), len(owners)),
            }
        ),
    }
    kinds = {'age': 'numerical', 'days': 'numerical', 'kind': 'categorical', 'ward': 'categorical'}
    described = {
        name: {
            'columns': {each: {'sdtype': kinds.get(each, 'id')} for each in table},
            'primary_key': name,
        }
        for name, table in tables.items()
    }
    link = {
        'parent_table_name': 'patient',
        'parent_primary_key': 'patient',
        'child_table_name': 'stay',
        'child_foreign_key': 'patient',
    }
    return tables, Metadata.load_from_dict({'tables': described, 'relationships': [link]})


def measure_database(num_children: int, repeats: int) -> None:
    """Fit a database, sample so many rows of its child table, and print a line."""
    tables, metadata = make_database()
    synthesizer = ClustMixMultiTableSynthesizer(metadata, epsilon=3.0, privacy_unit='patient')
    synthesizer.fit(tables)
    synthesizer.sample_scale(1.0)
    scale = num_children / len(tables['stay'])
    seconds, grown = measure(lambda: synthesizer.sample_scale(scale), repeats)
    print(
        f'{num_children:>12,} rows  {"ClustMix, database":<18} {seconds:8.2f} s  +{grown:,.0f} MiB'
    )


def main() -> None:
    """Fit both, sample, and print a line for each."""
    arguments = parse_arguments()
    if arguments.children is not None:
        measure_database(arguments.children, arguments.repeats)
        return
    adult, _, metadata = load_adult()
    ours = ClustMixSynthesizer(metadata, epsilon=1.0, delta=1e-5, target_column='income')
    theirs = GaussianCopulaSynthesizer(metadata)
    for synthesizer in (ours, theirs):
        synthesizer.fit({'adult': adult})
        synthesizer.sample(WARM_UP)
    for num_rows in sorted(arguments.rows):
        with tempfile.TemporaryDirectory() as folder:
            places = (Path(folder) / str(number) for number in range(arguments.repeats))
            methods = {
                'ClustMix, Parquet': lambda rows=num_rows, places=places: ours.sample_to_parquet(
                    rows, next(places), arguments.rows_per_file, show_progress=False
                ),
                'ClustMix': lambda rows=num_rows: ours.sample(rows),
                'GaussianCopula': lambda rows=num_rows: theirs.sample(rows),
            }
            for name, sample in methods.items():
                seconds, grown = measure(sample, arguments.repeats)
                print(
                    f'{num_rows:>12,} rows  {name:<18} {seconds:8.2f} s  +{grown:,.0f} MiB',
                    flush=True,
                )


if __name__ == '__main__':
    main()
