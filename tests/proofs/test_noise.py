"""Lemma 1 of ``docs/lab/proofs.md``: the discrete Gaussian is as private as a normal one, and the
lattice of the one door keeps to it. Each sentence has a test.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import norm

from sdv_threea.accounting import delta_from_mu
from sdv_threea.privacy.mechanism import add_noise

SCALES = [2.0, 2.5, 3.0, 8.0, 64.0, 300.0]
EPSILONS = [0.0, 0.01, 0.3, 1.0, 3.0]


def split(scale):
    """The widths ``t`` and ``r`` of the disguise."""
    return math.sqrt(scale / 4), math.sqrt(scale**2 - scale / 4)


def add_wave(x, width):
    """``W(x)``, added up."""
    whole = np.arange(-40, 41)
    return np.exp(-((whole - x[:, None] + np.round(x)[:, None]) ** 2) / (2 * width**2)).sum(axis=1)


def bound_ripple(scale):
    """The ``h`` and ``log c`` of the proof."""
    q = math.exp(-(math.pi**2) * scale / 2)
    h = 2 * q / (1 - q)
    return q, h, math.log1p(h) - math.log1p(-h)


@pytest.mark.parametrize('scale', [2.0, 3.7])
def test_integrating_the_disguise_leaves_the_discrete_gaussian(scale, law):
    """And what makes whole numbers of a shifted one shifts with it."""
    narrow, wide = split(scale)
    x = np.arange(-60, 60, 1 / 512) + 1 / 1024
    density = np.exp(-((x / wide) ** 2) / 2) * add_wave(x, narrow)
    density /= density.sum()
    exact = law(scale)
    for shift in (0, 3):
        moved = np.exp(-(((x - shift) / wide) ** 2) / 2) * add_wave(x, narrow)
        for y in range(-6, 7):
            chances = np.exp(-((y + shift - x) ** 2) / (2 * narrow**2)) / add_wave(x, narrow)
            found = (moved / moved.sum() * chances).sum()
            assert found == pytest.approx(exact.chances[exact.points == y][0], rel=1e-10)


@pytest.mark.parametrize('scale', [2.0, 2.5, 3.0])
def test_the_ripple_is_as_small_as_the_proof_says_and_no_smaller(scale):
    narrow, _ = split(scale)
    x = np.linspace(0, 1, 1001)
    wave = add_wave(x, narrow) / (narrow * math.sqrt(2 * math.pi)) - 1
    _, h, _ = bound_ripple(scale)

    assert 0.9 * h < np.abs(wave).max() <= h * (1 + 1e-9)
    assert add_wave(x + 1, narrow) == pytest.approx(add_wave(x, narrow), rel=1e-14)


def test_scores_stay_as_close_as_the_proof_says():
    scale = 2.0
    narrow, wide = split(scale)
    step = 1 / 2048
    x = np.arange(-30, 30, step)
    density = np.exp(-((x / wide) ** 2) / 2) * add_wave(x, narrow)
    sums = np.cumsum(density) - density / 2
    scores = ndtri(sums / density.sum())
    _, _, log_c = bound_ripple(scale)
    near = np.abs(x) < 5 * wide

    farthest = np.abs(scores - x / wide)[near].max()
    assert farthest <= 2.51 * log_c
    # It is no empty bound, and without the ripple there would be nothing to see.
    assert farthest > 0.02 * log_c
    assert np.abs(ndtri(norm.cdf(x / wide)) - x / wide)[near].max() < 1e-3 * farthest


def test_the_hazard_rate_of_the_normal_is_least_at_zero_and_rises():
    rates = norm.pdf(np.linspace(0, 30, 3001)) / norm.sf(np.linspace(0, 30, 3001))

    assert rates[0] == pytest.approx(math.sqrt(2 / math.pi))
    assert (np.diff(rates) > 0).all()
    assert 2 * math.sqrt(math.pi / 2) < 2.51


def test_the_arithmetic_holds_from_two_steps_on():
    for scale in [2.0, 2.01, 2.1, 3.0, 10.0, 100.0, 2.0**16, 2.0**49]:
        q, _, log_c = bound_ripple(scale)
        assert log_c <= 4.01 * q
        assert 5.02 * 4.01 <= 21
        assert 168 * scale**2 * math.exp(-(math.pi**2) * scale / 2) <= 1
        # 1 / (s - 1/4) - 1 / r, without cancellation.
        low = scale - 0.25
        gap = 0.25 / (low * math.sqrt(scale) * (math.sqrt(scale) + math.sqrt(low)))
        assert gap == pytest.approx(1 / low - 1 / split(scale)[1], abs=4e-16 / low)
        assert 21 * q <= 1 / (8 * scale**2) <= gap
    # Below, it would not: it is no triviality.
    assert 1 / split(0.5)[1] + 21 * bound_ripple(0.5)[0] > 1 / (0.5 - 0.25)


@pytest.mark.parametrize('scale', SCALES)
def test_a_step_costs_what_the_lemma_says_at_most_and_more_than_by_a_normal(script, scale):
    cost = script.find_cost(scale)

    assert cost <= 1 / (scale - 0.25)
    # By 1 / (24 s^2): with a scale of exactly 1 / mu the claim would be false.
    assert scale**2 * (scale * cost - 1) == pytest.approx(1 / 24, rel=0.03)


@pytest.mark.parametrize('scale', SCALES)
def test_no_shift_is_told_more_easily_than_the_lemma_says(scale, law, find_delta):
    for shift in {1, 2, 3, round(scale), round(5 * scale)}:
        exact = law(scale)
        apart = np.concatenate([exact.chances, np.zeros(shift)])
        moved = np.concatenate([np.zeros(shift), exact.chances])
        for epsilon in EPSILONS:
            claimed = delta_from_mu(shift / (scale - 0.25), epsilon)
            assert find_delta(apart, moved, epsilon) <= claimed * (1 + 1e-12) + 1e-15


def test_a_scale_of_exactly_the_distance_over_the_price_would_not_do(law, find_delta):
    exact = law(2.0)
    apart, moved = np.append(exact.chances, 0.0), np.append(0.0, exact.chances)
    broken = [
        epsilon
        for epsilon in np.linspace(0, 3, 61)
        if find_delta(apart, moved, epsilon) > delta_from_mu(1 / 2, epsilon) * (1 + 1e-6)
    ]
    assert broken


@pytest.mark.parametrize('scale', [2.0, 2.6])
@pytest.mark.parametrize('shift', [(1, 1), (1, -2), (3, 0), (1, 1, 1), (2, 1, -1)])
def test_vectors_cost_by_their_length(scale, shift, law, find_delta):
    exact = law(scale, reach=5.0 if len(shift) == 3 else 12.0)
    missing = 1e-5 if len(shift) == 3 else 1e-15
    pairs = []
    for k in shift:
        room = np.zeros(abs(k))
        pair = np.append(exact.chances, room), np.append(room, exact.chances)
        pairs.append(pair if k >= 0 else pair[::-1])
    ours, theirs = (
        np.prod(np.meshgrid(*laws, indexing='ij'), axis=0) for laws in zip(*pairs, strict=True)
    )
    length = math.hypot(*shift)
    for epsilon in EPSILONS:
        found = find_delta(ours, theirs, epsilon)
        assert found <= delta_from_mu(length / (scale - 0.25), epsilon) + missing
        # Nor is it much less: their coordinates do not cost less together than alone.
        assert found >= 0.8 * delta_from_mu(length / scale, epsilon) - missing


class Keeping:
    """Silence that keeps the scale it was asked for."""

    def __call__(self, size, scale):
        self.scale = scale
        return np.zeros(size, dtype=np.int64)


def find_lattice(sensitivity, mu):
    """The scale that is drawn from, in steps, and the steps per whole number."""
    noise = Keeping()
    _, receipt = add_noise(
        np.zeros(1, dtype=np.int64),
        sensitivity=sensitivity,
        mu=mu,
        stage='s',
        released='r',
        noise=noise,
    )
    return int(noise.scale), round(noise.scale / receipt.noise_scale)


def list_prices():
    """Prices whose quotients lie just beside whole numbers of steps, and extreme ones."""
    rng = np.random.default_rng(0)
    for whole in [1, 2, 3, 2**16, 2**16 + 1, 3 * 2**15 + 1, 10**6 + 3, 2**40 + 1, 2**48 + 1]:
        price = 1 / whole
        yield from (price, math.nextafter(price, 0), math.nextafter(price, 1))
    yield from (1e-9, 1e-14, 0.3, 7.0, 1e4, 1e8, 2.0**24, 1e9, 1e13, 1e30)
    yield from np.exp(rng.uniform(-30, 30, 500)).tolist()


@pytest.mark.parametrize('squared', [1, 2, 3, 15, 1237])
def test_the_lattice_is_wide_enough_in_exact_arithmetic(squared):
    short = 0
    for mu in list_prices():
        if math.sqrt(squared) / mu >= 2**49:  # beyond, the margin of the budget has to do
            continue
        scale, steps = find_lattice(math.sqrt(squared), mu)
        needed = squared * Fraction(steps) ** 2
        assert scale >= 2
        assert math.log2(steps) == int(math.log2(steps))
        # (s - 1/4) mu >= d n, squared, where d is the root and not the float beside it.
        assert ((scale - Fraction(1, 4)) * Fraction(mu)) ** 2 >= needed
        short += ((scale - 1) * Fraction(mu)) ** 2 < needed
    # Without the last step, rounding would leave it too narrow here and there.
    assert short or squared != 1


@pytest.mark.parametrize('mu', [1e8, 1e13, 1e30])
def test_however_large_the_budget_there_are_two_steps_of_noise(mu):
    scale, steps = find_lattice(1.0, mu)

    assert (scale >= 2, steps) == (True, 2**40)


def test_all_shifts_of_the_door_are_whole_steps():
    """Values half a lattice step apart cannot be: what goes in is whole, and steps divide it."""
    for mu, (first, second) in itertools.product([0.01, 1.0, 40.0], [(0, 1), (5, -3)]):
        _, steps = find_lattice(1.0, mu)
        answers = [
            add_noise(
                np.array([value]),
                sensitivity=9.0,
                mu=9 * mu,
                stage='s',
                released='r',
                noise=lambda size, scale, drawn=drawn: np.array([drawn]),
            )[0][0]
            for value, drawn in ((first, 0), (second, (first - second) * steps))
        ]
        assert answers[0] == answers[1]
