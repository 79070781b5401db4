"""Relations that a release shows, and those that it does not."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from described import describe, describe_tables
from orders import RULES, SINGLE, draw_tables, make_metadata

from sdv_threea import ClustMixSynthesizer
from sdv_threea.metadata import suggest_constraints

SDTYPES = {
    'town': 'categorical', 'country': 'categorical', 'colour': 'categorical',
    'name': 'categorical', 'booked': 'datetime', 'left': 'datetime', 'net': 'numerical',
    'gross': 'numerical', 'height': 'numerical',
}  # fmt: skip


def make_stays(num_rows=4000, seed=0):
    rng = np.random.default_rng(seed)
    town, net = rng.integers(0, 12, num_rows), rng.gamma(4, 25, num_rows).round(2)
    booked = pd.Timestamp('2024-01-01') + pd.to_timedelta(rng.integers(0, 300, num_rows), 'D')
    return pd.DataFrame(
        {
            'town': [f't{each}' for each in town],
            'country': [f'c{each // 4}' for each in town],
            'colour': rng.choice(list('abc'), num_rows),
            'name': [f'n{at}' for at in range(num_rows)],
            'booked': booked.strftime('%d.%m.%Y'),
            'left': (booked + pd.to_timedelta(rng.integers(0, 60, num_rows), 'D')).strftime(
                '%d.%m.%Y'
            ),
            'net': net,
            'gross': (1.2 * net).round(2),
            'height': rng.normal(100, 50, num_rows),
        }
    )


@pytest.fixture
def metadata():
    columns = {name: {'sdtype': sdtype} for name, sdtype in SDTYPES.items()}
    for name in ('booked', 'left'):
        columns[name]['datetime_format'] = '%d.%m.%Y'
    return describe(columns, 'stays')


def list_relations(table, metadata):
    sampling = SimpleNamespace(metadata=metadata, sample=lambda *_: {'stays': table})
    return suggest_constraints(sampling)


def test_relations_that_hold_are_suggested_and_no_others(metadata):
    table = make_stays()
    table.loc[::50, 'country'] = 'c0'  # noise breaks some

    found = list_relations(table, metadata)

    relations = set(zip(found['constraint'], map(tuple, found['columns']), strict=True))
    assert relations == {
        ('FixedCombinations', ('town', 'country')),
        ('Inequality', ('booked', 'left')),
        ('Inequality', ('net', 'gross')),
    }
    assert found['obey'].min() > 0.95
    assert found['by chance'].is_monotonic_increasing
    assert found['by chance'].max() < 0.85


def test_fixed_values_and_sums_are_suggested_with_their_arguments():
    rng, n = np.random.default_rng(1), 3000
    asked, net, fee = rng.random(n) < 0.4, rng.gamma(2, 50, n), rng.gamma(2, 20, n)
    answers = {f'q{at}': np.where(asked, rng.integers(1, 6, n), -7) for at in range(3)}
    answers['q0'][::40] = -9
    noise = rng.normal(0, 40, n)
    table = pd.DataFrame({'asked': asked, 'net': net, 'a fee': fee, **answers, 'other': noise + 90})
    table['total'] = np.maximum(net + fee + noise, 0)
    kinds = {'asked': 'boolean', **dict.fromkeys(answers, 'categorical')}
    metadata = describe({name: {'sdtype': kinds.get(name, 'numerical')} for name in table}, 'stays')
    found = list_relations(table, metadata)
    rules = {kind: own.iloc[0]['parameters'] for kind, own in found.groupby('constraint')}

    assert rules['Formula'] == {'column_name': 'total', 'formula': 'net + `a fee`'}
    total, parts = (
        table['total'].to_numpy(),
        rng.permutation((table.net + table['a fee']).to_numpy()),
    )
    by_chance = (np.abs(total - parts) <= total.std() / 2).mean()
    assert found.query("constraint == 'Formula'")['by chance'].item() == pytest.approx(
        by_chance, abs=0.05
    )
    assert rules['IfThen']['if_values'] == [False]
    assert rules['IfThen']['then_values'] == {'q0': [-7], 'q1': [-7], 'q2': [-7]}
    assert len(found) == 2
    import sdv_threea.constraints

    for kind, parameters in rules.items():
        getattr(sdv_threea.constraints, kind)(**parameters)


def test_what_is_suggested_of_a_release_can_be_stated(metadata):
    import sdv.cag

    synthesizer = ClustMixSynthesizer(metadata, epsilon=50.0, delta=1e-5, accept='verbatim')
    table = make_stays()
    synthesizer.fit({'stays': table})
    found = suggest_constraints(synthesizer, 5000)

    assert ['town', 'country'] in found['columns'].tolist()
    again = ClustMixSynthesizer(metadata, epsilon=50.0, delta=1e-5, accept='verbatim')
    again.add_constraints(
        [
            sdv.cag.FixedCombinations(each['columns'])
            if each['constraint'] == 'FixedCombinations'
            else sdv.cag.Inequality(*each['columns'])
            for each in found.to_dict('records')
        ]
    )
    again.fit({'stays': table})
    sampled = again.sample(1000)['stays']
    pairs = set(zip(table['town'], table['country'], strict=True))
    assert set(zip(sampled['town'], sampled['country'], strict=True)) <= pairs


def test_rules_between_tables_are_suggested_with_their_arguments():
    import sdv_threea.constraints
    from sdv_threea.constraints.linked import Linked
    from sdv_threea.constraints.planning import keep_rules, plan

    metadata = make_metadata()
    linked = Linked(draw_tables(sizes=(90, 7, 600, 2000)), metadata)
    keep_rules(plan(RULES, SINGLE, metadata, ['product']), linked)
    sampling = SimpleNamespace(metadata=metadata, sample_scale=lambda: linked.tables)
    found = suggest_constraints(sampling)

    between = found[found['columns'].map(lambda names: '.' in names[0])]
    rules = [
        getattr(sdv_threea.constraints, kind)(**parameters)
        for kind, parameters in zip(between['constraint'], between['parameters'], strict=True)
    ]
    assert plan(rules[:1], [], metadata, ['product'])
    assert {repr(rule) for rule in rules} >= {
        repr(each)
        for each in (
            sdv_threea.constraints.After('line.day', 'order.day'),
            sdv_threea.constraints.SameAs('line.price', 'product.price'),
            sdv_threea.constraints.TotalOf('order.total', 'line.amount'),
            sdv_threea.constraints.ExactlyOne('line.kind', 'main', 'order'),
            sdv_threea.constraints.Ranks('order.number', 'customer', foreign_key='customer'),
        )
    }
    assert not between['parameters'].map(lambda each: each.get('foreign_key') == 'seller').any()


def test_a_date_between_two_others_and_pairs_of_keys_are_one_rule_each():
    import sdv_threea.constraints

    rng, num = np.random.default_rng(0), 300
    start = pd.Timestamp('2020-01-01') + pd.to_timedelta(rng.integers(0, 3000, 40), 'D')
    lasts = rng.integers(5, 60, 40)
    contracts = pd.DataFrame({'id': range(40), 'start': start})
    contracts['end'] = start + pd.to_timedelta(lasts, 'D')
    pairs = rng.choice(40 * 20, num, replace=False)
    stays = pd.DataFrame({'contract': pairs // 20, 'room': pairs % 20})
    within = (rng.random(num) * lasts[stays['contract']]).astype(int)
    stays['day'] = start[stays['contract']] + pd.to_timedelta(within, 'D')
    tables = {'contract': contracts, 'stay': stays, 'room': pd.DataFrame({'id': range(20)})}
    sdtypes = {'start': 'datetime', 'end': 'datetime', 'day': 'datetime'}
    about = {name: {each: sdtypes.get(each, 'id') for each in own} for name, own in tables.items()}
    metadata = describe_tables(
        about, *(('stay', name, name, 'id') for name in ('contract', 'room'))
    )
    found = suggest_constraints(SimpleNamespace(metadata=metadata, sample_scale=lambda: tables))

    found = found.set_index('constraint')['parameters']
    between = found.drop('Inequality', errors='ignore')
    assert sorted(between.index) == ['Distinct', 'Within']
    rules = [getattr(sdv_threea.constraints, kind)(**each) for kind, each in between.items()]
    assert {repr(rule) for rule in rules} == {
        repr(sdv_threea.constraints.Within('stay.day', 'contract.start', 'contract.end')),
        repr(sdv_threea.constraints.Distinct(['stay.contract', 'stay.room'])),
    }
