"""What hostile records add to every released sum, each alone: never more than is declared."""

from dataclasses import replace
from functools import cache, partial

import dask.dataframe as dd
import numpy as np
import pytest

from sdv_threea.approximate import counts
from sdv_threea.statistics import registry
from sdv_threea.statistics.registry import REGISTRY

pytestmark = pytest.mark.filterwarnings('ignore')

#: Hostile records of a table, and units of a database: others for each relation.
SIZE = 80

#: So many are enough where a fault is to be seen, or a way to store them.
FEW = 30

CROWDS = (
    'one number, public',
    'number and target, public',
    'mixed types',
    'mixed types, public',
    'constraints',
    'dates',
    'Dask, three partitions',
    'tiny',
    'wide',
    'every pair',
    'a number',
    'a number with pairs',
    'a kernel',
    'mixed records',
    'coerced',
    'units',
    'units of a mixture',
    'units alike',
    'several paths',
    'composite keys',
    'composite keys, coerced',
    'sequences',
    'sequences of dates',
)

#: Together they make every release that there is.
COMPLETE = (
    'mixed types',
    'wide',
    'every pair',
    'a number',
    'mixed records',
    'units',
    'units of a mixture',
    'units alike',
    'several paths',
)


@pytest.fixture(scope='module')
def crowds(load_script):
    with load_script('crowds') as module:
        yield module.list_crowds()


@pytest.fixture(scope='module')
def measure_contributions(load_script):
    with load_script('contributions') as module:
        yield module.measure_contributions


@pytest.fixture(scope='module')
def noise(load_script):
    with load_script('neighbours') as module:
        yield module.seed_noise


@pytest.fixture(scope='module')
def measure(measure_contributions, crowds, noise):
    """Return a function that measures a crowd, once for each relation."""

    @cache
    def measure(name, relation):
        replaced = relation == 'replace_one'
        crowd = crowds[name](SIZE + replaced)
        terms = {'replaced': replaced, 'unit': crowd.unit, 'noise': noise()}
        return measure_contributions(
            partial(crowd.fit, relation), crowd.ordinary, crowd.hostile, **terms
        )

    return measure


def test_all_crowds_are_tested(crowds):
    assert tuple(crowds) == CROWDS


@pytest.mark.parametrize(
    ('name', 'relation'),
    [*((name, 'add_remove') for name in CROWDS), *((name, 'replace_one') for name in COMPLETE)],
)
def test_no_hostile_record_adds_more_than_its_statistic_declares(measure, name, relation):
    """Nor does a unit; and what records add alone is what they add together, bit for bit."""
    found = measure(name, relation)
    assert [each for each in found if each.refuted] == []
    assert max(each.share for each in found) > 0.9, 'a crowd that moves nothing shows nothing'


def test_every_release_is_measured(measure):
    found = {each.name for name in COMPLETE for each in measure(name, 'add_remove')}
    assert found == set(REGISTRY)


def test_units_have_several_records(measure):
    """Or the factor of their rows would not be seen."""
    shared = [each for each in measure('units', 'add_remove') if each.num_units < each.num_records]
    assert max(each.claimed / each.sensitivity for each in shared) > 2
    assert max(each.share for each in shared) > 0.9


def test_files_of_parquet_are_measured(measure_contributions, crowds, noise, tmp_path):
    crowd = crowds['mixed types'](FEW)
    paths = []
    for name, data in (('ordinary', crowd.ordinary), ('hostile', crowd.hostile)):
        (table,) = data.values()
        texts = {each: table[each].map(str, 'ignore') for each in ('c', 'target')}
        paths.append(str(tmp_path / name))
        dd.from_pandas(table.assign(**texts), npartitions=2).to_parquet(paths[-1])
    one, other = ({'table': path} for path in paths)
    found = measure_contributions(partial(crowd.fit, 'add_remove'), one, other, noise=noise())
    assert found[0].num_records == FEW
    assert [each for each in found if each.refuted] == []


@pytest.fixture
def measure_small(measure_contributions, crowds, noise):
    """Return a function that measures a crowd now, whatever was measured before."""
    crowd = crowds['number and target, public'](SIZE)
    return lambda: measure_contributions(
        partial(crowd.fit, 'add_remove'), crowd.ordinary, crowd.hostile, noise=noise()
    )


def test_a_sensitivity_that_is_a_hundredth_too_small_is_refuted(monkeypatch, measure_small):
    real = registry.COLUMNS
    less = replace(real, sensitivity=lambda **facts: 0.99 * real.sensitivity(**facts))
    monkeypatch.setattr(registry, 'COLUMNS', less)
    found = measure_small()
    (wrong,) = (each for each in found if each.refuted)
    assert 'histograms' in wrong.released
    assert wrong.share == pytest.approx(1 / 0.99)


def test_a_record_that_is_counted_by_what_others_hold_is_refuted(monkeypatch, measure_small):
    real = counts.count_columns

    def count(sizes, num_classes, chunk):
        """Count the first of all equal records."""
        _, first = np.unique(chunk.codes, axis=0, return_index=True)
        return real(sizes, num_classes, type(chunk)(*(each[first] for each in chunk)))

    monkeypatch.setattr(counts, 'count_columns', count)
    (found,) = (each for each in measure_small() if each.refuted)
    assert not found.adds_up
    assert found.share <= 1 + 1e-9


def test_rows_of_a_unit_that_are_counted_as_units_are_refuted(
    monkeypatch, measure_contributions, crowds, noise
):
    """Each record is within its bound, and their unit is not."""
    room = 'sdv_threea.relational.order.find_units'

    def find(schema, num_rows, parents):
        sizes = np.cumsum([0, *num_rows.values()])
        return {
            table: np.arange(start, start + num_rows[table])
            for table, start in zip(num_rows, sizes, strict=False)
        }

    monkeypatch.setattr(room, find)
    crowd = crowds['several paths'](FEW)
    found = measure_contributions(
        partial(crowd.fit, 'add_remove'),
        crowd.ordinary,
        crowd.hostile,
        unit=crowd.unit,
        noise=noise(),
    )
    wrong = [each for each in found if each.refuted]
    assert wrong
    for each in wrong:
        assert each.of_record.distance <= each.sensitivity * (1 + 1e-9)
        assert each.of_unit.distance > each.claimed
