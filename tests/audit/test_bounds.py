"""Bounds against SciPy's intervals, and against mechanisms whose epsilon is known."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from sdv_threea.accounting import epsilon_from_mu
from sdv_threea.audit import AuditResult, Guesses, LowerBound, bound_epsilon, bound_mu
from sdv_threea.audit.bounds import bound_gaussian_epsilon, bound_rate


def expect(guesses, mu):
    """Return the most likely counts at the best threshold, with half of the runs per table."""
    wrong = round(guesses / 2 * norm.cdf(-mu / 2))
    return Guesses(wrong, guesses // 2, wrong, guesses // 2)


@pytest.mark.parametrize('trials', [1, 7, 300])
@pytest.mark.parametrize('share', [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize('confidence', [0.5, 0.95, 0.999])
def test_a_rate_is_bounded_as_by_scipy(trials, share, confidence):
    hits = round(share * trials)
    interval = binomtest(hits, trials, alternative='less').proportion_ci(confidence)
    assert bound_rate(hits, trials, confidence) == pytest.approx(interval.high, rel=1e-9)


def test_without_trials_a_rate_may_be_anything():
    assert bound_rate(0, 0, 0.95) == 1.0


def test_a_simulated_gaussian_is_reached_and_not_overclaimed():
    # The bound is above the truth, or below half of it, with a chance below 1e-6.
    rng, mu = np.random.default_rng(0), 1.0
    worlds = rng.integers(2, size=4000)
    guessed = rng.normal(size=4000) + mu * worlds > mu / 2
    guesses = Guesses(
        int((guessed & (worlds == 0)).sum()),
        int((worlds == 0).sum()),
        int((~guessed & (worlds == 1)).sum()),
        int((worlds == 1).sum()),
    )
    assert 0.5 < bound_mu(guesses, confidence=1 - 1e-7) < mu


@pytest.mark.parametrize('mu', [0.3, 1.0, 2.0])
def test_one_rate_tells_more_than_two(mu):
    guesses = expect(4000, mu)
    rates = [bound_rate(guesses.misses, guesses.present, 0.975) for _ in range(2)]
    of_two = norm.isf(rates[0]) - norm.ppf(rates[1])
    assert bound_mu(guesses) > of_two


def test_the_gaussian_form_is_the_tighter_one_for_gaussians():
    guesses = expect(2000, 1.5)
    assert bound_gaussian_epsilon(guesses, 1e-5) > 2 * bound_epsilon(guesses, 1e-5)
    assert bound_gaussian_epsilon(guesses, 1e-5) < epsilon_from_mu(1.5, 1e-5)


def test_epsilon_is_read_in_both_directions():
    assert bound_epsilon(Guesses(0, 500, 250, 500), 0.0) == pytest.approx(
        bound_epsilon(Guesses(250, 500, 0, 500), 0.0)
    )
    assert bound_epsilon(Guesses(0, 500, 250, 500), 0.0) > 4


def test_who_is_always_right_tells_more_by_all_guesses_than_by_those_of_one_kind():
    right = bound_epsilon(Guesses(0, 50, 0, 50), 0.0, 0.95)
    rate = bound_rate(0, 50, 1 - 0.05 / 3)
    assert right == pytest.approx(math.log(1 / bound_rate(0, 100, 1 - 0.05 / 3) - 1))
    assert right > math.log((1 - rate) / rate)


def test_what_delta_explains_does_not_count():
    guesses = Guesses(0, 500, 450, 500)
    assert bound_epsilon(guesses, 0.0) > bound_epsilon(guesses, 0.05) > 0
    assert bound_epsilon(guesses, 0.2) == 0
    assert bound_mu(expect(500, 1.0), delta=0.1) < bound_mu(expect(500, 1.0))


@pytest.mark.parametrize('guesses', [Guesses(0, 0, 0, 0), Guesses(5, 5, 5, 5), Guesses(3, 5, 2, 5)])
def test_who_guesses_at_random_learns_nothing(guesses):
    assert bound_epsilon(guesses, 0.0) == 0
    assert bound_mu(guesses) == 0


@pytest.mark.parametrize('confidence', [0.0, 1.0, -1.0, math.nan])
def test_a_confidence_out_of_range_is_refused(confidence):
    for bound in (bound_mu, lambda guesses, **terms: bound_epsilon(guesses, 0.0, **terms)):
        with pytest.raises(ValueError, match='confidence must be between 0 and 1'):
            bound(Guesses(1, 10, 1, 10), confidence=confidence)


def decide(epsilon, *found):
    bounds = tuple(
        LowerBound('synthetic rows', 'any mechanism', Guesses(1, 20, 2, 20), each) for each in found
    )
    return AuditResult(epsilon, 1e-6, 0.95, 80, bounds)


def test_a_claim_below_a_bound_is_refuted():
    result = decide(1.0, 0.5, 2.5)
    assert result.refuted
    assert str(result).startswith('REFUTED: epsilon=1 was claimed, but epsilon is at least 2.5 ')
    assert 'synthetic rows, 80 fits, confidence 0.95' in str(result)


def test_a_claim_that_stands_is_not_called_proved():
    result = decide(1.0, 0.5, 1.0)
    assert not result.refuted
    assert 'Not refuted' in str(result)
    assert 'no proof' in str(result)


def test_the_table_has_a_row_per_bound():
    frame = decide(1.0, 0.5, 2.5).to_frame()
    assert frame['epsilon at least'].tolist() == [0.5, 2.5]
    assert frame['misses'].tolist() == [2, 2]
    assert list(frame)[:3] == ['view', 'form', 'epsilon at least']


PAGE = Path(__file__).parents[2] / 'docs' / 'lab' / 'audit.md'


def test_the_examples_run(capsys):
    measured, guessed = re.findall(r'```python\n(.*?)```', PAGE.read_text('utf-8'), re.DOTALL)
    exec(measured, {})
    assert 'is claimed for all neighbours' in capsys.readouterr().out
    assert 'runs=200' in guessed
    exec(guessed.replace('runs=200', 'runs=40'), {})
    assert 'epsilon=1 was claimed' in capsys.readouterr().out
