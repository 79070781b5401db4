"""How like synthetic rows are to real ones, and what the pages make of it."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scripts import script_fixture

script = script_fixture('marginals')
likeness = script_fixture('likeness')


def make_rows(num_rows, seed):
    """Make two columns of which each row has the same, a third by itself, and a number."""
    rng = np.random.default_rng(seed)
    same = rng.integers(4, size=num_rows)
    number = rng.normal(size=num_rows)
    number[::10] = np.nan
    other = rng.choice(['x', None], num_rows)
    return pd.DataFrame({'a': same.astype(str), 'b': same.astype(str), 'c': other, 'd': number})


def test_rows_are_impossible_whose_categories_no_real_row_has_together(likeness):
    real = make_rows(500, seed=0)
    broken = real.assign(b=np.where(np.arange(500) < 50, real['b'].map(lambda v: v + '!'), '0'))
    shuffled = real.assign(b='0')

    def count(table):
        return likeness.count_impossible(real, table, ['a', 'b', 'c'])

    assert count(make_rows(100, seed=1)) == {'impossible pairs': 0, 'impossible triples': 0}
    assert count(shuffled)['impossible pairs'] == (real['a'] != '0').mean()
    assert (
        count(broken)['impossible triples'] == ((real['a'] != '0') | (np.arange(500) < 50)).mean()
    )
    assert likeness.count_impossible(real, shuffled, ['a', 'c']) == {'impossible pairs': 0}
    assert likeness.count_impossible(real, shuffled, ['a']) == {}


def test_a_classifier_tells_rows_of_another_law_and_no_others(likeness):
    real, other = make_rows(2000, seed=0), make_rows(2000, seed=1)
    shuffled = other.assign(b=other['b'].sample(frac=1, random_state=0).to_numpy())

    # By chance the AUC of 1,000 and 1,000 rows is off by .013.
    assert likeness.tell_apart(real, other)['told apart'] == pytest.approx(0.5, abs=0.08)
    assert likeness.tell_apart(real, shuffled)['told apart'] > 0.8


def test_coded_tables_have_their_public_domains(script, tmp_path):
    folder = tmp_path / 'privmrf'
    folder.mkdir()
    pd.DataFrame({'0': [0, 2, 2], '1': [1, 0, 1]}).to_csv(folder / 'adult.csv.gz', index=False)
    (folder / 'adult.json').write_text(json.dumps({'0': {'domain': 4}, '1': {'domain': 2}}))

    split = script.load('privmrf adult', SimpleNamespace(data=tmp_path))

    assert split.train['0'].tolist() == ['0', '2', '2']
    with_facts = script.clustmix.__globals__['public_facts'](split).to_dict()
    columns = with_facts['tables']['adult']['columns']
    assert columns['0']['range_values'] == ['0', '1', '2', '3']  # of no row, but of the domain
    assert not columns['1']['range_is_nullable']
    assert script.draw_real(split)['0'].isin(['0', '2']).all()
