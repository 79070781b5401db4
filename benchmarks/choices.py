"""What the defaults are worth: variants of the settings on several real tables.

    python benchmarks/choices.py --repeats 3 --tables adult compas

Reads the tables of ``../shared/data`` (a folder per table: ``<name>.csv.gz`` and ``metadata.json``;
others that are laid out alike will do, see ``--data``). Each is split 70/30 once, fitted with
ranges and categories estimated privately, and judged by LightGBM: the mean over repeats of AUC
(macro over classes), or of R2 for a number. Every run goes to ``benchmarks/results/choices.csv``.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
from sdv.metadata import Metadata
from sklearn.model_selection import train_test_split

from sdv_threea import ClustMixSynthesizer
from sdv_threea.report import train_synthetic_test_real
from sdv_threea.settings import SHARES

RESULTS = Path(__file__).parent / 'results' / 'choices.csv'

#: The tables and what is to be predicted.
TARGETS = {
    'adult': 'income',
    'compas': 'two_year_recid',
    'telco_churn': 'Churn',
    'default_credit': 'default_next_month',
    'covtype_compact': 'Cover_Type',
    'california_housing': 'median_house_value',
    'bike_sharing': 'cnt',
}

#: Columns that give the target away.
LEAKS = {'bike_sharing': ['casual', 'registered']}

#: The variants: what is changed of the settings.
VARIANTS: dict[str, dict[str, Any]] = {
    'default': {},
    '1 component': {'n_components': 1},
    '4 components': {'n_components': 4},
    '4, no Adapt': {'n_components': 4, 'shares': SHARES | {'adapt': 0.0}},
    'describe .20': {'shares': SHARES | {'describe': 0.20, 'histograms': 0.58}},
    'moments .20': {'shares': SHARES | {'moments': 0.20, 'histograms': 0.30}},
}


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--repeats', type=int, default=3, help='fits per variant (default: 3)')
    parser.add_argument('--epsilon', type=float, default=1.0)
    parser.add_argument('--delta', type=float, default=1e-5)
    parser.add_argument('--tables', nargs='+', default=list(TARGETS), choices=list(TARGETS))
    parser.add_argument('--data', type=Path, default=Path('../shared/data'))
    return parser.parse_args()


def load(folder: Path, target: str) -> tuple[pd.DataFrame, pd.DataFrame, Metadata]:
    """Load and split a table; columns that are not modelled, and leaks, are left out."""
    metadata = Metadata.load_from_json(folder / 'metadata.json')
    name = metadata._get_single_table_name()
    columns = metadata.tables[name].columns
    dropped = [each for each, about in columns.items() if about['sdtype'] in ('id', 'datetime')]
    dropped += LEAKS.get(folder.name, [])
    kept = {each: about for each, about in columns.items() if each not in dropped}
    metadata = Metadata.load_from_dict({'tables': {name: {'columns': kept}}})
    table = pd.read_csv(folder / f'{folder.name}.csv.gz')[list(kept)]
    classes = None if kept[target]['sdtype'] == 'numerical' else table[target]
    train, test = train_test_split(table, test_size=0.3, random_state=0, stratify=classes)
    return train.reset_index(drop=True), test.reset_index(drop=True), metadata


def measure(
    parts: tuple[pd.DataFrame, pd.DataFrame, Metadata],
    target: str,
    variant: dict[str, Any],
    arguments: argparse.Namespace,
) -> pd.DataFrame:
    """Fit one variant and score it beside the real training part."""
    train, test, metadata = parts
    synthesizer = ClustMixSynthesizer(
        metadata, epsilon=arguments.epsilon, delta=arguments.delta, target_column=target
    )
    synthesizer._settings = replace(synthesizer._settings, **variant)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', UserWarning)
        synthesizer.fit({metadata._get_single_table_name(): train})
    (synthetic,) = synthesizer.sample(num_rows=len(train)).values()
    return train_synthetic_test_real(train, synthetic, test, target)


def main() -> None:
    """Run every variant on every table, write every run, print the means."""
    arguments = parse_arguments()
    runs = []
    for table in arguments.tables:
        if not (arguments.data / table).is_dir():
            print(f'{table}: not in {arguments.data}, skipped')
            continue
        parts = load(arguments.data / table, TARGETS[table])
        for name, variant in VARIANTS.items():
            for repeat in range(arguments.repeats):
                scores = measure(parts, TARGETS[table], variant, arguments)
                score = 'AUC' if 'AUC' in scores and scores['AUC'].notna().any() else 'R2'
                for row, method in (('real', 'real data'), ('synthetic', name)):
                    runs.append((table, score, method, repeat, scores.loc[row, score]))
        print(f'{table} done', flush=True)
    results = pd.DataFrame(runs, columns=['table', 'score', 'method', 'repeat', 'value'])
    RESULTS.parent.mkdir(exist_ok=True)
    results.to_csv(RESULTS, index=False, float_format='%.5f')
    means = results.pivot_table('value', ['table', 'score'], 'method', sort=False)
    print(f'\nMeans of {arguments.repeats} fits at epsilon {arguments.epsilon:g}\n')
    print(means[['real data', *VARIANTS]].round(3).to_string())


if __name__ == '__main__':
    main()
