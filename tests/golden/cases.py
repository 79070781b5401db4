"""Made tables and databases for :mod:`golden`: every door of the package, on small tables.

A case is a synthesizer, its tables, how it is fitted, and how rows are sampled from it. Cases are
small (1,000 to 2,000 rows), so that a release takes about a second.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import jax.numpy as jnp
import numpy as np
import pandas as pd
from rdt.transformers import (
    AnonymizedFaker,
    FloatFormatter,
    LogScaler,
    OrderedLabelEncoder,
    UnixTimestampEncoder,
)
from sdv.cag import (
    FixedCombinations,
    FixedIncrements,
    Inequality,
    OneHotEncoding,
    Range,
    SingleTableProgrammableConstraint,
)
from sdv.metadata import Metadata
from sdv.sampling import Condition, DataFrameCondition

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer

NAME = 'people'

NUM_ROWS, NUM_SAMPLED, SCALE = 1_500, 300, 0.5

DATE = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}

Tables = dict[str, Any]


def fit(synthesizer: Any, tables: Tables) -> None:
    """Fit as most users do."""
    synthesizer.fit(tables)


def sample(synthesizer: Any) -> Iterator[pd.DataFrame]:
    """Sample once: rows of one table, or a part of a database."""
    one = isinstance(synthesizer, ClustMixSynthesizer)
    sampled = synthesizer.sample(NUM_SAMPLED) if one else synthesizer.sample_scale(SCALE)
    yield from sampled.values()


@dataclass(frozen=True)
class Case:
    """What is fitted, and what is asked of it.

    Args:
        make: Makes the synthesizer.
        tables: The private tables.
        fit: Fits it to them.
        sample: Samples from it.
    """

    make: Callable[[], Any]
    tables: Tables
    fit: Callable[[Any, Tables], None] = fit
    sample: Callable[[Any], Iterable[pd.DataFrame]] = sample


def list_cases() -> dict[str, Case]:
    """List all cases by name."""
    return {
        **_list_settings(),
        **_list_storage(),
        **_list_doors(),
        **_list_samples(),
        **_list_constraints(),
        **_list_databases(),
    }


# ---------------------------------------------------------------- one table, other settings

PEOPLE = {
    'key': {'sdtype': 'id'},
    'age': {'sdtype': 'numerical'},
    'hours': {'sdtype': 'numerical'},
    'income': {'sdtype': 'numerical'},
    'city': {'sdtype': 'categorical'},
    'team': {'sdtype': 'categorical'},
    'member': {'sdtype': 'boolean'},
    'joined': DATE,
    'email': {'sdtype': 'email', 'pii': True},
    'label': {'sdtype': 'categorical'},
}

FACTS = {
    'age': {'range_min': 18, 'range_max': 79, 'range_is_nullable': False},
    'city': {'range_values': ['Basel', 'Bern', 'Chur', 'Genf'], 'range_is_nullable': False},
    'income': {'decimal_places': 2},
    'joined': {'range_min': '2020-01-01', 'range_max': '2021-12-31'},
}


def make_people(num_rows: int = NUM_ROWS) -> pd.DataFrame:
    """Draw people whose label depends on age and income in a curve, so that components differ."""
    rng = np.random.default_rng(0)
    age = rng.integers(18, 80, num_rows)
    income = (rng.gamma(9, 2, num_rows) * np.where(age % 20 < 10, 1, 4)).round(2)
    member = rng.random(num_rows) < 0.2 + 0.6 * (age > 50)
    merit = np.sin(age / 8) + np.log(income) / 2 + rng.normal(0, 0.3, num_rows)
    hours = np.where(rng.random(num_rows) < 0.5, 40, rng.integers(5, 60, num_rows))
    days = pd.to_timedelta(rng.integers(0, 700, num_rows), 'D')
    team = pd.Series(rng.choice(['red', 'blue'], num_rows))
    return pd.DataFrame(
        {
            'key': rng.permutation(10 * num_rows)[:num_rows],
            'age': age,
            'hours': hours,
            'income': pd.Series(income).mask(rng.random(num_rows) < 0.1),
            'city': np.where(member, 'Bern', rng.choice(['Basel', 'Chur', 'Genf'], num_rows)),
            'team': team.mask(rng.random(num_rows) < 0.2),
            'member': member,
            'joined': (pd.Timestamp('2020-01-01') + days).strftime('%Y-%m-%d'),
            'email': [f'someone{row}@example.com' for row in range(num_rows)],
            'label': np.array(['low', 'middle', 'high'])[np.digitize(merit, [1.0, 1.8])],
        }
    )


def describe(columns: Mapping[str, Any], key: str | None = None) -> Metadata:
    """Describe one table."""
    table = {'columns': columns} | ({'primary_key': key} if key else {})
    return Metadata.load_from_dict({'tables': {NAME: table}})


def _make(**settings: Any) -> ClustMixSynthesizer:
    """Make a synthesizer of people, with enough budget to tell them apart."""
    columns = PEOPLE
    if settings.get('public_metadata'):
        columns = {name: {**each, **FACTS.get(name, {})} for name, each in PEOPLE.items()}
    return ClustMixSynthesizer(
        describe(columns, 'key'), **{'epsilon': 5.0, 'delta': 1e-5, **settings}
    )


def _kernel(first: Any, second: Any) -> Any:
    return jnp.exp(-((first[:, None] - second[None]) ** 2).mean(axis=-1) / 2)


def _list_settings() -> dict[str, Case]:
    classes, moved = {'target_column': 'label'}, {'target_column': 'label', 'n_components': 3}
    settings = {
        'no target': {},
        'target of three classes': classes,
        'boolean target': {'target_column': 'member'},
        'numerical target': {'target_column': 'age'},
        'small budget': {**classes, 'epsilon': 0.3},
        'large budget': {**classes, 'epsilon': 50.0},
        'no privacy': {**classes, 'epsilon': math.inf},
        'no privacy, no target': {'epsilon': math.inf},
        'guarantee of the paper': {**moved, 'guarantee': 'paper'},
        'neighbours by replacement': {**moved, 'neighbors': 'replace_one'},
        'ranges not enforced': {**classes, 'enforce_min_max_values': False},
        'rounding not enforced': {**classes, 'enforce_rounding': False},
        'alpha 0': {**moved, 'alpha': 0.0},
        'alpha 0.1': {**moved, 'alpha': 0.1},
        'alpha 1': {**moved, 'alpha': 1.0},
        'alpha 1, components by budget': {**classes, 'alpha': 1.0},
        'one component': {**classes, 'n_components': 1},
        'three components': moved,
        'three components, no privacy': {**moved, 'epsilon': math.inf},
        'three components, numerical target': {**moved, 'target_column': 'age'},
        'three components, no target': {'n_components': 3},
        'a kernel': {**moved, 'kernel': _kernel},
        'public metadata': {**classes, 'public_metadata': True},
        'locales': {'locales': ['de_CH', 'fr_FR']},
    }
    people = make_people()
    return {name: Case(partial(_make, **each), {NAME: people}) for name, each in settings.items()}


# ---------------------------------------------------------------- one table, every storage

STORED = {
    'key': {'sdtype': 'id'},
    'whole': {'sdtype': 'numerical'},
    'whole_missing': {'sdtype': 'numerical'},
    'int16': {'sdtype': 'numerical'},
    'real': {'sdtype': 'numerical'},
    'float32': {'sdtype': 'numerical'},
    'cents': {'sdtype': 'numerical'},
    'skewed': {'sdtype': 'numerical'},
    'constant': {'sdtype': 'numerical'},
    'empty': {'sdtype': 'numerical'},
    'arrow_int': {'sdtype': 'numerical'},
    'letter_missing': {'sdtype': 'categorical'},
    'code_missing': {'sdtype': 'categorical'},
    'category': {'sdtype': 'categorical'},
    'grade': {'sdtype': 'ordinal', 'range_values': [1, 2, 3, 4]},
    'string': {'sdtype': 'categorical'},
    'arrow_text': {'sdtype': 'categorical'},
    'many': {'sdtype': 'categorical'},
    'flag': {'sdtype': 'boolean'},
    'flag_missing': {'sdtype': 'boolean'},
    'boolean': {'sdtype': 'boolean'},
    'arrow_flag': {'sdtype': 'boolean'},
    'level': {'sdtype': 'ordinal'},
    'text_date': {'sdtype': 'datetime', 'datetime_format': '%d/%m/%Y'},
    'iso_moment': {'sdtype': 'datetime'},
    'offset_date': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d %H:%M:%S%z'},
    'number_date': {'sdtype': 'datetime', 'datetime_format': '%Y%m%d'},
    'moment': {'sdtype': 'datetime'},
    'second': {'sdtype': 'datetime'},
    'zoned': {'sdtype': 'datetime'},
    'reference': {'sdtype': 'id', 'regex_format': 'R-[0-9]{4}'},
    'plain_id': {'sdtype': 'id'},
    'number_id': {'sdtype': 'id'},
    'email': {'sdtype': 'email', 'pii': True},
    'town': {'sdtype': 'city', 'pii': False},
    'unknown': {'sdtype': 'unknown'},
}


def make_stored(num_rows: int = NUM_ROWS) -> pd.DataFrame:
    """Draw a column of each sdtype in each storage."""
    rng = np.random.default_rng(1)

    def drop(values: Any) -> pd.Series:
        column = pd.Series(values)
        column = column.astype(object) if column.dtype == bool else column
        return column.mask(rng.random(num_rows) < 0.1)

    def draw(*values: Any) -> Any:
        return rng.choice(np.array(values), num_rows)

    start = pd.Timestamp('2021-01-01')
    days = pd.Series(start + pd.to_timedelta(rng.integers(0, 700, num_rows), 'D'))
    seconds = pd.Series(start + pd.to_timedelta(rng.integers(0, 6 * 10**7, num_rows), 's'))
    whole = rng.integers(0, 90, num_rows)
    return pd.DataFrame(
        {
            'key': [f'key-{row}' for row in range(num_rows)],
            'whole': whole,
            'whole_missing': drop(whole // 3),
            'int16': drop(rng.integers(0, 90, num_rows)).astype('Int16'),
            'real': rng.normal(whole / 50),
            'float32': drop(rng.normal(size=num_rows).round(2)).astype('float32'),
            'cents': drop(rng.gamma(2, 10, num_rows).round(2)),
            'skewed': np.exp(rng.normal(3, 2, num_rows)),
            'constant': 5,
            'empty': np.full(num_rows, np.nan),
            'arrow_int': drop(whole // 2).astype('int64[pyarrow]'),
            'letter_missing': drop(draw('a', 'b', 'c')),
            'code_missing': drop(draw(1, 2, 3)),
            'category': pd.Categorical(draw('x', 'y'), categories=['x', 'y', 'never']),
            'grade': pd.Categorical(draw(1, 2, 3), ordered=True),
            'string': pd.array(draw('x', 'y'), dtype='string'),
            'arrow_text': drop(draw('x', 'y')).astype('string[pyarrow]'),
            'many': [f'value-{value}' for value in rng.zipf(1.5, num_rows) % 1000],
            'flag': whole > 40,
            'flag_missing': drop(rng.random(num_rows) < 0.5),
            'boolean': drop(rng.random(num_rows) < 0.5).astype('boolean'),
            'arrow_flag': drop(rng.random(num_rows) < 0.5).astype('bool[pyarrow]'),
            'level': rng.integers(1, 6, num_rows),
            'text_date': drop(days.dt.strftime('%d/%m/%Y')),
            'iso_moment': drop(seconds.dt.strftime('%Y-%m-%d %H:%M:%S')),
            'offset_date': seconds.dt.strftime('%Y-%m-%d %H:%M:%S+0000'),
            'number_date': days.dt.strftime('%Y%m%d').astype(int),
            'moment': drop(seconds),
            'second': seconds.astype('datetime64[s]'),
            'zoned': drop(seconds.dt.tz_localize('UTC').dt.tz_convert('Europe/Paris')),
            'reference': [f'R-{number}' for number in rng.integers(0, 9, num_rows)],
            'plain_id': [f'id-{number}' for number in rng.integers(0, 9, num_rows)],
            'number_id': rng.integers(0, 9, num_rows),
            'email': [f'someone{row}@example.com' for row in range(num_rows)],
            'town': draw('here', 'there'),
            'unknown': rng.integers(0, 9, num_rows),
        }
    )


def _make_stored(**settings: Any) -> ClustMixSynthesizer:
    return ClustMixSynthesizer(describe(STORED, 'key'), **{'delta': 1e-5, **settings})


def _spoil(table: pd.DataFrame) -> pd.DataFrame:
    """Break what is stated of some cells, and a rule of some rows."""
    spoiled = table.astype({'age': object})
    spoiled.loc[::50, 'age'] = 'old'
    spoiled.loc[1::50, 'age'] = 999
    spoiled.loc[2::50, 'city'] = 'Atlantis'
    spoiled.loc[3::50, 'joined'] = 'tomorrow'
    return spoiled


def _list_storage() -> dict[str, Case]:
    stored = {NAME: make_stored()}
    made_up = {'key': PEOPLE['key'], 'email': STORED['email']}
    numbered = make_people()[['age', 'city', 'label']].set_axis([7, 8, 9], axis=1)
    columns = {
        str(at): PEOPLE[name] for at, name in zip((7, 8, 9), ('age', 'city', 'label'), strict=True)
    }
    return {
        'every storage': Case(partial(_make_stored, epsilon=8.0), stored),
        'every storage, target': Case(
            partial(_make_stored, epsilon=20.0, target_column='flag'), stored
        ),
        'every storage, no privacy': Case(partial(_make_stored, epsilon=math.inf), stored),
        'every storage, little budget': Case(partial(_make_stored, epsilon=0.5), stored),
        'coerced cells': Case(
            partial(_make, invalid_cells='coerce', public_metadata=True, target_column='label'),
            {NAME: _spoil(make_people())},
        ),
        'nothing modelled': Case(
            partial(ClustMixSynthesizer, describe(made_up, 'key')),
            {NAME: make_stored()[list(made_up)]},
        ),
        'columns named by numbers': Case(
            partial(ClustMixSynthesizer, describe(columns), epsilon=5.0, target_column='9'),
            {NAME: numbered},
        ),
        'one column': Case(
            partial(ClustMixSynthesizer, describe({'age': PEOPLE['age']}), epsilon=3.0),
            {NAME: make_people()[['age']]},
        ),
    }


# ---------------------------------------------------------------- one table, other ways in


def _fit_processed(synthesizer: Any, tables: Tables) -> None:
    synthesizer.fit_processed_data(synthesizer.preprocess(tables))


def _fit_partitions(synthesizer: Any, tables: Tables) -> None:
    synthesizer.fit({NAME: dd.from_pandas(tables[NAME], npartitions=3)})


def _fit_files(synthesizer: Any, tables: Tables) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for at in range(2):
            tables[NAME].iloc[at::2].to_parquet(Path(folder, f'{at}.parquet'), index=False)
        synthesizer.fit({NAME: folder})


def _fit_twice(synthesizer: Any, tables: Tables) -> None:
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


def _list_doors() -> dict[str, Case]:
    ways = {
        'preprocessed': _fit_processed,
        'Dask': _fit_partitions,
        'files of Parquet': _fit_files,
        'fitted twice': _fit_twice,
        'transformers of RDT': _fit_transformed,
    }
    people, make = {NAME: make_people()}, partial(_make, target_column='label')
    return {name: Case(make, people, fit=way) for name, way in ways.items()}


# ---------------------------------------------------------------- one table, ways to sample


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


def _sample_loaded(synthesizer: Any) -> Iterator[pd.DataFrame]:
    yield from sample(synthesizer)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, 'synthesizer.pkl')
        synthesizer.save(path)
        loaded = type(synthesizer).load(path)
    yield from sample(loaded)
    loaded.reset_sampling()
    yield from sample(loaded)


def _list_samples() -> dict[str, Case]:
    stored, ways = (
        {NAME: make_stored()},
        {
            'conditions': _sample_under_conditions,
            'known columns': _complete,
            'several samples': _sample_repeatedly,
            'saved and loaded': _sample_loaded,
        },
    )
    people, no_target = {NAME: make_people()}, partial(_make, n_components=3)
    made = {'': partial(_make, target_column='label', n_components=2), ', no target': no_target}
    return {
        **{
            f'{name}{which}': Case(make, people, sample=way)
            for which, make in made.items()
            for name, way in ways.items()
        },
        'sampled to Parquet': Case(
            partial(_make_stored, epsilon=20.0), stored, sample=_sample_files
        ),
        'every storage, saved and loaded': Case(
            partial(_make_stored, epsilon=20.0), stored, sample=_sample_loaded
        ),
    }


# ---------------------------------------------------------------- constraints

RULED = {
    'start': DATE,
    'end': DATE,
    'low': {'sdtype': 'numerical'},
    'middle': {'sdtype': 'numerical'},
    'high': {'sdtype': 'numerical'},
    'salary': {'sdtype': 'numerical'},
    'country': {'sdtype': 'categorical'},
    'town': {'sdtype': 'categorical'},
    'size': {'sdtype': 'categorical'},
    'yes': {'sdtype': 'categorical'},
    'no': {'sdtype': 'categorical'},
}


def make_ruled(num_rows: int = NUM_ROWS) -> pd.DataFrame:
    """Draw rows that obey all constraints."""
    rng = np.random.default_rng(3)
    start = pd.Timestamp('2020-01-01') + pd.to_timedelta(rng.integers(0, 300, num_rows), 'D')
    end = start + pd.to_timedelta(rng.integers(0, 300, num_rows), 'D')
    low, country = rng.integers(0, 50, num_rows), rng.integers(0, 2, num_rows)
    town = np.array([['Bern', 'Chur'], ['Graz', 'Wien']])[country, low % 2]
    middle = pd.Series(low + rng.integers(5, 30, num_rows))
    return pd.DataFrame(
        {
            'start': start.strftime('%Y-%m-%d'),
            'end': pd.Series(end.strftime('%Y-%m-%d')).mask(rng.random(num_rows) < 0.05),
            'low': low,
            'middle': middle.mask(rng.random(num_rows) < 0.05),
            'high': low + rng.integers(40, 80, num_rows),
            'salary': 500 * rng.integers(4, 20, num_rows),
            'country': np.array(['CH', 'AT'])[country],
            'town': town,
            'size': np.where(town == 'Wien', 'large', 'small'),
            'yes': (low < 20).astype(int),
            'no': (low >= 20).astype(int),
        }
    )


class EvenLow(SingleTableProgrammableConstraint):
    """A constraint of the user's own without a ``fit``: a number is even."""

    def get_updated_metadata(self, metadata: Metadata) -> Metadata:
        """Leave the metadata as it is."""
        return metadata

    def transform(self, data: pd.DataFrame) -> pd.DataFrame:
        """Halve the number."""
        return data.assign(salary=data['salary'] // 2)

    def reverse_transform(self, transformed_data: pd.DataFrame) -> pd.DataFrame:
        """Double the number."""
        return transformed_data.assign(salary=transformed_data['salary'] * 2)

    def is_valid(self, synthetic_data: pd.DataFrame) -> pd.Series:
        """Tell which numbers are even."""
        return synthetic_data['salary'] % 2 == 0


class BelowMean(EvenLow):
    """A constraint of the user's own that learns: most numbers are below twice the mean."""

    def fit(self, data: pd.DataFrame, metadata: Metadata) -> None:
        """Learn the mean."""
        self.most = 2 * data['salary'].mean()

    def transform(self, data: pd.DataFrame) -> pd.DataFrame:
        """Cut large numbers."""
        return data.assign(salary=data['salary'].clip(upper=self.most))

    def reverse_transform(self, transformed_data: pd.DataFrame) -> pd.DataFrame:
        """Leave the numbers as they are."""
        return transformed_data

    def is_valid(self, synthetic_data: pd.DataFrame) -> pd.Series:
        """Tell which numbers are small."""
        return synthetic_data['salary'] <= self.most


def _make_ruled(constraints: Callable[[], list[Any]], **settings: Any) -> ClustMixSynthesizer:
    synthesizer = ClustMixSynthesizer(
        describe(RULED), **{'epsilon': 8.0, 'delta': 1e-5, **settings}
    )
    synthesizer.add_constraints(constraints())
    return synthesizer


def _sample_towns(synthesizer: Any) -> Iterator[pd.DataFrame]:
    yield from sample(synthesizer)
    conditions = [Condition({'town': 'Wien'}, 20), Condition({'low': 20, 'country': 'CH'}, 20)]
    yield from synthesizer.sample_from_conditions(conditions).values()
    yield from synthesizer.sample_remaining_columns(make_ruled(30)[['start', 'high']]).values()


def _list_constraints() -> dict[str, Case]:
    places, flags = ['country', 'town'], ['yes', 'no']
    dates, span = ('start', 'end'), ('low', 'middle', 'high')
    rules: dict[str, tuple[Callable[[], list[Any]], dict[str, Any]]] = {
        'FixedCombinations': (lambda: [FixedCombinations(places)], {}),
        'FixedCombinations that share a column': (
            lambda: [FixedCombinations(places), FixedCombinations(['town', 'size'])],
            {},
        ),
        'FixedCombinations of the target': (
            lambda: [FixedCombinations(places)],
            {'target_column': 'country'},
        ),
        'Inequality': (lambda: [Inequality('low', 'high')], {}),
        'Inequality, strict': (lambda: [Inequality('low', 'high', strict_boundaries=True)], {}),
        'Inequality of dates': (lambda: [Inequality(*dates)], {}),
        'Inequality of the target': (
            lambda: [Inequality('low', 'high')],
            {'target_column': 'low', 'n_components': 2},
        ),
        'Inequality, a tree': (
            lambda: [Inequality('low', 'middle'), Inequality('low', 'high')],
            {},
        ),
        'Inequality, a circle': (
            lambda: [
                Inequality('low', 'middle'),
                Inequality('middle', 'high'),
                Inequality('low', 'high'),
            ],
            {},
        ),
        'Range': (lambda: [Range(*span)], {}),
        'Range, not strict, no privacy': (
            lambda: [Range(*span, strict_boundaries=False)],
            {'epsilon': math.inf},
        ),
        'OneHotEncoding': (lambda: [OneHotEncoding(flags)], {}),
        'OneHotEncoding of the target': (
            lambda: [OneHotEncoding(flags)],
            {'target_column': 'yes'},
        ),
        'FixedIncrements': (lambda: [FixedIncrements('salary', 500)], {}),
        'one of the user': (lambda: [EvenLow()], {}),
        'one of the user that learns': (lambda: [BelowMean()], {}),
        'several': (
            lambda: [
                FixedCombinations(places),
                FixedIncrements('salary', 500),
                Inequality(*dates),
                Range(*span),
                OneHotEncoding(flags),
                EvenLow(),
            ],
            {'target_column': 'size', 'n_components': 2},
        ),
        'several, ranges not enforced': (
            lambda: [Range(*span), Inequality(*dates)],
            {'enforce_min_max_values': False, 'enforce_rounding': False},
        ),
    }
    ruled = {NAME: make_ruled()}
    cases = {
        f'constraint {name}': Case(partial(_make_ruled, listed, **settings), ruled)
        for name, (listed, settings) in rules.items()
    }
    several, settings = rules['several']
    make = partial(_make_ruled, several, **settings)
    return {
        **cases,
        'constraints, conditions': Case(make, ruled, sample=_sample_towns),
        'constraints, saved and loaded': Case(make, ruled, sample=_sample_loaded),
        'constraints, preprocessed': Case(make, ruled, fit=_fit_processed),
        'constraints, coerced rows': Case(
            partial(
                _make_ruled,
                lambda: [Range(*span), OneHotEncoding(flags), FixedCombinations(places)],
                invalid_cells='coerce',
            ),
            {NAME: make_ruled().assign(high=30, no=1)},
        ),
    }


# ---------------------------------------------------------------- databases

#: Foreign keys by schema, as ``child.column>parent``; one with a ``?`` may be missing, and ``pk``
#: is the key itself. Tables ``p`` and ``q`` are public.
SCHEMAS = {
    'three generations': 'b.a_id>a c.b_id>b',
    'several parents': 'b.a_id>a b.x_id>x b.y_id?>y',
    'two keys': 'b.sender>a b.receiver>a',
    'diamond': 'b.a_id>a c.a_id>a d.b_id>b d.c_id?>c',
    'two units': 'b.a_id>a y.x_id>x',
    'missing references': 'b.a_id?>a c.b_id?>b',
    'one to one': 'b.pk>a c.b_id>b',
    'public parents': 'p.q_id>q b.a_id>a b.p_id>p b.q_id?>q a.p_id?>p',
}

UNITS, CODES = 700, 6

CONTENTS = {
    'amount': {'sdtype': 'numerical'},
    'most': {'sdtype': 'numerical'},
    'kind': {'sdtype': 'categorical'},
    'code': {'sdtype': 'categorical'},
    'day': DATE,
}

CONTENT_FACTS = {
    'amount': {'range_min': -50, 'range_max': 200, 'decimal_places': 0},
    'kind': {'range_values': ['u', 'v'], 'range_is_nullable': False},
    'code': {'range_values': [1, 2, 3, 4], 'range_is_nullable': False},
}


@dataclass(frozen=True)
class Reference:
    """A foreign key of a made database."""

    child: str
    column: str
    parent: str
    nullable: bool


def _read_references(schema: str) -> list[Reference]:
    found = []
    for text in SCHEMAS[schema].split():
        key, parent = text.split('>')
        child, column = key.split('.')
        found.append(Reference(child, column.strip('?'), parent, column.endswith('?')))
    return found


def _order_tables(references: list[Reference]) -> list[str]:
    """List parents before their children."""
    waiting = sorted({name for each in references for name in (each.parent, each.child)})
    found: list[str] = []
    while waiting:
        held = {each.child for each in references if each.parent in waiting}
        found += [name for name in waiting if name not in held]
        waiting = [name for name in waiting if name in held]
    return found


def make_database(schema: str) -> Tables:
    """Draw the tables of a schema: children resemble their parents, and each other."""
    rng, references, tables = np.random.default_rng(4), _read_references(schema), {}
    for name in _order_tables(references):
        own = [each for each in references if each.child == name]
        size = CODES if name in 'pq' else int(1.5 * UNITS) if own else UNITS
        if any(each.column == 'pk' for each in own):
            size = UNITS // 2
        rows = {'pk': rng.permutation(20_000)[:size]}
        level = rng.normal(40, 9, size)
        for each in own:
            parent = tables[each.parent]
            at = rng.integers(0, len(parent), size)
            if each.column == 'pk':
                at = rng.permutation(len(parent))[:size]
            keys = pd.Series(parent['pk'].to_numpy()[at])
            rows[each.column] = keys.mask(rng.random(size) < 0.2) if each.nullable else keys
            level += parent['amount'].to_numpy()[at] / 2
        kind = np.where(level + rng.normal(0, 9, size) > 50, 'u', 'v')
        day = pd.Timestamp('2022-01-01') + pd.to_timedelta(np.round(level).astype(int), 'D')
        rows |= {
            'amount': np.round(level),
            'most': np.round(level) + rng.integers(0, 9, size),
            'kind': kind,
            'code': np.where(kind == 'u', 1, rng.integers(2, 4, size)),
            'day': day.strftime('%Y-%m-%d'),
        }
        tables[name] = pd.DataFrame(rows)
    return tables


def describe_database(schema: str, tables: Tables, *, told: bool) -> Metadata:
    """Describe the tables of a schema, and how they refer to each other."""
    facts = CONTENT_FACTS if told else {}
    contents = {name: {**each, **facts.get(name, {})} for name, each in CONTENTS.items()}
    return Metadata.load_from_dict(
        {
            'tables': {
                name: {
                    'columns': {each: contents.get(each, {'sdtype': 'id'}) for each in rows},
                    'primary_key': 'pk',
                }
                for name, rows in tables.items()
            },
            'relationships': [
                {
                    'parent_table_name': each.parent,
                    'child_table_name': each.child,
                    'parent_primary_key': 'pk',
                    'child_foreign_key': each.column,
                }
                for each in _read_references(schema)
            ],
        }
    )


def _make_relational(
    schema: str, tables: Tables, constraints: Callable[[], list[Any]] = list, **settings: Any
) -> ClustMixMultiTableSynthesizer:
    synthesizer = ClustMixMultiTableSynthesizer(
        describe_database(schema, tables, told=bool(settings.get('public_metadata'))),
        **{
            'epsilon': 8.0,
            'delta': 1e-5,
            'privacy_unit': 'a',
            'public_tables': [name for name in tables if name in 'pq'],
            **settings,
        },
    )
    synthesizer.add_constraints(constraints())
    return synthesizer


def _fit_spoiled(synthesizer: Any, tables: Tables) -> None:
    """Fit to cells that break what is stated of them."""
    spoiled = {name: rows.astype({'kind': object}) for name, rows in tables.items()}
    for rows in spoiled.values():
        rows.loc[::40, 'kind'], rows.loc[1::40, 'amount'] = 'neither', 1e6
    synthesizer.fit(spoiled)


def _set_parameters(synthesizer: Any, tables: Tables) -> None:
    synthesizer.set_table_parameters('a', {'n_components': 2, 'alpha': 0.1})
    synthesizer.set_table_parameters('b', {'enforce_min_max_values': False})
    synthesizer.fit(tables)


def _sample_scales(synthesizer: Any) -> Iterator[pd.DataFrame]:
    for scale in (0.3, 1.2):
        yield from synthesizer.sample_scale(scale).values()
    synthesizer.reset_sampling()
    yield from synthesizer.sample(50, 'a').values()


def _rules() -> list[Any]:
    return [
        Inequality('amount', 'most', table_name='a'),
        FixedCombinations(['kind', 'code'], table_name='b'),
        Inequality('amount', 'most', table_name='c', strict_boundaries=False),
        FixedIncrements('most', 1, table_name='c'),
    ]


def _list_databases() -> dict[str, Case]:
    chain, targets = 'three generations', {'target': {'b': 'kind'}}
    stated = {'min_children': {'b': 1}, 'max_children': {'b': 12, 'c': 9}}
    coerced = {'invalid_cells': 'coerce', 'public_metadata': True}
    codes = {'min_children': {('b', 'p_id'): 5}, 'max_children': 20}
    options: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
        **{name: (name, {}, {}) for name in SCHEMAS},
        'target': (chain, targets, {}),
        'target, large budget': (chain, {**targets, 'epsilon': 100.0}, {}),
        'no privacy': (chain, {**targets, 'epsilon': math.inf}, {}),
        'little budget': (chain, {'epsilon': 0.5}, {}),
        'neighbours by replacement': (chain, {'neighbors': 'replace_one'}, {}),
        'stated cardinalities': (chain, {'max_children': 15}, {}),
        'stated cardinalities by table': ('diamond', stated, {}),
        'stated cardinalities by key': ('public parents', codes, {}),
        'public metadata': (chain, {'public_metadata': True}, {}),
        'coerced cells': (chain, coerced, {'fit': _fit_spoiled}),
        'parameters of tables': (chain, targets, {'fit': _set_parameters}),
        'constraints': (chain, {'constraints': _rules}, {}),
        'constraints, preprocessed': (chain, {'constraints': _rules}, {'fit': _fit_processed}),
        'preprocessed': ('public parents', {}, {'fit': _fit_processed}),
        'fitted twice': (chain, {}, {'fit': _fit_twice}),
        'several samples': (chain, targets, {'sample': _sample_scales}),
        'saved and loaded': ('public parents', {}, {'sample': _sample_loaded}),
    }
    drawn = {name: make_database(name) for name in SCHEMAS}
    cases = {
        f'database, {name}': Case(
            partial(_make_relational, schema, drawn[schema], **settings), drawn[schema], **ways
        )
        for name, (schema, settings, ways) in options.items()
    }
    return {**cases, 'database, keys of several columns': _make_composite()}


def _make_composite() -> Case:
    """Make a database whose keys have several columns, one of which is modelled."""
    rng = np.random.default_rng(5)
    pairs = [(site, number) for site in 'xyz' for number in range(UNITS // 3)]
    a = pd.DataFrame(pairs, columns=['site', 'number'])
    a['amount'] = rng.integers(0, 20, len(a))
    b = a.iloc[rng.integers(0, len(a), 2 * UNITS)].reset_index(drop=True)
    b['amount'] += rng.integers(0, 3, len(b))
    b['line'] = b.groupby(['site', 'number']).cumcount()
    key, numerical = ['site', 'number'], {'sdtype': 'numerical'}
    columns = {'site': {'sdtype': 'categorical'}, 'number': {'sdtype': 'id'}, 'amount': numerical}
    metadata = Metadata.load_from_dict(
        {
            'tables': {
                'a': {'columns': columns, 'primary_key': key},
                'b': {'columns': {**columns, 'line': numerical}, 'primary_key': [*key, 'line']},
            },
            'relationships': [
                {
                    'parent_table_name': 'a',
                    'child_table_name': 'b',
                    'parent_primary_key': key,
                    'child_foreign_key': key,
                }
            ],
        }
    )
    return Case(partial(ClustMixMultiTableSynthesizer, metadata, epsilon=20.0), {'a': a, 'b': b})
