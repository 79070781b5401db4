"""What one record can change: neighbouring tables, fitted side by side.

With the noise held fixed, two fits may differ in numbers of the release, and in nothing else. How
far answers move is measured in ``tests/audit/test_contributions.py``.
"""

import re
from dataclasses import replace
from functools import partial

import cloudpickle
import numpy as np
import pandas as pd
import pytest

from sdv_threea import ClustMixSynthesizer
from sdv_threea.pipeline import release
from sdv_threea.synthesizers import single_table

NAME = 'people'

#: What an ordinary record is replaced by: values that no other record has.
STRIKING = {
    'key': 'secret-key-striking',
    'whole': 10**6,
    'real': -1e9,
    'cents': 12345.67,
    'letter_missing': 'Z',
    'code_missing': 77.0,
    'many': 'secret-striking',
    'text_date': '31/12/2199',
}


def put_striking(table):
    """Put a striking record in place of the last."""
    changed = table.copy()
    for name, value in STRIKING.items():
        changed.loc[changed.index[-1], name] = value
    return changed


#: Pairs of neighbours: a striking record less, and a striking one in place of another.
NEIGHBOURS = {
    'one striking record less': (
        'add_remove',
        lambda table: (put_striking(table), table.iloc[:-1]),
    ),
    'one striking record instead': ('replace_one', lambda table: (table, put_striking(table))),
}

#: With a target and components, every stage is run.
SETTINGS = {'epsilon': 20.0, 'target_column': 'letter', 'mixing': 'clusters', 'n_components': 2}


class FixedNoise:
    """Noise that depends on the number of the question alone: the same in every fit."""

    def __init__(self):
        self.questions = 0

    def __call__(self, size, scale):
        self.questions += 1
        rng = np.random.default_rng([self.questions, 11])
        return np.rint(rng.normal(0, scale, size)).astype(np.int64)


def fit(metadata, table, neighbors):
    """Fit with all chance held fixed."""
    chance = {'noise': FixedNoise(), 'rng': np.random.default_rng(5)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(single_table, 'release', partial(release, **chance))
        synthesizer = ClustMixSynthesizer(metadata, neighbors=neighbors, **SETTINGS)
        synthesizer.fit({NAME: table})
    return synthesizer


def describe_kinds(domain):
    """What is known of the columns, but for the ends of ranges: those are released numbers."""
    return [
        replace(each, low=0, high=0) if hasattr(each, 'low') else each for each in domain.columns
    ]


@pytest.fixture(params=NEIGHBOURS)
def neighbours(request, some_table):
    """The relation, and two tables that are neighbours by it."""
    relation, make_pair = NEIGHBOURS[request.param]
    return relation, make_pair(some_table)


@pytest.mark.filterwarnings('ignore:No value of the columns')
def test_neighbours_differ_in_released_numbers_alone(neighbours, some_metadata, walk, compare):
    relation, pair = neighbours
    fits = [fit(some_metadata, each, relation) for each in pair]
    one, other = (each.__getstate__() for each in fits)
    differing, leaves = set(compare(one, other)), [*walk(one), *walk(other)]

    assert differing
    assert [path for path in differing if not path.startswith(".['_model']")] == []
    # How many features of the kernel there are follows from a released number, and receipts say it.
    told = {path for path in differing if path.endswith(".['released']")}
    kinds = {leaf[0] for path, leaf in leaves if path in differing - told}
    assert kinds <= {float, int, np.float64, np.int64, bool, list, np.ndarray}
    one_domain, other_domain = (describe_kinds(each._model.domain) for each in fits)
    assert one_domain == other_domain
    # The noise of later questions is scaled to what earlier ones released; prices are settled.
    one_bill, other_bill = (
        [
            (each.stage, re.sub(r'\d+ weights', 'weights', each.released), each.mu, each.delta)
            for each in synthesizer._model.ledger.receipts
        ]
        for synthesizer in fits
    )
    assert one_bill == other_bill


@pytest.mark.filterwarnings('ignore:No value of the columns')
def test_the_same_table_and_noise_give_the_same_synthesizer_without_its_records_and_jax(
    some_table, some_metadata, walk, compare
):
    striking = put_striking(some_table)
    one, other = (fit(some_metadata, striking, 'add_remove').__getstate__() for _ in range(2))
    pickled = cloudpickle.dumps(one)
    kinds = {leaf[0] for _, leaf in walk(one) if isinstance(leaf[0], type)}

    assert compare(one, other) == []
    assert not any(word in pickled for word in (b'striking', b'secret', b'jax'))
    assert isinstance(one['_model'].mixture.weights, np.ndarray)
    assert [kind for kind in kinds if kind.__module__.startswith('jax')] == []


@pytest.fixture(autouse=True)
def _expect_silent_columns(recwarn):
    """The column whose values are all different is never released, which is warned of."""
    yield
    assert not any('secret' in str(each.message) for each in recwarn.list)


def test_the_neighbours_are_neighbours(some_table):
    for relation, make_pair in NEIGHBOURS.values():
        one, other = (pd.DataFrame(each) for each in make_pair(some_table))
        assert len(one) - len(other) == (0 if relation == 'replace_one' else 1)
        common = one.index.intersection(other.index)
        differing = one.loc[common].astype(str).ne(other.loc[common].astype(str)).any(axis=1)
        assert differing.sum() == (1 if relation == 'replace_one' else 0)
