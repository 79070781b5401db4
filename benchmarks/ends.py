"""Ends of ranges: rows that samples cut off, and samples beyond the real ends.

    python benchmarks/ends.py                     # a minute
    python benchmarks/ends.py --rows 1500 --epsilons 1 --repeats 8 --extrapolate

Ten columns of known shapes are fitted together. Of each, *cut* is the share of the real rows below
the least or above the largest of 4,000 samples, and *outside* that of the samples beyond the least
or the largest real value, in percent.
"""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd
from sdv.metadata import Metadata

from sdv_threea import ClustMixSynthesizer

NUM_SAMPLES = 4000


def make_table(num_rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return columns of usual shapes, as floats, decimals and whole numbers."""
    return pd.DataFrame(
        {
            'normal': rng.normal(6.67, 0.46, num_rows),
            'normal, 3 decimals': rng.normal(6.67, 0.46, num_rows).round(3),
            'normal about 0': rng.normal(0, 100, num_rows),
            'normal, whole': rng.normal(50, 15, num_rows).round(),
            'lognormal': rng.lognormal(3, 1, num_rows),
            'lognormal, cents': rng.lognormal(3, 1, num_rows).round(2),
            'uniform': rng.uniform(0, 1, num_rows),
            'years': rng.integers(1950, 2020, num_rows),
            'exponential': rng.exponential(10, num_rows),
            'counts': rng.poisson(4, num_rows),
        }
    )


def measure(table: pd.DataFrame, epsilon: float, *, extrapolate: bool) -> pd.DataFrame:
    """Return the percentages *cut* and *outside* of each column of a fit."""
    columns = {name: {'sdtype': 'numerical'} for name in table}
    metadata = Metadata.load_from_dict({'tables': {'made': {'columns': columns}}})
    synthesizer = ClustMixSynthesizer(
        metadata, epsilon=epsilon, enforce_min_max_values=not extrapolate
    )
    synthesizer.fit({'made': table})
    drawn = synthesizer.sample(NUM_SAMPLES)['made']
    cut = ((table < drawn.min()) | (table > drawn.max())).mean()
    outside = ((drawn < table.min()) | (drawn > table.max())).mean()
    return 100 * pd.DataFrame({'cut': cut, 'outside': outside})


def main() -> None:
    """Print the means over repeats, by column."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--rows', type=int, nargs='+', default=[1500, 4165, 20_000])
    parser.add_argument('--epsilons', type=float, nargs='+', default=[1.0, 8.0])
    parser.add_argument('--repeats', type=int, default=3)
    parser.add_argument('--extrapolate', action='store_true')
    options = parser.parse_args()
    for num_rows in options.rows:
        for epsilon in options.epsilons:
            found = [
                measure(
                    make_table(num_rows, np.random.default_rng(seed)),
                    epsilon,
                    extrapolate=options.extrapolate,
                )
                for seed in range(options.repeats)
            ]
            mean = pd.concat(found).groupby(level=0, sort=False).mean()
            mean.loc['mean'] = mean.mean()
            print(f'{num_rows} rows, epsilon {epsilon:g}', mean.round(2), sep='\n')


if __name__ == '__main__':
    main()
