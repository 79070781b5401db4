"""The membership attack finds members where there is something to find, and nobody elsewhere."""

import numpy as np
import pandas as pd
import pytest
from scripts import script_fixture

SHADOWS = 20, 10


script = script_fixture('attack')


@pytest.fixture(scope='module')
def table():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(
        {
            'amount': rng.normal(size=150),
            'age': rng.integers(20, 60, 150).astype(float),
            'kind': rng.choice(['a', 'b', None], 150, p=[0.6, 0.3, 0.1]),
        }
    )
    # Three that are like nobody else, and like each other in nothing.
    rows.loc[[7, 70, 140]] = [[15.0, 99.0, 'c'], [-15.0, 0.0, 'd'], [np.nan, np.nan, 'e']]
    return rows


@pytest.fixture(scope='module')
def targets(script, table):
    return script.choose_targets(table, 3)


def test_rows_that_are_published_are_found(script, table, targets):
    found = script.attack(lambda rows: rows, table, targets, SHADOWS, seed=0)
    assert found['AUC'] == found['detected'] == 1.0
    assert found['AUC low'] == pytest.approx(1.0)


def test_rows_that_change_nothing_are_not_found(script, table, targets):
    found = script.attack(lambda _: table, table, targets, SHADOWS, seed=0)
    assert found['AUC'] == 0.5
    assert found['detected'] == pytest.approx(script.FALSE_ALARMS, abs=0.1)


def test_chance_alone_finds_nobody(script, table, targets):
    """The interval of a right attack misses one half in one of twenty; the seed is fixed."""
    rng = np.random.default_rng(1)
    draw = table.sample(frac=0.5, random_state=0)
    found = script.attack(
        lambda _: draw.sample(40, random_state=int(rng.integers(2**31))),
        table,
        targets,
        SHADOWS,
        seed=0,
    )
    assert found['AUC low'] < 0.5 < found['AUC high']


def test_each_target_is_in_half_of_the_shadows_and_all_other_rows_are_in_all(
    script, table, targets
):
    seen = []
    script.attack(lambda rows: seen.append(rows) or table, table, targets, SHADOWS, seed=0)
    assert len(seen) == sum(SHADOWS)
    rest = table.drop(index=targets).reset_index(drop=True)
    for rows in seen:
        pd.testing.assert_frame_equal(rows.iloc[: len(rest)], rest)
    members = np.array([[kind in set(rows['kind']) for kind in 'cde'] for rows in seen])
    for part in np.split(members, [SHADOWS[0]]):
        assert (part.mean(axis=0) == 0.5).all()
    # Independently: not all in, or all out, together.
    assert len(np.unique(members, axis=0)) > 2
