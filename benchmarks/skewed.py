"""What ``LogScaler`` does for skewed columns: their shape, their tails and their range.

    python benchmarks/skewed.py                     # a few minutes

Whole tables are fitted at epsilon 1, their ranges private, with and without ``LogScaler`` on the
skewed columns, and with both settings of ``enforce_min_max_values``. Of each column, means over
several fits are printed: SDMetrics' ``KSComplement`` (shape) and ``RangeCoverage`` (range covered);
one minus how far the largest tenth is from its share, at worst and relative to a tenth (shape of
the tail); and the share of rows outside the real range.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from rdt.transformers import LogScaler
from sdmetrics.single_column import KSComplement, RangeCoverage
from tables import DATA, load_split

from sdv_threea import ClustMixSynthesizer

#: The skewed columns, and the constant below all of their possible values.
COLUMNS = {
    'california_housing': {'total_rooms': 0.0, 'population': 0.0, 'households': 0.0},
    'adult': {'fnlwgt': 0.0, 'capital_gain': -1.0},
    'default_credit': {'limit_bal': 0.0, 'pay_amt1': -1.0},
}

#: Fits of each kind.
NUM_FITS = 5

HEADER = (
    '| table | column | range | shape | shape of the tail | range covered | outside |\n'
    '| --- | --- | --- | ---: | ---: | ---: | ---: |'
)


def score(real: pd.Series, made: pd.Series) -> list[float]:
    """Score a column: shape, shape of the tail, range covered and share outside the real range."""
    real, made = real.dropna().astype(float), made.dropna().astype(float)
    ends = np.quantile(real, np.linspace(0.9, 1, 101))
    above, wanted = (np.array([(each > end).mean() for end in ends]) for each in (made, real))
    shape, covered = KSComplement.compute(real, made), RangeCoverage.compute(real, made)
    tail = 1 - float(np.abs(above - wanted).max()) / 0.1
    outside = float((~made.between(real.min(), real.max())).mean())
    return [shape, tail, covered, outside]


def measure(name: str, transform: bool, enforce: bool, data: Path) -> dict[str, list[float]]:
    """Fit a table once, and score its skewed columns."""
    split = load_split(name, data)
    table = {split.table_name: split.train}
    synthesizer = ClustMixSynthesizer(
        split.metadata,
        epsilon=1.0,
        target_column=split.target,
        enforce_min_max_values=enforce,
    )
    synthesizer.auto_assign_transformers(table)
    if transform:
        steps = {column: LogScaler(constant=low) for column, low in COLUMNS[name].items()}
        synthesizer.update_transformers(steps)
    synthesizer.fit(table)
    sampled = synthesizer.sample(len(split.train))[split.table_name]
    return {column: score(split.train[column], sampled[column]) for column in COLUMNS[name]}


def compare(name: str, enforce: bool, fits: int, data: Path) -> dict[str, str]:
    """Write the mean scores of each skewed column, without and with ``LogScaler``."""
    runs = [[measure(name, each, enforce, data) for _ in range(fits)] for each in (False, True)]
    rows = {}
    for column in COLUMNS[name]:
        without, scaled = (np.mean([each[column] for each in run], axis=0) for run in runs)
        pairs = zip(without, scaled, strict=True)
        rows[column] = ' | '.join(f'{one:.3f} → {other:.3f}' for one, other in pairs)
    return rows


def main() -> None:
    """Print a row by column and setting of ``enforce_min_max_values``."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--data', type=Path, default=DATA)
    parser.add_argument('--fits', type=int, default=NUM_FITS)
    options = parser.parse_args()
    warnings.simplefilter('ignore')
    print(HEADER)
    for name in COLUMNS:
        for enforce, reach in ((True, 'inside'), (False, 'extrapolated')):
            for column, scores in compare(name, enforce, options.fits, options.data).items():
                print(f'| {name} | {column} | {reach} | {scores} |', flush=True)


if __name__ == '__main__':
    main()
