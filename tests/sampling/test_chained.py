"""Draws from a joint density, against brute force: draw everything, keep what meets conditions."""

from itertools import combinations

import numpy as np
import pytest

from sdv_threea.joint.chain import Column, fit_chain
from sdv_threea.joint.density import Joint
from sdv_threea.joint.joint_constants import JointConstants
from sdv_threea.sampling import chained as room
from sdv_threea.sampling.asked import CodeCondition, RowConditions
from sdv_threea.sampling.chained import Chained

CONSTANTS = JointConstants()
NUM_ROWS = 30_000
TOTALS = np.array([1_000.0])

#: Codes of three columns: two in each bin of the first.
BINS = (np.arange(6) // 2, np.arange(3), np.arange(4))


@pytest.fixture(scope='module')
def joint():
    rng = np.random.default_rng(3)
    law = rng.gamma(0.7, size=(3, 3, 4))
    law /= law.sum()
    tables = {(0, 1): law.sum(axis=2), (0, 2): law.sum(axis=1), (1, 2): law.sum(axis=0)}
    margins = [law.sum(axis=(1, 2)), law.sum(axis=(0, 2)), law.sum(axis=(0, 1))]
    fine = np.repeat(margins[0], 2) * np.array([0.3, 0.7] * 3)
    histograms = (fine, *margins[1:])
    columns = tuple(
        Column(own, shares[None], margin)
        for own, shares, margin in zip(BINS, histograms, margins, strict=True)
    )
    chain = fit_chain(columns, tables, {}, [0, 1, 2], CONSTANTS, rng)
    return Joint(columns, tables, {}, (True, False, False), chain, CONSTANTS)


def allow(**columns):
    """The codes that may occur, by column."""
    masks = {}
    for name, codes in columns.items():
        at = int(name[1:])
        masks[at] = np.zeros((1, len(BINS[at])), dtype=bool)
        masks[at][0, codes] = True
    return masks


def draw(joint, num_rows, rng, possible=None):
    """Draw rows that all may have the same codes."""
    asked = {
        at: CodeCondition(np.full(num_rows, -1), mask, np.ones_like(mask))
        for at, mask in (possible or {}).items()
    }
    given = RowConditions(asked, np.ones((num_rows, 1), dtype=bool)) if asked else None
    return Chained(joint, TOTALS).draw(num_rows, rng, given)


def meets(codes, possible):
    return np.all([mask[0, codes[:, at]] for at, mask in possible.items()], axis=0)


def measure(codes):
    found = np.zeros([len(bins) for bins in BINS])
    np.add.at(found, tuple(codes.T), 1 / len(codes))
    return found


def distance(one, other):
    return np.abs(one - other).sum() / 2


def test_large_samples_are_drawn_pool_by_pool(joint, rng, monkeypatch):
    monkeypatch.setattr(room, 'MOST_ROWS', 1_000)
    possible = allow(c0=[0, 3, 4], c2=[1, 2])

    codes, _ = draw(joint, 2_500, rng, possible)

    assert len(codes) == 2_500
    assert meets(codes, possible).all()


@pytest.mark.parametrize(
    'columns', [{0: 1, 1: 2}, {0: 3}, {0: [0, 3, 4], 2: 1}, {0: [0, 2], 1: 1, 2: [0, 3]}], ids=str
)
def test_each_row_has_the_law_of_its_own_condition(joint, columns):
    """Every other row asks for something else, each time another code."""
    possible = allow(**{f'c{at}': codes for at, codes in columns.items()})
    mine, asked = np.arange(NUM_ROWS) % 2 == 0, {}
    for at, codes in columns.items():
        own = np.arange(NUM_ROWS) // 2 % len(BINS[at])
        own[mine] = codes if isinstance(codes, int) else -1
        asked[at] = CodeCondition(own, possible[at], np.ones_like(possible[at]))
    all_rows, _ = draw(joint, 20 * NUM_ROWS, np.random.default_rng(1))

    given = RowConditions(asked, np.ones((NUM_ROWS, 1), dtype=bool))
    codes, _ = Chained(joint, TOTALS).draw(NUM_ROWS, np.random.default_rng(2), given)

    for at, own in asked.items():
        assert np.array_equal(codes[~mine, at], own.codes[~mine])
    assert meets(codes[mine], possible).all()
    kept = all_rows[meets(all_rows, possible)]
    assert distance(measure(codes[mine]), measure(kept)) < 0.06


# Columns that follow from others


def allow_codes(sizes, **columns):
    masks = {int(name[1:]): np.zeros((1, size), dtype=bool) for name, size in sizes.items()}
    for name, codes in columns.items():
        masks[int(name[1:])][0, codes] = True
    return {at: mask for at, mask in masks.items() if mask.any()}


@pytest.fixture(scope='module')
def places():
    """Twelve codes, each with a name, in four places, in two zones; and a column beside them."""
    rng = np.random.default_rng(5)
    names, place, zone = rng.permutation(12), np.arange(12) % 4, np.arange(4) // 2
    shares = rng.dirichlet(np.full(12, 5.0))
    of_name = np.empty(12, dtype=np.int64)
    of_name[names] = place
    bins = (np.arange(12) // 4, np.arange(12) // 3, np.arange(4), np.arange(2), np.arange(3))
    codes = np.stack([np.arange(12), names, of_name[names], zone[of_name[names]]])
    law = shares[:, None] * rng.dirichlet(np.ones(3), 2)[codes[3]]
    rows = np.column_stack([np.repeat(codes, 3, axis=1).T, np.tile(np.arange(3), 12)])

    def count(*columns, of_code=None):
        found = [rows[:, at] if of_code is None else of_code[at][rows[:, at]] for at in columns]
        sizes = [len(bins[at]) if of_code is None else bins[at].max() + 1 for at in columns]
        table = np.zeros(sizes)
        np.add.at(table, tuple(found), law.ravel())
        return table

    functions = {pair: count(*pair) for pair in ((0, 1), (1, 2), (2, 3))}
    tables = {pair: count(*pair, of_code=bins) for pair in combinations(range(5), 2)}
    columns = tuple(
        Column(own, count(at)[None], count(at, of_code=bins)) for at, own in enumerate(bins)
    )
    chain = fit_chain(columns, tables, functions, [0, 1, 2, 3, 4], CONSTANTS, rng)
    made = Joint(columns, tables, functions, (False,) * 5, chain, CONSTANTS)
    return made, names, of_name, zone


@pytest.mark.parametrize(
    'columns',
    [
        {},
        {'c3': [1]},
        {'c1': [2, 5, 7]},
        {'c0': [0, 1, 2, 3, 4, 5], 'c3': [0]},
        {'c3': [1], 'c1': [0, 1, 2, 3, 8, 9]},
        {'c4': [0, 2], 'c2': [1, 2], 'c0': [1, 2, 5, 6, 11]},
    ],
)
def test_what_follows_from_another_does_so_under_any_condition(places, columns):
    """Also where the first and the last column of a chain are conditioned, and none between."""
    joint, names, of_name, zone = places
    possible = allow_codes({'c0': 12, 'c1': 12, 'c2': 4, 'c3': 2, 'c4': 3}, **columns)

    codes, _ = draw(joint, NUM_ROWS, np.random.default_rng(2), possible)
    all_rows, _ = draw(joint, 20 * NUM_ROWS, np.random.default_rng(1))

    kept = all_rows
    for at, mask in possible.items():
        assert mask[0, codes[:, at]].all()
        kept = kept[mask[0, kept[:, at]]]
    assert np.array_equal(names[codes[:, 0]], codes[:, 1])
    assert np.array_equal(of_name[codes[:, 1]], codes[:, 2])
    assert np.array_equal(zone[codes[:, 2]], codes[:, 3])
    for at in range(5):
        found, expected = (np.bincount(each[:, at], minlength=12) for each in (codes, kept))
        assert distance(found / len(codes), expected / len(kept)) < 0.03
