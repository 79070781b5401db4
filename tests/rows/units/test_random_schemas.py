"""Whatever a model makes of key cells, the units of a database are those of its raw tables."""

import numpy as np
import pytest
from sdv.errors import InvalidDataError

from sdv_threea.rows.units.membership import find_units

from .random_schemas import draw_database


def link(synthesizer, tables):
    """Read the tables as a fit does: the rows that rows refer to, and the schema."""
    return take_whole(synthesizer._augment_tables(synthesizer.preprocess(tables)))


def take_whole(linked):
    """Take a database of one group out of its rows."""
    rows, schema = linked
    (database,) = rows.source
    return database, schema


def find(synthesizer, tables):
    database, schema = link(synthesizer, tables)
    return find_units(schema, database.num_rows, database.parents)


@pytest.mark.parametrize('seed', range(24))
def test_units_are_those_of_the_raw_tables_and_each_can_be_taken_out(seed):
    drawn = draw_database(seed)
    synthesizer = drawn.make()
    database, _ = link(synthesizer, drawn.tables)
    found = {(each.child, each.parent): rows for each, rows in database.parents.items()}
    assert found.keys() == drawn.parents.keys()
    for names, rows in found.items():
        assert rows.tolist() == drawn.parents[names].tolist()

    before = find(synthesizer, drawn.tables)
    for row in (0, 7):
        gone = drawn.reach('a', row)
        check_taken_out(before, find(synthesizer, drawn.without(gone)), gone, before['a'][row])


def check_taken_out(before, after, gone, unit):
    """Check that other rows keep their units, up to a renaming, and that one is wholly gone."""
    renamed = {}
    for name, units in after.items():
        for old, new in zip(before[name][~gone[name]], units, strict=True):
            assert renamed.setdefault(old, new) == new
        assert unit not in before[name][~gone[name]]
    assert len(set(renamed.values())) == len(renamed)


@pytest.mark.parametrize('seed', range(4))
def test_rows_may_be_shuffled_and_left_out_between_the_two_steps(seed):
    drawn = draw_database(seed)
    synthesizer = drawn.make()
    processed = synthesizer.preprocess(drawn.tables)
    rng = np.random.default_rng(seed)
    order = {name: rng.permutation(len(rows)) for name, rows in processed.items()}
    shuffled = {name: rows.iloc[order[name]] for name, rows in processed.items()}
    database, _ = take_whole(synthesizer._augment_tables(shuffled))

    for each, rows in database.parents.items():
        truth = drawn.parents[each.child, each.parent][order[each.child]]
        assert np.append(order[each.parent], -1)[rows].tolist() == truth.tolist()


@pytest.mark.parametrize('change', ['a row less', 'a row twice', 'no numbers', 'other numbers'])
def test_a_row_that_is_not_where_it_was_is_refused(change):
    drawn = draw_database(3)
    synthesizer = drawn.make()
    processed = synthesizer.preprocess(drawn.tables)
    rows = processed['a']
    child = next(name for name, above in drawn.shape.items() if 'a' in above)
    one = max(drawn.parents[child, 'a'])
    processed['a'] = {
        'a row less': rows.drop(index=one),
        'a row twice': rows.iloc[[*range(len(rows)), 0]],
        'no numbers': rows.drop(columns='row of a'),
        'other numbers': rows.assign(**{'row of a': 0.5}),
    }[change]

    with pytest.raises(InvalidDataError, match='missing'):
        synthesizer.fit_processed_data(processed)
    assert synthesizer.num_releases == 0
