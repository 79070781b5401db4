"""Parts of a column: refused, unless a cell is read alike whatever the others of its part are."""

import io

import numpy as np
import pandas as pd
import pytest
from drawn import always
from hypothesis import given
from hypothesis import strategies as st

from sdv_threea.rows.guard import UnreadableRowsError
from sdv_threea.rows.intake import parts
from sdv_threea.rows.intake.facts import Facts, read_column
from sdv_threea.rows.intake.parts import check_part

#: Dtypes that a column may be declared as.
DECLARED = {
    'int64': 'int64', 'Int64': 'Int64', 'float64': 'float64', 'Float64': 'Float64',
    'float32': 'float32', 'bool': 'bool', 'boolean': 'boolean', 'object': object,
    'texts': 'string[python]', "Dask's texts": 'string[pyarrow]', 'dates': 'datetime64[ns]',
    'category of texts': pd.CategoricalDtype(['a']),
    'category of numbers': pd.CategoricalDtype([1]),
}  # fmt: skip

#: Cells of text files that are spelled in several ways, or that a fast reader rounds otherwise. Not
#: ``true``: with a gap beside it, Dask makes ``True`` of it before a part is there.
SPELLED = [
    '1', '2', '1.0', '01', '1e3', '1E3', ' 1', '+1', '0.1', '0.10', '0.30000000000000004',
    '-0.7523612452130387', '9007199254740993', '1234567890123456789', '1e22', '1e400', 'inf', 'nan',
    '', 'NA', 'True', 'False', 'x', 'John', '1_0', '0x10', '2020-01-05', '05/01/2020', '13/01/2020',
]  # fmt: skip

#: Cells of Python's that pandas finds a dtype for.
MADE = [
    1, 2, 1.0, 0.1, 0.30000000000000004, 2**53 + 1, 2**62 + 1, 2**70, None, float('nan'), True,
    False, '1', '1.0', 'True', 'x', pd.Timestamp('2020-01-05'), pd.Timestamp('2020', tz='UTC'),
]  # fmt: skip

KNOWN = [Facts('x', each) for each in ('numerical', 'categorical', 'datetime')]

#: Parts of a column by what pandas finds for them.
GUESSED = {
    'int64': [1, 2], 'float64': [1.0, None], 'bool': [True, False], 'gaps': [None, None],
    'flags with a gap': [True, None],
    'numbers and texts': [1, 'x'], 'texts': ['1', 'x'], 'large int64': [2**53, 1],
    'large float64': [2.0**53, None], 'dates': [pd.Timestamp('2020')],
    'zoned dates': [pd.Timestamp('2020', tz='UTC')],
}  # fmt: skip

#: Which of these are accepted, by the dtype that is declared; others are refused.
ACCEPTED = {
    'int64': ['int64', 'large int64', 'float64'],
    'Int64': ['int64', 'large int64', 'float64'],
    'float64': ['int64', 'float64', 'large float64'],
    'Float64': ['int64', 'float64', 'large float64'],
    'float32': [],
    'bool': ['bool', 'flags with a gap'],
    'boolean': ['bool', 'flags with a gap'],
    'object': ['numbers and texts', 'texts', 'flags with a gap'],
    'texts': ['texts'],
    "Dask's texts": ['texts'],
    'dates': ['dates'],
    'category of texts': [],
    'category of numbers': [],
}


def read_csv(cells, **options):
    return pd.read_csv(io.StringIO('\n'.join(['x,y', *(f'{each},0' for each in cells)])), **options)


def guess(cells):
    """Let pandas guess, as a loader for one part of a table does."""
    return read_csv(cells)['x']


def guess_and_convert(cells):
    """Let pandas guess, and Dask turn objects into texts."""
    column = guess(cells)
    return column.astype('string[pyarrow]') if column.dtype == object else column


def make_categories(cells):
    return guess(cells).astype('category')


def guess_dates(cells):
    try:
        return pd.to_datetime(guess(cells))
    except ValueError:
        return guess(cells)


def state(dtype):
    return lambda cells: read_csv(cells, dtype={'x': dtype}, keep_default_na=True)['x']


def make(cells):
    return pd.Series(cells, name='x')


LOADERS = {
    'guessed': (guess, SPELLED),
    'guessed, and converted by Dask': (guess_and_convert, SPELLED),
    'guessed, and made categories': (make_categories, SPELLED),
    'guessed dates': (guess_dates, [*SPELLED[-3:], '01/05/2020', '', 'x']),
    'stated as texts': (state(str), SPELLED),
    'stated as categories': (state('category'), SPELLED),
    'stated as numbers': (state('float64'), [each for each in SPELLED if each[-1:].isdigit()][:14]),
    'objects of Python': (make, MADE),
}  # fmt: skip


def read(column, dtype, known):
    """Spell what a part is read as; ``None`` if it is refused."""
    try:
        check_part(column, dtype)
    except UnreadableRowsError:
        return None
    cells = pd.Series(read_column(column, known).cells)
    return [None if pd.isna(each) else f'{type(each).__name__} {each!r}' for each in cells]


def check_loader(load, spelled, declared):
    """Add a cell to a part: it is refused, or the other cells are read as before."""
    accepted = []

    @always(20)
    @given(
        st.lists(st.sampled_from(spelled), min_size=1, max_size=4),
        st.sampled_from(spelled),
        st.integers(0, 4),
    )
    def check(cells, odd, place):
        place = min(place, len(cells))
        without, among = load(cells), load([*cells[:place], odd, *cells[place:]])
        for known in KNOWN:
            before, after = (read(each, declared, known) for each in (without, among))
            if before is not None and after is not None:
                accepted.append(declared)
                assert before == after[:place] + after[place + 1 :], (cells, odd, known)

    check()
    return accepted


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('loader', LOADERS)
def test_a_cell_changes_nothing_of_the_others_of_its_part_whatever_loads_it(loader):
    accepted = [
        each
        for dtype in DECLARED.values()
        for each in check_loader(*LOADERS[loader], pd.Series(dtype=dtype).dtype)
    ]
    assert accepted, 'all parts were refused'


@pytest.mark.parametrize('loader', ['guessed', 'guessed, and made categories', 'guessed dates'])
def test_the_check_sees_parts_that_are_accepted_in_any_storage(loader, monkeypatch):
    monkeypatch.setattr(parts, '_is_stored_as', lambda *_: True)
    with pytest.raises(AssertionError):
        check_loader(*LOADERS[loader], pd.StringDtype())


@pytest.mark.parametrize('declared', DECLARED)
def test_a_part_is_accepted_if_its_storage_holds_the_same_cells(declared):
    dtype = pd.Series(dtype=DECLARED[declared]).dtype
    accepted = [
        name for name, cells in GUESSED.items() if read(make(cells), dtype, KNOWN[1]) is not None
    ]
    assert set(accepted) == {*ACCEPTED[declared], 'gaps'}


def test_categories_are_compared_by_what_they_are_of():
    texts, numbers = (pd.CategoricalDtype([each]) for each in ('x', 1))
    for part, dtype in ((['1'], texts), ([1, 2], numbers), ([1.0, None], numbers)):
        check_part(make(part).astype('category'), dtype)
    for part, dtype in (([1], texts), (['1'], numbers)):
        with pytest.raises(UnreadableRowsError, match="Column 'x' is declared as category"):
            check_part(make(part).astype('category'), dtype)


def test_a_category_with_nul_is_refused_as_pandas_has_merged_cells():
    merged = make(['flu\0 John Smith', 'flu', 'flu']).astype('category')
    assert len(merged.cat.categories) == 1, 'pandas tells such texts apart: accept them'
    with pytest.raises(UnreadableRowsError, match='a category with NUL characters') as caught:
        check_part(merged, merged.dtype)
    assert 'flu' not in str(caught.value)
    check_part(merged.astype(object), np.dtype(object))


@pytest.mark.parametrize('declared', ['float64', 'int64', 'Int64'])
def test_whole_numbers_that_a_float_may_not_hold_are_refused_among_objects(declared):
    """Another row of the part may make a float of the same cell."""
    check_part(pd.Series([2**53 - 1, None, 0.5], dtype=object), np.dtype('float64'))
    with pytest.raises(UnreadableRowsError, match='stores it in another way'):
        check_part(
            pd.Series([2**60 + 1, 1], dtype=object, name='c'), pd.Series(dtype=declared).dtype
        )
