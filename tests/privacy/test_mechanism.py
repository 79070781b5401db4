import math
import tracemalloc

import numpy as np
import pytest
from chance import silent
from scipy import stats

from sdv_threea.accounting import delta_from_mu
from sdv_threea.privacy.mechanism import (
    FINEST_SCALE,
    LARGEST_VALUE,
    add_noise,
    discrete_gaussian,
    threshold_release,
)

LABEL = {'stage': 'anonymize', 'released': 'counts'}

#: Draws per statistical test. Right noise fails one with probability ``LEVEL``; noise wrong by a
#: half passes with a probability far below it.
DRAWS = 20_000
LEVEL = 1e-7


class Recorder:
    """Silence that keeps what it was asked for."""

    def __init__(self):
        self.calls = []

    def __call__(self, size, scale):
        self.calls.append((size, scale))
        return silent(size, scale)


@pytest.fixture(scope='module')
def draws():
    noisy, receipt = add_noise(
        np.zeros(DRAWS, dtype=np.int64), sensitivity=2.0, mu=0.5, resolution=0.25, **LABEL
    )
    assert receipt.noise_scale == pytest.approx(1.0, rel=1e-4)
    return noisy


def test_noise_has_the_scale_on_the_receipt_and_no_other(draws):
    assert stats.kstest(draws, stats.norm(0, 1.0).cdf).pvalue > LEVEL
    assert stats.kstest(draws, stats.norm(0, 2 / 3).cdf).pvalue < LEVEL
    assert stats.kstest(draws, stats.norm(0, 3 / 2).cdf).pvalue < LEVEL
    # Whatever the door adds to the draws of test_discrete.py, its values stay independent.
    correlation = np.corrcoef(draws[1:], draws[:-1])[0, 1]
    assert abs(correlation) * math.sqrt(DRAWS) < stats.norm.isf(LEVEL / 2)


@pytest.mark.parametrize('mu', [1e-6, 0.3, 1.0, 7.0, 1e4])
def test_scale_is_just_above_sensitivity_over_mu(mu):
    recorder = Recorder()

    _, receipt = add_noise(
        np.arange(5), sensitivity=math.sqrt(3), mu=mu, resolution=0.5, noise=recorder, **LABEL
    )

    ((size, scale),) = recorder.calls
    steps = scale / receipt.noise_scale * 0.5
    assert size == 5
    assert scale >= FINEST_SCALE
    assert math.log2(steps) == pytest.approx(round(math.log2(steps)), abs=1e-9)
    assert receipt.sensitivity == math.sqrt(3) * 0.5
    assert 1 < receipt.noise_scale * mu / receipt.sensitivity < 1 + 2 / FINEST_SCALE


def test_the_lattice_does_not_depend_on_the_values():
    recorder = Recorder()
    for values in (np.zeros(4, dtype=np.int64), np.array([-(10**12), 3, 10**15, 1])):
        add_noise(values, sensitivity=1.0, mu=0.7, noise=recorder, **LABEL)

    assert recorder.calls[0] == recorder.calls[1]


def test_values_and_noise_are_added_exactly():
    values = np.array([[7, -7], [2**61, 0]])
    noise = np.array([3, -3, -(2**45), 1])

    noisy, receipt = add_noise(
        values, sensitivity=1.0, mu=1.0, noise=lambda size, scale: noise, **LABEL
    )

    steps = 2**16
    exact = [7 * steps + 3, -7 * steps - 3, 2**61 * steps - 2**45, 1]
    assert noisy.shape == (2, 2)
    assert noisy.ravel().tolist() == [sum_ / steps for sum_ in exact]


def test_the_answer_is_a_function_of_the_exact_sum():
    rng = np.random.default_rng(2)
    noise, shift = rng.integers(-(2**40), 2**40, size=500), rng.integers(-9, 9, size=500)
    values, steps = rng.integers(-(2**60), 2**60, size=500), 2**16

    def answer(exact, drawn):
        return add_noise(exact, sensitivity=1.0, mu=1.0, noise=lambda *_: drawn, **LABEL)[0]

    assert np.array_equal(answer(values, noise), answer(values + shift, noise - steps * shift))


@pytest.mark.parametrize('mu', [0.5, math.inf])
def test_values_and_draws_stay_as_they_were(mu):
    values, drawn = np.array([5, 6, 7]), np.array([3, -(2**20), 0])
    for each in (values, drawn):
        each.setflags(write=False)

    noisy, _ = add_noise(values, sensitivity=1.0, mu=mu, noise=lambda *_: drawn, **LABEL)

    assert not np.shares_memory(noisy, values)
    assert values.tolist() == [5, 6, 7]


def test_a_release_takes_the_memory_of_a_few_arrays():
    values = np.zeros(2**20, dtype=np.int64)
    tracemalloc.start()
    add_noise(values, sensitivity=1.0, mu=1.0, **LABEL)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 4.5 * values.nbytes


def test_without_noise_the_values_come_back():
    values = np.array([[1, 2, 3]], dtype=np.int32)

    noisy, receipt = add_noise(values, sensitivity=1.0, mu=math.inf, resolution=0.5, **LABEL)

    assert noisy.tolist() == [[0.5, 1.0, 1.5]]
    assert (receipt.noise_scale, receipt.mu) == (0.0, math.inf)


def test_empty_values_are_released_too():
    noisy, receipt = add_noise(np.zeros((0, 3), dtype=np.int64), sensitivity=1.0, mu=1.0, **LABEL)

    assert noisy.shape == (0, 3)
    assert receipt.mu == 1.0


@pytest.mark.parametrize(
    'price',
    [(1.0, 0.0), (1.0, -1.0), (1.0, math.nan), (0.0, 1.0), (math.inf, 1.0), (math.nan, 1.0)],
)
def test_refuses_prices_that_cannot_be(price):
    sensitivity, mu = price
    with pytest.raises(ValueError, match='must be above 0'):
        add_noise(np.arange(3), sensitivity=sensitivity, mu=mu, **LABEL)


def test_refuses_floats():
    with pytest.raises(TypeError, match='must be integers'):
        add_noise(np.arange(3.0), sensitivity=1.0, mu=1.0, **LABEL)


def test_refuses_what_could_overflow_without_showing_it():
    with pytest.raises(OverflowError, match='coarser resolution') as caught:
        add_noise(np.array([LARGEST_VALUE]), sensitivity=1.0, mu=1.0, **LABEL)
    assert str(LARGEST_VALUE) not in str(caught.value)
    with pytest.raises(OverflowError, match='coarser resolution'):
        add_noise(np.arange(3), sensitivity=1.0, mu=1e-20, **LABEL)


def show(keys, counts, noise=discrete_gaussian, **changes):
    settings = {'sensitivity': 1.0, 'mu': 1.0, 'delta': 1e-6, 'max_new_keys': 1, **changes}
    return threshold_release(
        keys, np.array(counts, dtype=np.int64), noise=noise, **LABEL, **settings
    )


def test_without_that_record_the_key_is_never_shown():
    keys, noisy, _ = show(range(DRAWS), [6] * DRAWS, delta=0.5, least=7)

    assert (keys, noisy.tolist()) == ([], [])


def test_no_noise_is_drawn_for_keys_of_fewer_records():
    recorder = Recorder()
    terms = {'least': 7, 'mu': 0.5, 'sensitivity': 2.0}
    keys, noisy, receipt = show('abcd', [6, 700, 7, 500], noise=recorder, **terms)

    ((size, scale),) = recorder.calls
    assert (size, scale / FINEST_SCALE) == (3, pytest.approx(1, rel=1e-4))
    assert (keys, noisy.tolist()) == (['b', 'd'], [700.0, 500.0])
    assert (receipt.stage, receipt.released, receipt.charged) == ('anonymize', 'counts', True)
    assert (receipt.mu, receipt.delta, receipt.sensitivity) == (0.5, 1e-6, 2.0)
    assert receipt.noise_scale == pytest.approx(4.0, rel=1e-4)


def test_without_noise_every_key_of_enough_records_is_shown():
    keys, noisy, receipt = show(['a', 'b', 'c'], [6, 7, 8], mu=math.inf, least=7)

    assert (keys, noisy.tolist(), receipt.delta) == (['b', 'c'], [7.0, 8.0], 0.0)


@pytest.mark.parametrize('least', [1, 40])
@pytest.mark.parametrize(('mu', 'delta'), [(1.0, 0.05), (1.0, 1e-9), (5.0, 1e-6), (0.01, 1e-3)])
def test_the_threshold_is_the_quantile_rounded_to_the_private_side(mu, delta, least):
    recorder = Recorder()
    terms = {'mu': mu, 'delta': delta, 'max_new_keys': 3, 'least': least}
    show(['a'], [least], noise=recorder, **terms)
    ((_, scale),) = recorder.calls
    points = np.arange(0, int(12 * scale))
    tail = np.cumsum(np.exp(-(points[::-1] ** 2) / (2 * scale**2)))[::-1]
    tail /= math.sqrt(2 * math.pi) * scale

    def shown(drawn):
        return len(show(['a'], [least], noise=lambda *_: np.array([drawn]), **terms)[0])

    first = int(np.searchsorted(-tail, -delta / 3))
    assert tail[first] <= delta / 3 < tail[first - 1]
    assert shown(first - 1) == 0
    assert shown(first + 1) == 1


def test_order_and_answer_depend_on_the_shown_keys_alone():
    keys = [('zip', 10), ('zip', '9'), ('age', 3), ('zip', None)]
    counts = [50, 60, 70, 80]
    forward = show(keys, counts, noise=silent)
    backward = show(keys[::-1], counts[::-1], noise=silent)

    assert forward[0] == backward[0] == sorted(keys, key=repr)
    by_key = dict(zip(keys, counts, strict=True))
    expected = [by_key[key] for key in forward[0]]
    assert forward[1].tolist() == backward[1].tolist() == expected


def test_no_keys_are_a_histogram_too():
    keys, noisy, receipt = show([], [])

    assert (keys, noisy.tolist(), receipt.delta) == ([], [], 1e-6)


@pytest.mark.parametrize('least', [1, 5])
@pytest.mark.parametrize('epsilon', [0.0, 0.5, 2.0])
def test_threshold_failure_covers_all_events_of_a_small_mechanism(epsilon, least):
    """Walk through the proof by brute force: two keys, one of which a record makes countable."""
    scale, delta = 1.0, 0.03
    edges = np.concatenate([[-np.inf], np.linspace(-8, 25, 400), [np.inf]])
    threshold = least + scale * stats.norm.isf(delta)

    def outcomes(first, second):
        seen = np.diff(stats.norm(first, scale).cdf(np.maximum(edges, threshold)))
        first_law = np.append(seen, stats.norm(first, scale).cdf(threshold))
        if second is None:
            return np.outer(first_law, np.append(np.zeros_like(seen), 1.0))
        seen = np.diff(stats.norm(second, scale).cdf(np.maximum(edges, threshold)))
        return np.outer(first_law, np.append(seen, stats.norm(second, scale).cdf(threshold)))

    # The record is one of the other key, too, as it may be with another column's.
    with_new, without = outcomes(12.0, float(least)), outcomes(11.0, None)
    bound = delta_from_mu(1.0, epsilon) + delta
    for ours, theirs in ((with_new, without), (without, with_new)):
        assert np.maximum(ours - math.exp(epsilon) * theirs, 0).sum() <= bound
    # Neither half of the bound would do by itself.
    failed = np.maximum(with_new - math.exp(epsilon) * without, 0).sum()
    assert failed > max(delta_from_mu(1.0, epsilon), delta)


@pytest.mark.parametrize(
    'bad',
    [
        {'delta': 0.0}, {'delta': 0.6}, {'delta': math.nan}, {'max_new_keys': 0}, {'least': 0},
        {'most_added': 0}, {'most_added': -2},
    ],
)  # fmt: skip
def test_threshold_refuses_failures_that_cannot_be(bad):
    with pytest.raises(ValueError, match='least must be|delta must be above 0|most_added'):
        show(['a'], [1], **bad)


@pytest.mark.parametrize('most_added', [1, 3, 200])
@pytest.mark.parametrize('least', [1, 7])
def test_a_key_that_one_unit_makes_countable_is_shown_as_rarely_as_promised(most_added, least):
    """The worst case: other records stop just short of ``least``, and the unit adds all it has."""
    delta, max_new_keys = 0.05, 2
    keys, _, receipt = show(
        range(DRAWS),
        [least - 1 + most_added] * DRAWS,
        delta=delta,
        max_new_keys=max_new_keys,
        least=least,
        most_added=most_added,
    )

    chance = stats.binom(DRAWS, delta / max_new_keys)
    assert chance.ppf(LEVEL) <= len(keys) <= chance.isf(LEVEL)
    assert receipt.delta == delta


def test_the_threshold_of_a_record_would_not_do_for_a_unit():
    keys, _, _ = show(range(DRAWS), [4] * DRAWS, delta=0.05)

    assert len(keys) > stats.binom(DRAWS, 0.05).isf(LEVEL)


def test_units_of_more_records_need_a_higher_count():
    found = [
        next(count for count in range(500) if show(['a'], [count], noise=silent, **terms)[0])
        for terms in ({}, {'most_added': 2}, {'most_added': 40})
    ]

    assert (found[1] - found[0], found[2] - found[0]) == (1, 39)
