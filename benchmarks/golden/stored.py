"""Cases of one table whose columns are stored in every way."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from case import NAME, NUM_ROWS, Case, describe
from people import PEOPLE, make_for_people, make_people

from sdv_threea import ClustMixSynthesizer

STORED = {
    'key': 'id',
    **dict.fromkeys(('whole', 'whole_missing', 'int16', 'real', 'float32', 'cents'), 'numerical'),
    **dict.fromkeys(('skewed', 'constant', 'empty', 'arrow_int'), 'numerical'),
    **dict.fromkeys(('letter_missing', 'code_missing', 'category'), 'categorical'),
    'grade': {'sdtype': 'ordinal', 'range_values': [1, 2, 3, 4]},
    **dict.fromkeys(('string', 'arrow_text', 'many'), 'categorical'),
    **dict.fromkeys(('flag', 'flag_missing', 'boolean', 'arrow_flag'), 'boolean'),
    'level': 'ordinal',
    'text_date': {'sdtype': 'datetime', 'datetime_format': '%d/%m/%Y'},
    'iso_moment': 'datetime',
    'offset_date': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d %H:%M:%S%z'},
    'number_date': {'sdtype': 'datetime', 'datetime_format': '%Y%m%d'},
    **dict.fromkeys(('moment', 'second', 'zoned'), 'datetime'),
    'reference': {'sdtype': 'id', 'regex_format': 'R-[0-9]{4}'},
    'plain_id': 'id',
    'number_id': 'id',
    'email': {'sdtype': 'email', 'pii': True},
    'town': {'sdtype': 'city', 'pii': True},
    'unknown': 'unknown',
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


def make_for_stored(**settings: Any) -> ClustMixSynthesizer:
    return ClustMixSynthesizer(describe(STORED, 'key'), **{'delta': 1e-5, **settings})


def _spoil(table: pd.DataFrame) -> pd.DataFrame:
    """Break what is stated of some cells, and a rule of some rows."""
    spoiled = table.astype({'age': object})
    spoiled.loc[::50, 'age'] = 'old'
    spoiled.loc[1::50, 'age'] = 999
    spoiled.loc[2::50, 'city'] = 'Atlantis'
    spoiled.loc[3::50, 'joined'] = 'tomorrow'
    return spoiled


def list_storage() -> dict[str, Case]:
    stored = {NAME: make_stored()}
    made_up = {'key': PEOPLE['key'], 'email': STORED['email']}
    numbered = make_people()[['age', 'city', 'label']].set_axis([7, 8, 9], axis=1)
    columns = {
        str(at): PEOPLE[name] for at, name in zip((7, 8, 9), ('age', 'city', 'label'), strict=True)
    }
    return {
        'every storage': Case(partial(make_for_stored, epsilon=8.0), stored),
        'every storage, target': Case(
            partial(make_for_stored, epsilon=20.0, target_column='flag'), stored
        ),
        'every storage, no privacy': Case(partial(make_for_stored, epsilon=math.inf), stored),
        'every storage, little budget': Case(partial(make_for_stored, epsilon=0.5), stored),
        'coerced cells': Case(
            partial(
                make_for_people, invalid_cells='coerce', public_metadata=True, target_column='label'
            ),
            {NAME: _spoil(make_people())},
        ),
        'nothing modelled': Case(
            partial(ClustMixSynthesizer, describe(made_up, 'key'), accept='made_up'),
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
