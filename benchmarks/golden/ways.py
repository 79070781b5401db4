"""Cases of one table that is fitted, and sampled from, in other ways."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import dask.dataframe as dd
import pandas as pd
from case import NAME, Case, Tables, sample
from people import make_for_people, make_people
from rdt.transformers import (
    AnonymizedFaker,
    FloatFormatter,
    LogScaler,
    OrderedLabelEncoder,
    UnixTimestampEncoder,
)
from sdv.sampling import Condition, DataFrameCondition
from stored import make_for_stored, make_stored

from sdv_threea.settings import Settings


def fit_processed(synthesizer: Any, tables: Tables) -> None:
    synthesizer.fit_processed_data(synthesizer.preprocess(tables))


def _fit_partitions(synthesizer: Any, tables: Tables) -> None:
    synthesizer.fit({NAME: dd.from_pandas(tables[NAME], npartitions=3)})


def _fit_files(synthesizer: Any, tables: Tables) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for at in range(2):
            tables[NAME].iloc[at::2].to_parquet(Path(folder, f'{at}.parquet'), index=False)
        synthesizer.fit({NAME: folder})


def _fit_unpaired(synthesizer: Any, tables: Tables) -> None:
    """Fit as if the noise of pairs of columns were too large."""
    with patch.object(Settings, 'counts_pairs', False):
        synthesizer.fit(tables)


def fit_twice(synthesizer: Any, tables: Tables) -> None:
    synthesizer.fit(tables)
    synthesizer.fit(tables)


def _fit_transformed(synthesizer: Any, tables: Tables) -> None:
    synthesizer.auto_assign_transformers(tables)
    synthesizer.update_transformers(
        {
            'age': FloatFormatter(),
            'income': LogScaler(),
            'city': OrderedLabelEncoder(order=['Basel', 'Bern', 'Chur', 'Genf']),
            'joined': UnixTimestampEncoder(datetime_format='%Y-%m-%d'),
            'email': AnonymizedFaker('address', 'country_code'),
        }
    )
    synthesizer.fit(tables)


def list_doors() -> dict[str, Case]:
    ways = {
        'preprocessed': fit_processed,
        'Dask': _fit_partitions,
        'files of Parquet': _fit_files,
        'fitted twice': fit_twice,
        'transformers of RDT': _fit_transformed,
    }
    people, make = {NAME: make_people()}, partial(make_for_people, target_column='label')
    return {name: Case(make, people, fit=way) for name, way in ways.items()}


def _sample_under_conditions(synthesizer: Any) -> Iterator[pd.DataFrame]:
    dates = pd.DataFrame({'joined': ['2020-05-05', '2021-01-31'], 'age': [30, 60]})
    for conditions in (
        [Condition({'city': 'Bern'}, 30)],
        [Condition({'city': 'Chur', 'team': 'red', 'label': 'low'}, 30)],
        [Condition({'age': 33, 'member': True}, 20), Condition({'age': 66}, 20)],
        [Condition({'team': None, 'hours': 40}, 20)],
        [DataFrameCondition(dates)],
    ):
        yield from synthesizer.sample_from_conditions(conditions).values()


def _complete(synthesizer: Any) -> Iterator[pd.DataFrame]:
    known = make_people(60)
    for names in (['age'], ['label'], ['city', 'member', 'age'], ['joined', 'team']):
        yield from synthesizer.sample_remaining_columns(known[names]).values()


def _sample_repeatedly(synthesizer: Any) -> Iterator[pd.DataFrame]:
    yield from synthesizer.sample(70).values()
    yield from synthesizer.sample(70, batch_size=30).values()
    yield from synthesizer.sample(0).values()
    synthesizer.reset_sampling()
    yield from synthesizer.sample(40_000).values()


def _sample_files(synthesizer: Any) -> Iterator[pd.DataFrame]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, 'rows')
        synthesizer.sample_to_parquet(250, path, rows_per_file=100, show_progress=False)
        yield from map(pd.read_parquet, sorted(path.iterdir()))


def sample_loaded(synthesizer: Any) -> Iterator[pd.DataFrame]:
    yield from sample(synthesizer)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, 'synthesizer.pkl')
        synthesizer.save(path)
        loaded = type(synthesizer).load(path)
    yield from sample(loaded)
    loaded.reset_sampling()
    yield from sample(loaded)


def list_samples() -> dict[str, Case]:
    ways = {
        'conditions': _sample_under_conditions, 'known columns': _complete,
        'several samples': _sample_repeatedly, 'saved and loaded': sample_loaded,
    }  # fmt: skip
    people, stored = {NAME: make_people()}, {NAME: make_stored()}
    made = {'': partial(make_for_people, target_column='label'), ', no target': make_for_people}
    cases = {
        f'{name}{which}': Case(make, people, fit=_fit_unpaired, sample=way)
        for which, make in made.items()
        for name, way in ways.items()
    }
    make = partial(make_for_stored, epsilon=20.0)
    return cases | {
        'sampled to Parquet': Case(make, stored, sample=_sample_files),
        'every storage, saved and loaded': Case(make, stored, sample=sample_loaded),
    }
