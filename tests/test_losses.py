"""What a release says that it has lost: from released numbers alone, and of every loss."""

import numpy as np
import pandas as pd
import pytest
from chance import draw_from

from sdv_threea.domain import MISSING, Category, Domain, Number
from sdv_threea.losses import CONSTANT, EMPTY, NOTHING, RANGE, SURE, VALUES, Loss, Share, make_share
from sdv_threea.pipeline import release
from sdv_threea.settings import Settings


def release_table(table, domain, seed=0, **settings):
    """Release a table with seeded noise, and return its losses by column."""
    chance = np.random.default_rng(seed)
    terms = {'noise': draw_from(chance), 'rng': chance}
    released = release(table, domain, Settings(**settings), **terms)
    return {each.column: each for each in released.losses}


def describe_all(table, target=None, unreleased=MISSING):
    columns = [
        Category(name=name, unreleased=unreleased if name != target else 'spread')
        if table[name].dtype == object
        else Number(name=name)
        for name in table
    ]
    return Domain(tuple(columns), target)


def make_table(num_rows, rng):
    return pd.DataFrame(
        {
            'number': rng.normal(50, 10, num_rows).round(),
            'letter': rng.choice(list('ab'), num_rows).astype(object),
            'rare': np.array([f'value {at}' for at in range(num_rows)], dtype=object),
            'same': np.full(num_rows, 7.0),
            'label': rng.choice(['no', 'yes'], num_rows, p=[0.7, 0.3]).astype(object),
        }
    )


def test_an_interval_misses_hardly_ever_and_stays_between_nothing_and_all(rng):
    found = [make_share(0.04 + noise, 0.01) for noise in rng.normal(0, 0.01, 20_000)]

    assert np.mean([not each.at_least <= 0.04 <= each.at_most for each in found]) < 0.006
    assert make_share(-5.0, 0.1) == Share(0.0, 0.0, pytest.approx(SURE * 0.1))
    assert make_share(2.0, 0.1) == Share(1.0, 1.0, 1.0)
    assert str(Share(0.25, 0.2, 0.301)) == '25.0% (20.0% to 30.1%)'


def test_each_column_has_its_loss(rng):
    table = make_table(3000, rng)
    found = release_table(table, describe_all(table, 'label'), epsilon=2.0)

    assert list(found) == list(table)
    assert found['number'].kind == RANGE
    assert -100 < found['number'].ends[0] < 48 < 52 < found['number'].ends[1] < 200
    assert found['letter'].kind == VALUES
    assert found['letter'].listed == ('a', 'b')
    assert found['rare'].kind == EMPTY
    assert found['rare'].share.at_most == 1.0
    assert found['same'].kind in (CONSTANT, RANGE)
    assert found['same'].ends[0] <= 7.0 <= found['same'].ends[1]
    assert found['label'].is_target
    assert found['label'].listed == ('no', 'yes')
    assert found['label'].share.at_most < 0.2
    assert all(each.said for each in found.values())


@pytest.mark.parametrize('unreleased', [MISSING, 'spread'])
def test_the_share_of_values_that_are_not_released_is_known(rng, unreleased):
    values = ['common', *(f'value {at}' for at in range(300))]
    shares = [0.7, *[0.3 / 300] * 300]
    table = pd.DataFrame({'x': rng.choice(values, 10_000, p=shares).astype(object)})
    loss = release_table(table, describe_all(table, unreleased=unreleased))['x']

    others = (table['x'] != 'common').mean()
    noise = (loss.share.at_most - loss.share.share) / SURE
    assert loss.listed == ('common',)
    # Five standard deviations of the noise.
    assert abs(loss.share.share - others) < 5 * noise
    assert loss.share.at_most - loss.share.at_least < 0.1
    assert loss.kind == (VALUES if unreleased == MISSING else CONSTANT)


def test_stated_values_that_noise_hides_all_occur(rng):
    values = [f'value {at}' for at in range(60)]
    table = pd.DataFrame({'x': rng.choice(values, 300).astype(object)})
    domain = Domain((Category(name='x', values=tuple(values), nullable=False),))
    loss = release_table(table, domain, epsilon=0.2)['x']

    assert loss.listed == tuple(values)
    assert loss.kind == NOTHING


@pytest.mark.parametrize(
    ('instead', 'said'),
    [('spread', 'released ones instead.'), (MISSING, 'them as missing.'), ('Other', "as 'Other'.")],
)
def test_the_sentence_names_what_samples_show_instead(instead, said):
    share = Share(0.1, 0.05, 0.15)
    loss = Loss(column='x', kind=VALUES, stated=(), share=share, instead=instead)
    assert loss.said.endswith(said)
