"""Private values as buckets, and buckets as made-up names."""

import pickle

import numpy as np
import pandas as pd
import pytest
from rdt.transformers import AnonymizedFaker

from sdv_threea.domain import Category, Domain, Pseudonyms
from sdv_threea.transforms.pseudonyms import NUM_BUCKETS, NameStep, find_buckets, make_names

KEY = b'k' * 16
FAKER = AnonymizedFaker('person', 'name')
STEP = NameStep(Category(name='doctor', many=True), 'doctor', 0, FAKER, KEY)


def name(buckets, sizes):
    """A domain whose buckets have these names."""
    names = Pseudonyms(0, np.array(buckets), np.array(sizes))
    return Domain((Category(name='doctor', values=tuple(range(NUM_BUCKETS)), pseudonyms=names),))


def translate(cells, key=KEY):
    table = pd.DataFrame({'doctor': pd.Series(cells, dtype=object)})
    return find_buckets('doctor', key, table)['doctor'].tolist()


def test_the_bucket_of_a_cell_depends_on_that_cell_alone():
    cells = ['Ada', None, 'Ben', 'Ada', 1, 1.0, True, '1', '\ud800', float('nan')]
    found = translate(cells)

    assert found == [translate([each])[0] for each in cells]
    assert found[0] == found[3] and found[1] is None and found[9] is None
    assert all(each is None or 0 <= each < NUM_BUCKETS for each in found)


def test_another_key_gives_other_buckets():
    cells = [f'Doctor {at}' for at in range(100)]
    same = np.mean(np.array(translate(cells)) == np.array(translate(cells, b'q' * 16)))

    assert same < 0.1


def test_columns_of_a_pool_share_buckets_and_others_do_not():
    table = pd.DataFrame({'doctor': [f'Doctor {at}' for at in range(100)]})
    other = NameStep(Category(name='doctor'), 'patients', 0, FAKER, KEY)
    one, two = STEP.forward(table)['doctor'], other.forward(table)['doctor']

    assert (one == pickle.loads(pickle.dumps(STEP)).forward(table)['doctor']).all()
    assert np.mean(one == two) < 0.1


def test_rows_of_a_bucket_are_dealt_out_by_the_sizes_of_its_names():
    domain = name([3, 3, 7], [30, 10, 5])
    rows = pd.DataFrame({'doctor': np.array([3] * 80 + [7] * 10 + [None] * 5, dtype=object)})
    names = pd.Series(STEP.back(rows, domain)['doctor'])

    assert names[:80].value_counts().tolist() == [60, 20]
    assert len(set(names[80:90])) == 1 and names[90:].isna().all()
    assert set(names[:80]).isdisjoint(names[80:90])


def test_known_names_choose_their_bucket():
    domain = name([3, 3, 7], [30, 10, 5])
    rows = pd.DataFrame({'doctor': np.array([3, 3, 3, 3, 7], dtype=object)})
    names = STEP.back(rows, domain)['doctor']
    chosen = STEP.select(pd.DataFrame({'doctor': [*names, 'Nobody']}), domain)['doctor']

    assert [np.flatnonzero(each).tolist() for each in chosen] == [[3]] * 4 + [[7], []]


@pytest.mark.parametrize('function', ['name', 'first_name', 'random_digit'])
def test_names_of_a_pool_are_different_and_the_same_in_every_list(function):
    provider = 'misc' if function == 'random_digit' else 'person'
    faker = AnonymizedFaker(None if provider == 'misc' else provider, function)
    names = make_names('staff', faker, 1024)

    assert len(set(map(str, names))) == 1024
    assert names == make_names('staff', AnonymizedFaker(faker.provider_name, function), 1024)
    assert names[:128] == make_names('staff', faker, 128)
    assert names[:128] != make_names('others', faker, 128)
