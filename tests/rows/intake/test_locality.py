"""Every cell is read by itself: alone, among others, in any order, in parts, in any storage.

Every sensitivity stands on this: were a cell to change what others are read as, one record would
move the counts of many. Cells are compared by how they are spelled, numbers by their bits.
"""

import numpy as np
import pandas as pd
import pytest
from drawn import always
from hypothesis import given
from hypothesis import strategies as st

from sdv_threea.describe.values import tally, tally_numbers
from sdv_threea.rows.guard import guarded
from sdv_threea.rows.intake import columns, dates, facts, keys
from sdv_threea.rows.intake.columns import read_categories, read_numbers
from sdv_threea.rows.intake.facts import Facts, read_column
from sdv_threea.rows.intake.keys import find_rows, has_repeats
from sdv_threea.rows.intake.scalars import NoScalarError, read_scalar, spell

#: Facts about a column: each sdtype alone, and with more facts.
KNOWN = [
    Facts('x', 'numerical'),
    Facts('x', 'numerical', low=-5.0, high=1e6, places=1, nullable=False),
    Facts('x', 'categorical'),
    Facts('x', 'ordinal', values=('flu', 1, True, 0.1), nullable=False),
    Facts('x', 'boolean'),
    Facts('x', 'datetime'),
    Facts('x', 'datetime', template='%Y-%m-%d', nullable=False),
    Facts('x', 'datetime', template='%d/%m/%Y', low=0.0, high=1e9),
    Facts('x', 'datetime', template='%Y%m%d'),
    Facts('x', 'datetime', template='%Y-%m-%d %H:%M %Z'),
    Facts('x', 'datetime', template='%Y-%m-%dT%H:%M%z'),
]


def as_objects(cells):
    """Store cells as objects."""
    column = np.empty(len(cells), dtype=object)
    for at, cell in enumerate(cells):
        column[at] = cell
    return pd.Series(column, dtype=object, name='x')


def as_categories(column):
    """Store a column as categories, if pandas can do so without changing a cell."""
    if isinstance(column.dtype, pd.SparseDtype):
        return column
    try:
        return column.astype('category')
    except (ValueError, NotImplementedError):
        return column


def spell_cells(cells):
    """Return a text for each cell that was read; for a number, its bytes."""
    if getattr(cells, 'dtype', None) == np.float64:
        return [None if np.isnan(each) else each.tobytes() for each in cells]
    return [None if pd.isna(each) is True else spell(each) for each in cells]


def read(column, known):
    """Read a column; return its cells, spelled, and its problems."""
    with guarded():
        cells, problems = read_column(column, known)
        return spell_cells(cells), set(problems)


def count(column, known):
    """Count the values of a column that was read."""
    with guarded():
        cells = read_column(column, known).cells
        cells = pd.Series(cells, dtype=cells.dtype)
        if cells.dtype == np.float64:
            found = tally_numbers(read_numbers(cells))
            return dict(zip(found.numbers.tolist(), found.counts.tolist(), strict=True))
        return {key: times for key, (_, times) in tally(read_categories(cells)).items()}


def check_column(column, known, number=0):
    """Check that a column is read alike whole, cell by cell, in another order, and in parts.

    Without one cell, its counts of values change by one.
    """
    rng, size = np.random.default_rng(number), len(column)
    whole, problems = read(column, known)
    alone = [read(column.iloc[[at]], known) for at in range(size)]
    assert whole == [cell for (cell,), _ in alone]
    assert problems == set().union(*(found for _, found in alone))
    for places in (rng.permutation(size), np.flatnonzero(rng.random(size) < 0.5)):
        # Some cells of a sparse column have another dtype in pandas than the column.
        part, found = read(column.iloc[places].astype(column.dtype), known)
        assert part == [whole[at] for at in places]
        assert found == set().union(*(alone[at][1] for at in places))
    counts, fewer = count(column, known), count(column.iloc[1:], known)
    moved = [counts.get(key, 0) - fewer.get(key, 0) for key in counts.keys() | fewer.keys()]
    assert [each for each in moved if each] == [1] * (whole[0] is not None)


@pytest.mark.parametrize('known', KNOWN, ids=lambda each: f'{each.sdtype} {each.template or ""}')
def test_every_cell_is_read_by_itself(known, hostile):
    @always(20)
    @given(hostile('cells').MIXED, st.booleans(), st.integers(0, 99))
    def check(cells, repeated, number):
        # From fifty cells on, pandas keeps a cache of dates.
        check_column(as_objects(cells * 9 if repeated else cells), known, number)

    check()


def test_all_hostile_cells_together_are_read_as_each_alone(hostile):
    for known in KNOWN:
        check_column(as_objects(hostile('cells').CELLS), known)


@pytest.mark.parametrize(
    'kind',
    ['whole', 'small', 'real', 'single', 'decimal', 'flag', 'text', 'moment', 'zoned', 'length'],
)
def test_the_storage_of_cells_does_not_matter(hostile, kind):
    cells_of, with_gaps, without = hostile('cells').STORAGES[kind]
    makers = [(True, make) for make in with_gaps] + [(False, make) for make in without]

    @always(3)
    @given(st.lists(cells_of, min_size=1, max_size=8), st.integers(0, 99))
    def check(cells, number):
        if kind == 'zoned':
            cells = [each.tz_localize('UTC') for each in cells]
        for has_gaps, make in makers:
            held = [None, *cells, *cells] if has_gaps else cells
            naive = [each and each.tz_localize(None) for each in held] if kind == 'zoned' else held
            column, plain = make(naive), as_objects(held)
            for known in KNOWN:
                expected, problems = read(plain, known)
                assert read(column, known) == (expected, problems), (column.dtype, known)
                check_column(column, known, number)
                if known.sdtype != 'numerical':
                    categorical = as_categories(column)
                    assert read(categorical, known) == (expected, problems), column.dtype

    check()


def refer(wanted, known):
    with guarded():
        return find_rows(pd.DataFrame(wanted), pd.DataFrame(known)).tolist()


def is_ambiguous(cell):
    """Whether the next whole number is the same float."""
    if isinstance(cell, np.longdouble):
        cell = float(cell)
    return isinstance(cell, float | np.floating) and bool(abs(cell) + type(cell)(1) == abs(cell))


def spell_key(row):
    """Spell a key by its cells; ``None`` where one is missing or cannot be read."""
    if any(map(is_ambiguous, row)):
        return None
    try:
        parts = [read_scalar(cell) for cell in row]
    except NoScalarError:
        return None
    return None if None in parts else tuple(map(spell, parts))


def check_references(known, wanted, width, number):
    """A row is found by its key, whatever the other rows on both sides are."""
    wanted = [row[:width] for row in (*wanted, *known)]
    distinct = {spell_key(row[:width]): row[:width] for row in known}
    distinct.pop(None, None)
    known = list(distinct.values())
    order = np.random.default_rng(number).permutation(len(known))
    tables = [
        {at: as_objects([row[at] for row in rows]) for at in range(width)}
        for rows in (wanted, known, [known[at] for at in order])
    ]
    found = refer(tables[0], tables[1])
    names = list(distinct)
    for row, at in zip(wanted, found, strict=True):
        name = spell_key(row)
        assert at == names.index(name) if name in distinct else at < 0
    shuffled = refer(tables[0], tables[2])
    assert [order[at] if at >= 0 else at for at in shuffled] == found
    for at in range(len(wanted)):
        alone = {part: cells.iloc[[at]] for part, cells in tables[0].items()}
        assert refer(alone, tables[1]) == [found[at]]
    with guarded():
        assert not has_repeats(pd.DataFrame(tables[1]))
        repeated = has_repeats(pd.DataFrame(tables[0]))
    spelled = [name for name in map(spell_key, wanted) if name is not None]
    assert repeated == (len(set(spelled)) < len(spelled))


@pytest.fixture
def check_all_references(hostile):
    cells = hostile('cells')
    one = cells.pick([*cells.MISSING, *cells.NUMBERS, *cells.TEXTS, *cells.FLAGS, *cells.OTHERS])
    rows = st.lists(st.tuples(one, one), min_size=1, max_size=12)
    return always(40)(given(rows, rows, st.integers(1, 2), st.integers(0, 99))(check_references))


def test_which_row_a_row_refers_to_depends_on_these_two_alone(check_all_references):
    check_all_references()


@pytest.mark.parametrize(
    'storage',
    ['float64', 'float32', 'float16', np.longdouble, 'Float64', 'Float32', 'float64[pyarrow]'],
)
@pytest.mark.parametrize('key', [123456789, 16777217, 2048, 3])
def test_a_fractional_key_changes_no_other_match(storage, key):
    """Single floats were once read in two ways, by whether all of the column were whole."""
    known = pd.DataFrame({'key': [key, int(float(str(np.float32(key)))), 7]})
    known = known.drop_duplicates()
    alone = refer({'key': pd.Series([key], dtype=storage)}, known)

    assert refer({'key': pd.Series([key, 0.5], dtype=storage)}, known)[:1] == alone
    assert refer({'key': pd.Series([key, None], dtype=storage)}, known)[:1] == alone


@pytest.mark.parametrize(
    'storage', ['int64', 'Int64', 'int64[pyarrow]', 'uint64', 'UInt64', object]
)
def test_whole_keys_of_all_digits_are_found_in_any_storage(storage):
    whole = [2**53, 2**53 + 1, 2**62 + 1, 0]
    column = pd.Series(whole, dtype=storage)

    assert refer({'key': column}, {'key': pd.Series(whole)}) == [0, 1, 2, 3]
    assert refer({'key': pd.Series(whole)}, {'key': column}) == [0, 1, 2, 3]


def break_texts(patch):
    """Compare texts as C does, up to their first NUL."""
    patch.setattr(columns, 'spell', lambda value: spell(value).split('\\x00')[0].strip("'"))


def break_types(patch):
    """Read all cells as texts if one is a text."""
    listing = columns.list_cells

    def infer(column):
        texts = {type(each) for each in column} & {str}
        return listing(as_objects([repr(each) for each in column]) if texts else column)

    patch.setattr(columns, 'list_cells', infer)


def break_numbers(patch):
    """Read numbers relative to the largest."""
    finding = facts.find_numbers

    def scale(column):
        values, missing = finding(column)
        return values / np.nanmax(np.append(np.abs(values), 1.0)), missing

    patch.setattr(facts, 'find_numbers', scale)


def break_dates(patch):
    """Guess the format of all texts from the first one, as pandas does."""
    reading = dates.read_texts

    def guess(texts, template):
        return reading(texts, '%d/%m/%Y' if texts and '/' in texts[0] else template)

    patch.setattr(dates, 'read_texts', guess)


def break_problems(patch):
    """Report the first problem only."""
    listing = facts._list_flaws
    patch.setattr(facts, '_list_flaws', lambda flaws: listing(flaws)[:1])


def break_flags(patch):
    """Treat equal values as the same, as a dictionary does."""
    patch.setattr(columns, 'spell', lambda value: value)


BREACHES = [
    (break_texts, ['flu', 'flu\0 John Smith'], Facts('x', 'categorical')),
    (break_types, [1, 2, 'flu'], Facts('x', 'categorical')),
    (break_numbers, [1, 2, 4], Facts('x', 'numerical')),
    (break_dates, ['13/01/2020', '2020-01-05'], Facts('x', 'datetime')),
    (break_problems, [[1], 'cold'], Facts('x', 'categorical', values=('flu',))),
    (break_flags, [True, 1, 'flu'], Facts('x', 'categorical')),
]


@pytest.mark.parametrize(('breach', 'cells', 'known'), BREACHES, ids=lambda each: str(each)[:22])
def test_the_check_sees_cells_that_are_read_by_others(breach, cells, known, monkeypatch):
    column = as_objects(cells)
    check_column(column, known)
    breach(monkeypatch)
    with pytest.raises(AssertionError):
        check_column(column, known)


def test_the_check_of_references_sees_keys_that_are_read_by_others(
    check_all_references, monkeypatch
):
    monkeypatch.setattr(keys, '_look_up', _look_up_texts)
    with pytest.raises(AssertionError):
        check_all_references()


def _look_up_texts(found, places):
    numbers = [places.setdefault(str(value)[:1], len(places)) for value in found.listed]
    return np.array([*numbers, -2, -1], dtype=np.int64)[found.codes]
