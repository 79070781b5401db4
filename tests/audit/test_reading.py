"""How cells are read, audited: one hostile cell must not change how the others are.

Each case is two tables that differ by one row, fitted by the public way in.
"""

import numpy as np
import pandas as pd
import pytest
from described import describe

from sdv_threea import ClustMixSynthesizer
from sdv_threea.audit import measure_mu

NUM_ROWS = 300
CATEGORY, DATE = {'sdtype': 'categorical'}, {'sdtype': 'datetime'}


def draw(*values):
    chosen = np.random.default_rng(0).integers(len(values), size=NUM_ROWS)
    return pd.Series([values[at] for at in chosen], dtype=object)


def as_categories(column):
    return column.infer_objects().astype('category')


def as_objects(column):
    return column


TEXTS, NUMBERS = draw('flu', 'cold', 'hiv'), draw(1, 2, 3)
DAYS = draw('2021-03-04', '2021-03-05', '2021-04-01')
FIRST, LAST = 'as the first row', 'as the last row'

#: What is known of a column, the column, the cell that is put into it, and how it is stored.
CASES = {
    'text with NUL': (CATEGORY, TEXTS, 'flu\0 John Smith', as_objects),
    'a missing category of numbers': (CATEGORY, NUMBERS, None, as_categories),
    'a fractional category of numbers': (CATEGORY, NUMBERS, 1.5, as_categories),
    'text with a blank': (CATEGORY, TEXTS, 'flu ', as_objects),
    'a truth among numbers': (CATEGORY, NUMBERS, True, as_objects),
    'a float among integers': (CATEGORY, NUMBERS, 1.0, as_objects),
    'a text among numbers': (CATEGORY, NUMBERS, '1', as_objects),
    'a date far out': (DATE, DAYS, '2199-03-04', as_objects),
}


def list_cases():
    for name, case in CASES.items():
        for place in (FIRST, LAST):
            yield pytest.param(*case, place, id=f'{name} {place}')


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize(('about', 'column', 'cell', 'store', 'place'), list(list_cases()))
def test_one_cell_does_not_change_how_others_are_read(about, column, cell, store, place):
    metadata = describe({'c': about}, 'rows')

    def fit(cells):
        synthesizer = ClustMixSynthesizer(metadata, epsilon=8.0)
        synthesizer.fit({'rows': pd.DataFrame({'c': store(cells)})})
        return synthesizer

    own = pd.Series([cell], dtype=object)
    both = [own, column] if place == FIRST else [column, own]
    result = measure_mu(fit, column, pd.concat(both, ignore_index=True))
    assert result.leaks == ()
    assert not result.refuted


def test_a_partition_with_a_missing_cell_is_read_as_the_others_are(tmp_path):
    pytest.importorskip('dask.dataframe')
    arrow, parquet = pytest.importorskip('pyarrow'), pytest.importorskip('pyarrow.parquet')
    schema = arrow.schema([('c', arrow.int64())])
    metadata = describe({'c': CATEGORY}, 'rows')
    column = pd.Series(np.random.default_rng(0).choice([1, 2, 3], NUM_ROWS))
    folders = {}
    for name, cells in {'without': column, 'with': pd.concat([column, pd.Series([None])])}.items():
        folders[name] = tmp_path / name
        folders[name].mkdir()
        for part in range(3):
            values = [None if pd.isna(cell) else int(cell) for cell in cells.iloc[part::3]]
            rows = arrow.table({'c': values}, schema=schema)
            parquet.write_table(rows, folders[name] / f'{part}.parquet')

    def fit(folder):
        synthesizer = ClustMixSynthesizer(metadata, epsilon=8.0)
        synthesizer.fit({'rows': str(folder)})
        return synthesizer

    assert not measure_mu(fit, folders['without'], folders['with']).refuted
