"""The audit of this package: nothing passes beside the doors, and the page is true.

How far records move each statistic is measured in ``tests/audit/test_contributions.py``.
"""

from functools import partial

import pytest
from scripts import script_fixture

from sdv_threea.audit import measure_mu

#: Enough rows that thresholds show something at this epsilon.
NUM_ROWS, EPSILON = 200, 8.0


SCHEMAS = (
    'one number, public',
    'number and target, public',
    'mixed types',
    'mixed types, public',
    'constraints',
    'dates',
    'Dask, three partitions',
    'relational',
    'relational, other root',
    'composite keys',
    'composite keys, coerced',
    'several paths',
    'sequences',
)

#: So are these, where one is replaced by another.
REPLACED = ('mixed types', 'constraints', 'several paths', 'sequences')

#: No search for the worst record is committed for these.
UNSEARCHED = ('sequences',)


neighbours = script_fixture('neighbours')


@pytest.fixture(scope='module')
def schemas(neighbours):
    """All schemas, small; one of them with several components, which take their time."""
    made = neighbours.make_schemas(NUM_ROWS)
    for name in ('number and target, public', 'mixed types, public', 'Dask, three partitions'):
        made[name] = made[name]._replace(make=partial(made[name].make, epsilon=0.1))
    return made


audit = script_fixture('audit')


@pytest.fixture(scope='module')
def measures(audit):
    return audit.BENCHMARK.read()


def test_all_schemas_are_tested(schemas):
    assert tuple(schemas) == SCHEMAS


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize(
    ('name', 'relation'),
    [*((name, 'add_remove') for name in SCHEMAS), *((name, 'replace_one') for name in REPLACED)],
)
def test_nothing_passes_beside_the_doors(neighbours, schemas, name, relation):
    schema = schemas[name]
    canaries = neighbours.list_canaries(schema)
    one = canaries['commonest'] if relation == 'replace_one' else None
    other = canaries['missing']
    result = measure_mu(partial(schema.fit, EPSILON, relation), *map(schema.build, (one, other)))
    assert result.leaks == ()
    assert not result.refuted
    assert result.mu > 0


def test_the_committed_audit_reaches_most_of_the_claims_and_no_more(audit, measures):
    found = measures[(measures['canary'] == audit.FOUND) & (measures['stage'] == audit.ALL)]
    kinds = found.groupby(['schema', 'relation', 'epsilon'])['share'].agg(['size', 'max'])
    assert len(kinds) == len({*SCHEMAS} - {*UNSEARCHED}) * len(audit.RELATIONS) * len(
        audit.EPSILONS
    )
    assert (kinds['size'] == audit.FRESH).all()
    assert (kinds.xs('add_remove', level='relation')['max'] > 0.9).all()
    assert (kinds.xs('replace_one', level='relation')['max'] > 0.7).all()
    assert audit.find_refuted(measures).empty


def test_the_committed_audit_tries_each_record_of_every_crowd_alone(audit, measures):
    alone = measures[measures['method'] == audit.ALONE]
    assert set(zip(alone['schema'], alone['relation'], strict=True)) == {
        (crowd, relation) for crowd in audit.CROWDS for relation in audit.RELATIONS
    }
    assert (alone['leaks'] == 0).all()


def test_the_committed_audit_catches_all_that_it_should(audit, measures):
    whole = measures[measures['stage'] == audit.ALL].set_index('method')
    assert (whole.loc[list(audit.BROKEN), 'leaks'] > 0).all()
    assert whole.loc[audit.THIRD, 'noise'] < 0.5
