import math
import os
import random
import subprocess
import sys
import tracemalloc
from fractions import Fraction

import numpy as np
import opendp.prelude as opendp
import pytest
from scipy import stats

from sdv_threea.privacy import discrete
from sdv_threea.privacy.discrete import LARGEST_SCALE, MARGIN, discrete_gaussian

#: Chance that a statistical test fails although the draws are right: there are 43, so one of all
#: fails in ten million runs. What is wrong on purpose is further off than chance can hide.
LEVEL = 1e-9

#: Scales at which strips are one integer wide, fill half and all of their range, are many integers
#: wide, and are as wide as can be; rational numbers too.
SCALES = [0.3, 1, 1.5, 2, 3, 17, 31.9, 64, 1000.1, 2**16 + 1, 2**40, 2**52 + 1, LARGEST_SCALE - 1]


def invert_exp(exponent):
    """``exp(-exponent)`` of a fraction to 90 digits, from its series in whole numbers."""
    total = term = 1 << 300
    order = 0
    while term:
        order += 1
        term = term * exponent.numerator // (exponent.denominator * order)
        total += term
    return Fraction((1 << 900) // total, 1 << 600)


def weigh(value, scale):
    return invert_exp((value / Fraction(scale)) ** 2 / 2)


def test_the_series_is_right():
    assert float(invert_exp(Fraction(0))) == 1
    assert float(invert_exp(Fraction(7, 3))) == pytest.approx(math.exp(-7 / 3), rel=1e-15)
    assert invert_exp(Fraction(5)) * invert_exp(Fraction(8)) == pytest.approx(
        invert_exp(Fraction(13)), rel=1e-30
    )


def fit(draws, scale):
    """The p-value of draws at a small scale, by chi-square; cells expect 200 draws or more."""
    reach = math.ceil(9 * scale)
    values = np.arange(-reach, reach + 1)
    weights = np.array([float(weigh(value, scale)) for value in values.tolist()])
    expected = weights / weights.sum() * draws.size
    low, high = values[expected >= 200][[0, -1]]
    cells = np.clip(values, low, high) - low
    counts = np.bincount(np.clip(draws, low, high) - low, minlength=high - low + 1)
    return stats.chisquare(counts, np.bincount(cells, expected)).pvalue


@pytest.mark.parametrize('scale', [0.4, 1.5, 3, 40])
def test_small_scales_have_the_exact_distribution_and_no_other(scale):
    draws = discrete_gaussian(400_000, scale)

    assert fit(draws, scale) > LEVEL
    assert fit(draws, 1.05 * scale) < LEVEL
    assert fit(draws + math.ceil(scale / 10), scale) < LEVEL


@pytest.mark.parametrize('scale', [1, 17])
def test_exact_arithmetic_alone_gives_the_same_distribution(scale, monkeypatch):
    monkeypatch.setattr(discrete, 'MARGIN', 2.0**33)

    draws = discrete_gaussian(15_000, scale)

    assert fit(draws, scale) > LEVEL
    assert fit(draws, 1.2 * scale) < LEVEL


@pytest.mark.parametrize('scale', [2**16 + 1, 3 * 2**15 + 0.7, LARGEST_SCALE - 1])
def test_large_scales_are_normal_as_far_as_can_be_seen(scale):
    draws = discrete_gaussian(200_000, scale) / scale

    assert stats.kstest(draws, stats.norm.cdf).pvalue > LEVEL
    assert stats.kstest(1.1 * draws, stats.norm.cdf).pvalue < LEVEL
    assert stats.kstest(0.05 + draws, stats.norm.cdf).pvalue < LEVEL


@pytest.mark.parametrize('scale', [2**16, 2**52 + 1])
def test_low_bits_of_large_scales_are_uniform(scale):
    draws = discrete_gaussian(200_000, scale)

    for low in (0, scale.bit_length() // 2 - 4, scale.bit_length() - 12):
        counts = np.bincount((draws >> low) & 255, minlength=256)
        assert stats.chisquare(counts).pvalue > LEVEL


def draw_of_opendp(size, scale):
    opendp.enable_features('contrib')
    space = opendp.vector_domain(opendp.atom_domain(T='i64')), opendp.l2_distance(T=float)
    return np.array(opendp.m.make_gaussian(*space, scale=float(scale))([0] * size))


@pytest.mark.parametrize('scale', [1, 17])
def test_draws_are_distributed_as_those_of_opendp(scale):
    ours, theirs = discrete_gaussian(200_000, scale), draw_of_opendp(40_000, scale)

    def compare(ours):
        ends = np.percentile(theirs, [0.5, 99.5]).astype(int)
        counts = [
            np.bincount(np.clip(draws, *ends) - ends[0], minlength=ends[1] - ends[0] + 1)
            for draws in (ours, theirs)
        ]
        return stats.chi2_contingency(counts).pvalue

    assert compare(ours) > LEVEL
    assert compare(discrete_gaussian(200_000, 1.1 * scale)) < LEVEL


def test_large_draws_are_distributed_as_those_of_opendp():
    scale = 2**40
    ours, theirs = discrete_gaussian(200_000, scale), draw_of_opendp(40_000, scale)

    assert stats.ks_2samp(ours, theirs).pvalue > LEVEL
    assert stats.ks_2samp(1.2 * ours, theirs).pvalue < LEVEL


def test_draws_do_not_depend_on_each_other():
    draws = discrete_gaussian(400_000, 2**16) / 2**16

    for series in (draws, draws**2, np.sign(draws)):
        for lag in (1, 2, discrete.BATCH):
            correlation = np.corrcoef(series[lag:], series[:-lag])[0, 1]
            assert abs(correlation) * math.sqrt(draws.size - lag) < stats.norm.isf(LEVEL / 2)


@pytest.mark.parametrize('scale', SCALES)
def test_steps_are_above_the_curve_and_use_up_the_lots(scale):
    stairs = discrete._build(float(scale))
    count = len(stairs.steps)

    for strip, step in enumerate(stairs.steps.tolist()):
        assert step >= stairs.unit * weigh(strip << stairs.shift, scale)
    # One lap makes up for the one lot that it takes.
    assert weigh(count << stairs.shift, scale) * 2**discrete.LOT_BITS <= 1
    assert np.bincount(stairs.lots).tolist() == [*stairs.steps.tolist(), 1]
    assert len(stairs.lots) == 2**discrete.LOT_BITS
    assert 0 <= stairs.shift <= 63 - discrete.LOT_BITS


@pytest.mark.parametrize('scale', [0.3, 1, 17, 64, 70.2])
def test_a_trial_yields_each_integer_in_proportion_to_the_curve(scale, monkeypatch):
    """The proof's sum, over all that a trial can do in three laps."""
    stairs, asked = discrete._build(float(scale)), {}
    count, width = len(stairs.steps), 1 << stairs.shift
    first_lots = np.cumsum(stairs.steps) - stairs.steps

    def note(leading, factor, exponent):
        asked['chance'] = factor * invert_exp(exponent)
        return True

    monkeypatch.setattr(discrete, '_is_below', note)
    yields = {}
    for laps in range(3):
        for strip, lot in enumerate(first_lots.tolist()):
            for place in range(width):
                for side in (0, -1):
                    later = iter([2**discrete.LOT_BITS - 1] * (laps - 1) + [lot])
                    monkeypatch.setattr(
                        discrete.secrets, 'randbits', lambda _, left=later: next(left)
                    )
                    start = 2**discrete.LOT_BITS - 1 if laps else lot
                    free = random.Random(place).getrandbits(47 - stairs.shift) << stairs.shift
                    body = (free | place) << discrete.LOT_BITS | start
                    value, _ = discrete._settle(stairs, body - (2**63 if side else 0), 0)
                    proposed = Fraction(int(stairs.steps[strip]), 2 * width << 16 * (laps + 1))
                    assert value not in yields
                    assert asked['chance'] <= 1
                    yields[value] = proposed * asked['chance']

    bound = 3 * count * width
    assert sorted(yields) == list(range(-bound, bound))
    for value, chance in yields.items():
        assert chance == pytest.approx(yields[0] * weigh(value, scale), rel=1e-30)


@pytest.mark.parametrize('scale', SCALES)
def test_floats_are_as_right_as_the_proof_needs_and_much_better(scale):
    stairs = discrete._build(float(scale))
    rng = np.random.default_rng(7)
    edges = 2**stairs.shift - 1
    words = rng.integers(-(2**63), 2**63, size=1000)
    words[::4] |= edges << discrete.LOT_BITS
    words[1::4] &= ~(edges << discrete.LOT_BITS)
    words &= ~1  # not the last lot
    words[:600] = (words[:600] & -(2**16)) | rng.integers(0, 2**16 - 1, size=600)
    strips = stairs.lots[words & (2**discrete.LOT_BITS - 1)]
    strips[:400] = rng.integers(0, len(stairs.steps), size=400)  # rare strips as often as others
    proposed = discrete._place(words, strips, stairs.shift)

    for strip, value, found in zip(
        strips.tolist(), proposed.tolist(), discrete._weigh(stairs, strips, proposed), strict=True
    ):
        exact = Fraction(stairs.unit, int(stairs.steps[strip])) * weigh(value, scale)
        assert 0 <= exact <= 1
        assert abs(Fraction(float(found)) / 2**discrete.LEADING_BITS - exact) < Fraction(1, 2**46)


def test_beyond_the_strips_floats_never_decide():
    stairs = discrete._build(3.0)
    beyond = np.array([len(stairs.steps)])

    assert np.isnan(discrete._weigh(stairs, beyond, np.array([100]))).all()


def test_beyond_the_strips_there_are_as_many_draws_as_there_should_be(monkeypatch):
    """With fewer lots the last one comes often, and the strips end at 2.5 scales."""
    monkeypatch.setattr(discrete, 'LOT_BITS', 4)
    monkeypatch.setattr(discrete, 'REACH', 2.36)
    assert len(discrete._build(2.0).steps) == 5

    draws = discrete_gaussian(40_000, 2.0)

    assert fit(draws, 2.0) > LEVEL
    assert np.count_nonzero(np.abs(draws) > 5) > 120  # half of what to expect


@pytest.mark.parametrize(
    'exponent',
    [Fraction(x) for x in ('0', '25/2', '8/7', '100/3', '200/3')] + [Fraction(1, 2**108)],
)
@pytest.mark.parametrize('digits', [20, 64])
def test_bounds_of_the_exponential_hold_and_are_close(exponent, digits):
    low, high = discrete._enclose(exponent, digits)

    assert low < invert_exp(exponent) < high
    assert high - low < Fraction(100, 10**digits) * high * (1 + exponent)


@pytest.mark.parametrize('distance', [-1, 0, 1])
def test_what_is_in_doubt_is_settled_by_further_bits(distance, monkeypatch):
    """Only where the bits of the uniform number are those of the probability do more decide."""
    chance = invert_exp(Fraction(1, 3)) * Fraction(5, 6)
    bits = int(chance * 2**96)
    asked = [bits >> 32 & 2**32 - 1, (bits & 2**32 - 1) + distance, 0]
    monkeypatch.setattr(discrete.secrets, 'randbits', lambda _: asked.pop(0))

    below = discrete._is_below(bits >> 64, Fraction(5, 6), Fraction(1, 3))

    assert below == (distance <= 0)
    assert len(asked) == (0 if distance == 0 else 1)


@pytest.mark.parametrize(('leading', 'below'), [(0, True), (2**31 - 1, True), (2**31, False)])
def test_clear_cases_need_no_more_bits_than_asked_for_first(leading, below):
    assert discrete._is_below(leading, Fraction(1, 2), Fraction(0)) == below


@pytest.mark.parametrize('excess', [-MARGIN, -1.0, 0.0, 1.0, MARGIN])
def test_floats_decide_nothing_that_is_close(excess, monkeypatch):
    settled = []

    def settle(stairs, word, leading):
        settled.append(leading)
        return 12345, True

    monkeypatch.setattr(discrete, '_settle', settle)
    monkeypatch.setattr(discrete.os, 'urandom', bytes)
    monkeypatch.setattr(discrete, '_weigh', lambda stairs, strips, _: np.full(strips.shape, excess))

    assert discrete_gaussian(3, 17).tolist() == [12345] * 3
    assert settled == [0] * 3


@pytest.mark.parametrize(('excess', 'kept'), [(-(2.0**32), 0), (-2.5, 0), (2.5, 3), (2.0**32, 3)])
def test_floats_decide_what_is_clear(excess, kept, monkeypatch):
    monkeypatch.setattr(discrete.os, 'urandom', bytes)
    monkeypatch.setattr(discrete, '_settle', None)
    monkeypatch.setattr(discrete, '_weigh', lambda stairs, strips, _: np.full(strips.shape, excess))

    assert discrete._try(discrete._build(17.0), 3).tolist() == [0] * kept


def test_all_chance_is_the_operating_systems(monkeypatch):
    def replay(seed):
        source = random.Random(seed)
        monkeypatch.setattr(discrete.os, 'urandom', source.randbytes)
        return discrete_gaussian(1000, 2**16).tolist()

    assert replay(1) == replay(1) != replay(2)


def test_no_seed_repeats_a_draw():
    def draw():
        np.random.seed(73251)  # noqa: NPY002 (the seed that SDV sets)
        random.seed(73251)
        return discrete_gaussian(8, 2**40)

    assert not np.any(draw() == draw())


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='this system cannot fork')
def test_forked_processes_draw_noise_of_their_own():
    program = (
        'import os\n'
        'from sdv_threea.privacy.discrete import discrete_gaussian\n'
        'discrete_gaussian(8, 2**40)\n'
        'child = os.fork()\n'
        'child and os.waitpid(child, 0)\n'
        'print(*discrete_gaussian(8, 2**40))\n'
    )
    done = subprocess.run(
        [sys.executable, '-c', program], capture_output=True, text=True, check=True
    )
    drawn = done.stdout.split()

    assert len(drawn) == len(set(drawn)) == 16


@pytest.mark.parametrize('size', [0, 1, discrete.BATCH, 2 * discrete.BATCH + 3])
def test_there_are_as_many_draws_as_asked_for(size):
    draws = discrete_gaussian(size, 3)

    assert draws.shape == (size,)
    assert draws.dtype == np.int64


def test_a_scale_far_below_one_leaves_nothing_but_zero():
    assert not discrete_gaussian(1000, 1e-200).any()
    assert not discrete_gaussian(1000, 5e-324).any()


def test_memory_is_that_of_the_draws_and_a_batch():
    size = 2**20
    discrete_gaussian(1, 2**16)
    tracemalloc.start()
    discrete_gaussian(size, 2**16)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert 8 * size < peak < 8 * size + 128 * discrete.BATCH + 2**21


@pytest.mark.parametrize('scale', [0, 0.0, -1.0, math.nan, math.inf, -math.inf, LARGEST_SCALE])
def test_refuses_scales_and_sizes_that_cannot_be(scale):
    with pytest.raises(ValueError, match='scale must be above 0'):
        discrete_gaussian(3, scale)
    with pytest.raises(ValueError, match='size at least 0'):
        discrete_gaussian(-1, 3)


def test_a_draw_that_does_not_fit_is_an_error_and_not_another_number(monkeypatch):
    monkeypatch.setattr(discrete, '_settle', lambda *_: (2**63, True))
    monkeypatch.setattr(discrete, 'MARGIN', 2.0**33)

    with pytest.raises(OverflowError):
        discrete_gaussian(1, 3)
