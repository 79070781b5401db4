"""Draws from a joint density, against brute force: draw everything, keep what meets conditions."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_threea.joint.chain import fit_chain
from sdv_threea.joint.constants import JointConstants
from sdv_threea.joint.density import Joint
from sdv_threea.sampling import joint as room
from sdv_threea.sampling.conditional import ImpossibleCondition
from sdv_threea.sampling.joint import draw_inside, draw_jointly

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
    histograms = tuple(each[None] for each in (fine, *margins[1:]))
    counts = [1_000 * each for each in margins]
    chain = fit_chain(counts, tables, [0, 1, 2], CONSTANTS, rng)
    return Joint(BINS, histograms, tuple(counts), tables, chain, CONSTANTS)


def allow(**columns):
    """The codes that may occur, by column."""
    masks = {}
    for name, codes in columns.items():
        at = int(name[1:])
        masks[at] = np.zeros((1, len(BINS[at])), dtype=bool)
        masks[at][0, codes] = True
    return masks


def meets(codes, possible):
    return np.all([mask[0, codes[:, at]] for at, mask in possible.items()], axis=0)


def measure(codes):
    found = np.zeros([len(bins) for bins in BINS])
    np.add.at(found, tuple(codes.T), 1 / len(codes))
    return found


def distance(one, other):
    return np.abs(one - other).sum() / 2


@pytest.mark.parametrize(
    ('possible', 'close'),
    [
        (allow(c0=[1]), 0.03),
        (allow(c1=[0, 2]), 0.03),
        (allow(c0=[0, 3, 4], c2=[1, 2]), 0.04),
        (allow(c0=[0, 2], c1=[1, 2], c2=[0, 3]), 0.05),
    ],
)
def test_rows_that_meet_conditions_have_the_law_of_those_that_happen_to(joint, possible, close):
    all_rows, _ = draw_jointly(joint, TOTALS, 20 * NUM_ROWS, np.random.default_rng(1))

    codes, classes = draw_jointly(joint, TOTALS, NUM_ROWS, np.random.default_rng(2), possible)

    assert meets(codes, possible).all()
    assert (classes == 0).all()
    assert distance(measure(codes), measure(all_rows[meets(all_rows, possible)])) < close


def test_conditions_that_have_no_probability_are_refused(joint):
    with pytest.raises(ImpossibleCondition):
        draw_jointly(joint, TOTALS, 10, np.random.default_rng(1), allow(c0=[]))


@pytest.mark.parametrize('num_rows', [0, 1, 7])
def test_a_few_rows_can_be_drawn(joint, rng, num_rows):
    possible = allow(c0=[0, 3, 4], c2=[1, 2])

    codes, classes = draw_jointly(joint, TOTALS, num_rows, rng, possible)

    assert codes.shape == (num_rows, 3)
    assert classes.shape == (num_rows,)
    assert num_rows == 0 or meets(codes, possible).all()


def test_large_samples_are_drawn_pool_by_pool(joint, rng, monkeypatch):
    monkeypatch.setattr(room, 'MOST_ROWS', 1_000)
    possible = allow(c0=[0, 3, 4], c2=[1, 2])

    codes, _ = draw_jointly(joint, TOTALS, 2_500, rng, possible)

    assert len(codes) == 2_500
    assert meets(codes, possible).all()


# Inside a bin


def test_codes_are_as_frequent_as_their_weights_in_the_bin(rng):
    weights = np.array([[1.0, 3.0, 0.0, 2.0, 2.0], [1.0, 0.0, 1.0, 0.0, 0.0]])
    of_code = np.array([0, 0, 0, 1, -1])
    bins, classes = np.zeros(20_000, dtype=np.int64), np.arange(20_000) % 2

    codes = draw_inside(weights, of_code, classes, bins, rng)

    for label, expected in enumerate([[0.25, 0.75, 0, 0, 0], [0.5, 0, 0.5, 0, 0]]):
        shares = np.bincount(codes[classes == label], minlength=5) / 10_000
        assert shares == pytest.approx(np.array(expected), abs=0.015)


def test_a_bin_that_a_class_gives_no_weight_is_drawn_as_in_all_of_them(rng):
    weights = np.array([[0.0, 0.0, 1.0, 0.0], [1.0, 3.0, 0.0, 0.0]])
    of_code = np.array([0, 0, 1, 2])
    bins = np.zeros(8_000, dtype=np.int64)

    codes = draw_inside(weights, of_code, np.zeros_like(bins), bins, rng)

    assert np.bincount(codes, minlength=4) / 8_000 == pytest.approx([0.25, 0.75, 0, 0], abs=0.01)
    assert draw_inside(weights, of_code, np.zeros(5, int), np.full(5, 2), rng).tolist() == [3] * 5


def test_codes_are_always_of_their_bin_and_of_positive_weight(rng):
    for _ in range(200):
        size, num_classes = int(rng.integers(1, 30)), int(rng.integers(1, 4))
        of_code = np.sort(rng.integers(0, rng.integers(1, size + 1), size))
        of_code = np.unique(of_code, return_inverse=True)[1]
        weights = rng.exponential(size=(num_classes, size)) ** 9
        weights[rng.random(weights.shape) < 0.4] = 0
        bins = rng.integers(0, of_code.max() + 1, 300)
        classes = rng.integers(0, num_classes, 300)

        codes = draw_inside(weights, of_code, classes, bins, rng)

        assert np.array_equal(of_code[codes], bins)
        given = np.array(
            [weights[c][of_code == b].sum() for c, b in zip(classes, bins, strict=True)]
        )
        assert (weights[classes, codes][given > 0] > 0).all()
