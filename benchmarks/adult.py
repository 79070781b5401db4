"""The figures of ``docs/single_table.md``: Adult at epsilon 1, beside SDV without privacy.

    python benchmarks/adult.py --repeats 15                                # ten minutes
    python benchmarks/adult.py --repeats 1 --results /tmp/adult.csv        # a minute

Fits the official training part, samples as many rows, and measures on the official test part
(LightGBM at its defaults) and with SDMetrics, all pairs counted. ``GaussianCopulaSynthesizer`` is
deterministic, so it runs once.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from methods import METHODS, NOT_PRIVATE, Terms
from pages import DOCS, write_page, write_share, write_table
from runner import Benchmark, Job, Options, Row, grid
from tables import Split
from utility import REAL

from sdv_threea.datasets import load_adult
from sdv_threea.report import measure_quality, train_synthetic_test_real

#: The methods, in the words of the page.
WORDS = {
    REAL: REAL,
    'ClustMix': '**ClustMix, ε = 1**, ranges and categories estimated privately',
    'extrapolated ranges': (
        'the same with `enforce_min_max_values=False`: ranges go on to where the tails would end'
    ),
    'ClustMix, public metadata': '**ClustMix, ε = 1**, ranges and categories public',
    'GaussianCopula': 'SDV GaussianCopula, *no privacy*',
}

#: What the page shows.
SHOWN = ['AUC', 'average precision', 'accuracy', 'quality']


def list_jobs(options: Options) -> Iterator[Job]:
    """List the fits."""
    for method in WORDS:
        once = method == REAL or method in NOT_PRIVATE
        yield from grid(method=[method], repeat=range(1 if once else options.repeats))


def measure(job: Job, _: Options) -> Row:
    """Fit, sample and score one synthesizer."""
    train, test, metadata = load_adult()
    synthetic, seconds = train, {}
    if job['method'] != REAL:
        split = Split('adult', 'income', train, test, metadata, numeric=False)
        terms = Terms(epsilon=1.0, delta=1e-5, seed=job['repeat'], timeout=900)
        synthetic, seconds = METHODS[job['method']](split, terms)
        quality = measure_quality(train, synthetic, metadata)
        seconds |= {'diagnostic': quality.diagnostic, 'quality': quality.overall}
        seconds |= {'shapes': quality.shapes, 'pairs': quality.pairs}
    scores = train_synthetic_test_real(train, synthetic, test, 'income', seed=job['repeat'])
    return scores.loc['synthetic'].drop('note').to_dict() | seconds


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
