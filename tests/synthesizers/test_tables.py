"""Every real table that is at hand is fitted and sampled, with noise and without.

The tables are read from ``shared/data`` beside the project (a folder per table: ``<name>.csv.gz``
and ``metadata.json``); where it is absent, only the Adult table that is shipped is tested. Of large
tables the first 2,000 rows are taken, so that the tests stay fast: they are about kinds of columns
and numbers of them, and not about quality.
"""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_threea import ClustMixSynthesizer
from sdv_threea.datasets import load_adult

FOLDER = Path(__file__).parents[3] / 'shared' / 'data'

MOST_ROWS = 2_000

#: The targets of the tables, of each kind: two classes, three, seven, and a number.
TARGETS = {
    'bike_sharing': 'cnt',
    'california_housing': 'median_house_value',
    'covtype': 'Cover_Type',
    'diabetes130': 'readmitted',
    'isolet': 'vowel',
    'pima_diabetes': 'outcome',
}


def list_single_tables():
    """The folders that hold one table, by name."""
    return sorted(
        path.parent.name
        for path in FOLDER.glob('*/metadata.json')
        if (path.parent / f'{path.parent.name}.csv.gz').exists()
    )


def read(name):
    path = FOLDER / name
    table = pd.read_csv(path / f'{name}.csv.gz', nrows=MOST_ROWS)
    return table, Metadata.load_from_json(path / 'metadata.json')


def read_adult():
    table, _, metadata = load_adult()
    return table.head(MOST_ROWS), metadata


def fit_and_sample(table, metadata, **settings):
    synthesizer = ClustMixSynthesizer(metadata, delta=1e-5, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', UserWarning)
        synthesizer.fit({metadata._get_single_table_name(): table})
    (rows,) = synthesizer.sample(300).values()
    return rows


def check(rows, table):
    assert len(rows) == 300
    assert list(rows.columns) == list(table.columns)
    assert rows.notna().any(axis=None)


@pytest.mark.skipif(not list_single_tables(), reason=f'there are no tables in {FOLDER.name}')
@pytest.mark.parametrize('epsilon', [1.0, math.inf])
@pytest.mark.parametrize('name', list_single_tables())
def test_a_real_table_is_fitted_and_sampled(name, epsilon):
    table, metadata = read(name)
    check(fit_and_sample(table, metadata, epsilon=epsilon, target_column=TARGETS.get(name)), table)


@pytest.mark.parametrize('epsilon', [1.0, math.inf])
def test_the_shipped_table_is_fitted_and_sampled(epsilon):
    table, metadata = read_adult()
    check(fit_and_sample(table, metadata, epsilon=epsilon, target_column='income'), table)
