"""The figures of ``docs/single_table.md``: Adult at epsilon 1, beside SDV without privacy.

    python benchmarks/adult.py --repeats 15                                # ten minutes
    python benchmarks/adult.py --repeats 1 --results /tmp/adult.csv        # a minute

Fits the official training part, samples as many rows, and measures on the official test part
(LightGBM at its defaults) and with SDMetrics, all pairs counted. ``GaussianCopulaSynthesizer`` is
deterministic, so it runs once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pages import DOCS, write_page, write_share, write_table
from runner import Benchmark, Job, Options, Row, measured

from sdv_threea import ClustMixSynthesizer
from sdv_threea.datasets import load_adult
from sdv_threea.report import measure_quality, train_synthetic_test_real

REAL, COPULA = 'real data', 'GaussianCopula, no privacy'

#: How the ends of ranges are known: estimated from within, estimated with the tails that lie beyond
#: the evidence, or stated. Each with the words of the page.
RANGES: dict[str, tuple[dict[str, bool], str]] = {
    'private ranges': ({}, '**ClustMix, ε = 1**, ranges and categories estimated privately'),
    'private, extrapolated ranges': (
        {'enforce_min_max_values': False},
        'the same with `enforce_min_max_values=False`: ranges go on to where the tails would end',
    ),
    'public ranges': (
        {'public_metadata': True},
        '**ClustMix, ε = 1**, ranges and categories public',
    ),
}

WORDS = {REAL: REAL} | {name: words for name, (_, words) in RANGES.items()}
WORDS |= {COPULA: 'SDV GaussianCopula, *no privacy*'}

#: What the page shows.
SHOWN = ['AUC', 'average precision', 'accuracy', 'quality']


def list_jobs(options: Options) -> Iterator[Job]:
    """List the fits."""
    for method in WORDS:
        for repeat in range(options.repeats if method in RANGES else 1):
            yield {'method': method, 'repeat': repeat}


def measure(job: Job, _: Options) -> Row:
    """Fit, sample and score one synthesizer."""
    method, figures = job['method'], {}
    settings: dict[str, Any] = dict(RANGES[method][0]) if method in RANGES else {}
    train, test, metadata = load_adult(public_metadata='public_metadata' in settings)
    if method == REAL:
        scores = train_synthetic_test_real(train, train, test, 'income')
        return dict(scores.loc['real'].drop('note'))
    if method == COPULA:
        from sdv.single_table import GaussianCopulaSynthesizer

        synthesizer = GaussianCopulaSynthesizer(metadata)
    else:
        terms = {'epsilon': 1.0, 'delta': 1e-5, 'target_column': 'income'}
        synthesizer = ClustMixSynthesizer(metadata, **terms, **settings)
    with measured('fit', figures):
        synthesizer.fit({'adult': train})
    with measured('sample', figures):
        synthetic = synthesizer.sample(num_rows=len(train))['adult']
    scores = train_synthetic_test_real(train, synthetic, test, 'income', seed=job['repeat'])
    quality = measure_quality(train, synthetic, load_adult()[-1])
    return {
        **scores.loc['synthetic'].drop('note'),
        'diagnostic': quality.diagnostic,
        'quality': quality.overall,
        'shapes': quality.shapes,
        'pairs': quality.pairs,
        'fit_seconds': figures['fit_seconds'],
        'sample_seconds': figures['sample_seconds'],
    }


def write_medians(runs: pd.DataFrame) -> str:
    """Write the medians by method."""
    medians = runs.groupby('method')[[*SHOWN, 'fit_seconds']].median()
    rows = []
    for method, words in WORDS.items():
        *scores, seconds = medians.loc[method]
        shown = ['' if pd.isna(score) else write_share(score) for score in scores]
        rows.append([words, *shown, '' if pd.isna(seconds) else f'{seconds:.1f}'])
    return write_table(['method', *SHOWN, 'fit seconds'], rows)


BENCHMARK = Benchmark(
    name='adult',
    list_jobs=list_jobs,
    measure=measure,
    options={'repeats': 5},
    write_pages=lambda runs: write_page(
        DOCS / 'single_table.md', {'benchmark': write_medians(runs)}
    ),
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
