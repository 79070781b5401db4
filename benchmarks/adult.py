"""The figures of ``docs/single_table.md``: Adult at epsilon 1, beside SDV without privacy.

    python benchmarks/adult.py --repeats 5

Fits the official training part, samples as many rows, and measures on the official test part
(LightGBM at its defaults) and with SDMetrics, all pairs counted. Every run goes to
``benchmarks/results/adult.csv``; the medians are printed. ``GaussianCopulaSynthesizer`` is
deterministic, so it runs once.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from sdv.single_table import GaussianCopulaSynthesizer

from sdv_threea import ClustMixSynthesizer
from sdv_threea.datasets import load_adult
from sdv_threea.report import measure_quality, train_synthetic_test_real

RESULTS = Path(__file__).parent / 'results' / 'adult.csv'
SCORES = ['AUC', 'average precision', 'accuracy', 'diagnostic', 'quality', 'shapes', 'pairs']
SECONDS = ['fit seconds', 'sample seconds']

#: How the ends of ranges are known: estimated from within, estimated with the tails that lie beyond
#: the evidence, or stated.
RANGES: dict[str, dict[str, bool]] = {
    'private': {},
    'private, extrapolated': {'enforce_min_max_values': False},
    'public': {'public_metadata': True},
}


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--repeats', type=int, default=5, help='fits per method (default: 5)')
    parser.add_argument('--epsilon', type=float, default=1.0)
    parser.add_argument('--delta', type=float, default=1e-5)
    return parser.parse_args()


def list_synthesizers(arguments: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Yield the name of each method and a fresh synthesizer, once per run."""
    for ranges, settings in RANGES.items():
        *_, metadata = load_adult(public_metadata='public_metadata' in settings)
        name = f'ClustMix, {ranges} ranges, ε = {arguments.epsilon:g}'
        for _ in range(arguments.repeats):
            yield (
                name,
                ClustMixSynthesizer(
                    metadata,
                    epsilon=arguments.epsilon,
                    delta=arguments.delta,
                    target_column='income',
                    **settings,
                ),
            )
    yield 'GaussianCopula, no privacy', GaussianCopulaSynthesizer(load_adult()[-1])


def measure(synthesizer: Any, seed: int) -> dict[str, float]:
    """Fit, sample and score one synthesizer."""
    train, test, metadata = load_adult()
    start = time.perf_counter()
    synthesizer.fit({'adult': train})
    fitted = time.perf_counter()
    synthetic = synthesizer.sample(num_rows=len(train))['adult']
    sampled = time.perf_counter()
    utility = train_synthetic_test_real(train, synthetic, test, 'income', seed=seed)
    quality = measure_quality(train, synthetic, metadata)
    return {
        **utility.loc['synthetic'].drop('note'),
        'diagnostic': quality.diagnostic,
        'quality': quality.overall,
        'shapes': quality.shapes,
        'pairs': quality.pairs,
        'fit seconds': fitted - start,
        'sample seconds': sampled - fitted,
    }


def measure_real() -> dict[str, float]:
    """Score the real training part itself."""
    train, test, _ = load_adult()
    return dict(train_synthetic_test_real(train, train, test, 'income').loc['real'].drop('note'))


def print_markdown(runs: pd.DataFrame) -> None:
    """Print the medians by method as a table for the page."""
    medians = runs.groupby('method', sort=False)[SCORES + SECONDS].median()
    print('|', ' | '.join(['method', *medians.columns]), '|')
    print('|' + '---|' * (len(medians.columns) + 1))
    for name, row in medians.iterrows():
        scores = ['' if pd.isna(row[each]) else f'{row[each]:.3f}' for each in SCORES]
        seconds = ['' if pd.isna(row[each]) else f'{row[each]:.1f}' for each in SECONDS]
        print('|', ' | '.join([str(name), *scores, *seconds]), '|')


def main() -> None:
    """Run every method, write every run, print the medians."""
    runs = [{'method': 'real data', **measure_real()}]
    for seed, (name, synthesizer) in enumerate(list_synthesizers(parse_arguments())):
        runs.append({'method': name, **measure(synthesizer, seed)})
        print(f'{name}: AUC {runs[-1]["AUC"]:.3f}, quality {runs[-1]["quality"]:.3f}', flush=True)
    table = pd.DataFrame(runs)
    RESULTS.parent.mkdir(exist_ok=True)
    table.to_csv(RESULTS, index=False, float_format='%.5f')
    print()
    print_markdown(table)


if __name__ == '__main__':
    main()
