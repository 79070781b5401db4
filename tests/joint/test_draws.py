"""Draws from a chain: they have its law, given what is known, and are the same each time."""

import numpy as np
from laws import (
    ROWS,
    SHAPE,
    count,
    distance,
    enumerate_chain,
    fit,
    has_law,
    make_joint,
)

from sdv_threea.joint import chain as room
from sdv_threea.joint.inside import fill_evenly


def test_places_are_uniform_and_spread_evenly_over_rows_that_are_alike(rng):
    keys = [rng.integers(0, 3, 9_000), rng.integers(0, 3, 9_000)]

    places = fill_evenly(keys, rng, 9_000)

    assert places.min() >= 0
    assert places.max() < 1
    for code in range(9):
        alike = np.sort(places[(keys[0] == code // 3) & (keys[1] == code % 3)])
        # Of 1,000 independent numbers, the largest gap is about 7 times the mean.
        assert np.diff(alike).max() < 3.5 / len(alike)
    firsts = [fill_evenly([], rng, 3)[0] for _ in range(2_000)]
    assert np.histogram(firsts, 10, (0, 1))[0].min() > 100


def test_drawn_records_have_the_law_of_the_chain(rng):
    chain = fit(make_joint(rng))

    drawn = chain.draw(ROWS, rng)

    assert has_law(count(drawn, SHAPE), enumerate_chain(chain, SHAPE))


def test_columns_that_are_known_stay_and_the_others_have_their_law_given_them(rng):
    joint, first, second = make_joint(rng), 2, 0
    chain = fit(joint, (first, second, 3, 1))
    known = {first: rng.integers(0, 5, ROWS), second: rng.integers(0, 3, ROWS)}

    drawn = chain.draw(ROWS, rng, known)

    law = enumerate_chain(chain, SHAPE)
    given = law / law.sum(axis=(1, 3), keepdims=True)
    shown = count(np.stack([known[second], known[first]], axis=1), (3, 5)).reshape(3, 1, 5, 1)
    assert np.array_equal(drawn[:, first], known[first])
    assert np.array_equal(drawn[:, second], known[second])
    assert has_law(count(drawn, SHAPE), given * shown)
    true = joint / joint.sum(axis=(1, 3), keepdims=True)
    assert distance(given * shown, true * shown) / ROWS < 0.08


def test_a_large_draw_is_one_of_blocks_after_each_other(rng, monkeypatch):
    chain, known = fit(make_joint(rng)), rng.integers(0, 3, 2_500)
    monkeypatch.setattr(room, 'BLOCK', 1_000)

    whole = chain.draw(2_500, np.random.default_rng(7), {0: known})

    source = np.random.default_rng(7)
    parts = [chain.draw(len(each), source, {0: each}) for each in np.split(known, [1_000, 2_000])]
    assert np.array_equal(whole, np.concatenate(parts))
