"""No pair of foreign keys occurs twice, where the metadata or a rule says so."""

import numpy as np
import pandas as pd
import pytest
from relationships import relate
from restored import restore
from sdv.cag._errors import ConstraintNotMetError
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea import ClustMixMultiTableSynthesizer
from sdv_threea.constraints import Distinct

SIZE, POSTS = 300, 20
PAIR = ['who', 'post']
KEY, NUMBER = {'sdtype': 'id'}, {'sdtype': 'numerical'}


def make_tables():
    """Persons who like eight of twenty posts each, and follow three other persons."""
    rng = np.random.default_rng(0)
    popular = rng.dirichlet(np.full(POSTS, 2.0))
    liked = [rng.choice(POSTS, 8, replace=False, p=popular) for _ in range(SIZE)]
    likes = pd.DataFrame({'who': np.repeat(range(SIZE), 8), 'post': np.concatenate(liked)})
    others = [rng.choice(np.delete(np.arange(SIZE), who), 3, replace=False) for who in range(SIZE)]
    follows = pd.DataFrame({'who': np.repeat(range(SIZE), 3), 'whom': np.concatenate(others)})
    return {
        'person': pd.DataFrame({'id': range(SIZE), 'age': rng.integers(20, 60, SIZE)}),
        'post': pd.DataFrame({'id': range(POSTS)}),
        'like': likes.assign(id=range(len(likes)), stars=rng.integers(1, 6, len(likes))),
        'follow': follows,
    }


def make(*, keyed, epsilon):
    like = {'columns': {'id': KEY, 'who': KEY, 'post': KEY, 'stars': NUMBER}}
    tables = {
        'person': {'columns': {'id': KEY, 'age': NUMBER}, 'primary_key': 'id'},
        'post': {'columns': {'id': KEY}, 'primary_key': 'id'},
        'like': {**like, 'primary_key': PAIR if keyed else 'id'},
        'follow': {'columns': {'who': KEY, 'whom': KEY}, 'primary_key': ['who', 'whom']},
    }
    if keyed:
        del tables['like']['columns']['id']
    links = [
        relate('like', 'who', 'person', 'id'), relate('like', 'post', 'post', 'id'),
        relate('follow', 'who', 'person', 'id'), relate('follow', 'whom', 'person', 'id'),
    ]  # fmt: skip
    metadata = Metadata.load_from_dict({'tables': tables, 'relationships': links})
    how = {'privacy_unit': 'person', 'public_tables': ['post'], 'verbose': False}
    return ClustMixMultiTableSynthesizer(metadata, epsilon=epsilon, accept='noise', **how)


@pytest.mark.parametrize('keyed', [True, False])
@pytest.mark.parametrize('epsilon', [1.0, 100.0])
def test_no_pair_occurs_twice_and_hardly_a_row_is_lost(keyed, epsilon):
    synthesizer, tables = make(keyed=keyed, epsilon=epsilon), make_tables()
    if keyed:
        tables['like'] = tables['like'].drop(columns='id')
    else:
        synthesizer.add_constraints([Distinct(['like.who', 'like.post'])])
    synthesizer.fit(tables)
    sampled = synthesizer.sample_scale(1.0)
    for name, pair in (('like', PAIR), ('follow', ['who', 'whom'])):
        assert not sampled[name].duplicated(pair).any()
        assert len(sampled[name]) >= 0.95 * synthesizer._model.tables[name].size
    synthesizer.validate_constraints(sampled)
    if not keyed:
        twice = {**sampled, 'like': pd.concat([sampled['like'], sampled['like'][:1]])}
        with pytest.raises(ConstraintNotMetError, match='like'):
            synthesizer.validate_constraints(twice)


@pytest.mark.parametrize(
    'names', [['like.who', 'like.stars'], ['like.who'], ['like.who', 'follow.whom'], ['like.x']]
)
def test_what_is_no_pair_of_foreign_keys_is_refused(names):
    with pytest.raises(SynthesizerInputError):
        make(keyed=False, epsilon=1.0).add_constraints([Distinct(names)])


def test_a_key_of_a_foreign_key_and_a_number_loses_no_rows(tmp_path):
    """Numbers of the lines of an order, which no rule says to be 1 to k."""
    rng = np.random.default_rng(0)
    lines = pd.DataFrame({'who': np.repeat(range(SIZE), rng.integers(0, 6, SIZE))})
    lines['line'] = lines.groupby('who').cumcount() + 1
    tables = {'person': make_tables()['person'], 'bought': lines}
    about = {
        'person': {'columns': {'id': KEY, 'age': NUMBER}, 'primary_key': 'id'},
        'bought': {'columns': {'who': KEY, 'line': NUMBER}, 'primary_key': ['who', 'line']},
    }
    links = [relate('bought', 'who', 'person', 'id')]
    metadata = Metadata.load_from_dict({'tables': about, 'relationships': links})
    synthesizer = ClustMixMultiTableSynthesizer(metadata, epsilon=float('inf'), verbose=False)
    synthesizer.set_table_parameters('bought', {'enforce_rounding': True})
    synthesizer.fit(tables)
    sampled = synthesizer.sample_scale(1.0)['bought']
    assert not sampled.duplicated().any()
    assert len(sampled) == len(lines)
    assert sampled['line'].max() == 5
    assert sampled['line'].value_counts().sort_index().is_monotonic_decreasing
    restore(synthesizer, tmp_path / 'database.release', lambda each: each.sample_scale(0.5))
