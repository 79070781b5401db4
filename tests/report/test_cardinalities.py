"""How many rows refer to each row: shares in bins of counts, and their picture."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
from relationships import relate

from sdv_threea.report import compare_cardinalities


def link(child, key, parent='parent', parent_key='id'):
    return relate(child, key, parent, parent_key)


def make_tables(counts):
    """Make one parent per count, with that many children."""
    parents = np.arange(len(counts))
    return {
        'parent': pd.DataFrame({'id': parents}),
        'child': pd.DataFrame({'to': np.repeat(parents, counts)}),
    }


ONE = SimpleNamespace(relationships=[link('child', 'to')])


def compare(real, synthetic):
    (found,) = compare_cardinalities(make_tables(real), make_tables(synthetic), ONE).values()
    return found


def test_rows_are_shared_out_by_how_many_refer_to_them():
    found = compare([0, 1, 1, 3], [1, 2])

    assert list(found.labels) == ['0', '1', '2', '3']
    np.testing.assert_allclose(found.real, [0.25, 0.5, 0.0, 0.25])
    np.testing.assert_allclose(found.synthetic, [0.0, 0.5, 0.5, 0.0])


def test_missing_references_refer_to_nobody():
    tables = {
        'parent': pd.DataFrame({'id': [1, 2]}),
        'child': pd.DataFrame({'to': [1.0, np.nan, np.nan]}),
    }
    (found,) = compare_cardinalities(tables, tables, ONE).values()

    assert list(found.labels) == ['0', '1']
    np.testing.assert_allclose(found.real, [0.5, 0.5])


def test_keys_of_several_columns_are_compared_as_a_whole():
    keys = pd.DataFrame({'a': [1, 1, 2], 'b': ['x', 'y', 'x']})
    tables = {'parent': keys, 'child': pd.DataFrame({'p': [1, 1, 2], 'q': ['x', 'x', 'x']})}
    metadata = SimpleNamespace(relationships=[link('child', ['p', 'q'], parent_key=['a', 'b'])])
    (found,) = compare_cardinalities(tables, tables, metadata).values()

    assert list(found.labels) == ['0', '1', '2']
    np.testing.assert_allclose(found.real, [1 / 3] * 3)
