"""The audit of this package: its observer sees, canaries move what they may, its page is true."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest

from sdv_threea import mechanism
from sdv_threea.accounting import mu_from_epsilon
from sdv_threea.approximate import counts
from sdv_threea.audit import Guesses, bound_mu
from sdv_threea.audit.bounds import bound_gaussian_epsilon
from sdv_threea.settings import Settings


@pytest.fixture(scope='module')
def audit(load_script):
    with load_script('audit') as module:
        yield module


@pytest.fixture(scope='module')
def games(audit):
    return audit.make_games(np.random.default_rng(0))


@pytest.fixture(scope='module')
def page(load_script):
    with load_script('tabulate_audit') as module:
        yield module


def seeded(seed, share=1.0):
    rng = np.random.default_rng(seed)
    return lambda size, scale: np.rint(rng.normal(0, scale * share, size)).astype(np.int64)


def weigh(audit, game, epsilon, runs, share=1.0):
    """Play a game with seeded noise: the coins, the likelihood ratios and the distances."""
    settings = Settings(epsilon=epsilon, delta=audit.DELTA, n_components=game.components)
    worlds, noise = np.arange(runs) % 2, seeded(1, share)

    def fit(seed, table):
        return game.fit(table, settings, noise, np.random.default_rng(seed))

    with audit.Transcript() as transcript:
        found = [
            transcript.weigh(partial(fit, seed), game.tables, world)
            for seed, world in enumerate(worlds.tolist())
        ]
    return worlds, *np.array(found).T


def bound_gaussian(audit, worlds, ratios):
    return bound_gaussian_epsilon(audit.count_guesses(ratios > 0, worlds), audit.DELTA, 0.95)


def test_the_main_canary_moves_all_that_the_noise_is_made_for(audit, games):
    _, _, distances = weigh(audit, games[audit.MAIN], 1.0, 6)
    claim = mu_from_epsilon(1.0, audit.DELTA)
    assert distances == pytest.approx(claim, rel=0.01)
    assert (distances <= claim).all()


def test_no_canary_moves_more(audit, games):
    claim = mu_from_epsilon(8.0, audit.DELTA)
    for name, game in games.items():
        _, _, distances = weigh(audit, game, 8.0, 4)
        assert (distances <= claim).all(), name
        assert distances.max() > 0.3 * claim, name


def test_the_ratio_is_as_gaussian_as_the_claim(audit, games):
    worlds, ratios, distances = weigh(audit, games[audit.MAIN], 8.0, 300)
    mu = distances.mean()
    signed = np.where(worlds == 1, ratios, -ratios)
    # Its mean is mu^2 / 2 and its deviation mu; 5 standard errors.
    assert signed.mean() == pytest.approx(mu**2 / 2, abs=5 * mu / np.sqrt(300))
    assert signed.std() == pytest.approx(mu, rel=5 / np.sqrt(600))


def test_a_third_of_the_noise_is_caught_and_the_whole_is_not(audit, games):
    sound, broken = (
        bound_gaussian(audit, *weigh(audit, games[audit.MAIN], 1.0, 300, share)[:2])
        for share in (1.0, 1 / 3)
    )
    assert sound <= 1.0 < broken


def test_the_doors_hang_as_before(audit, games):
    weigh(audit, games[audit.MAIN], 8.0, 2)
    assert counts.add_noise is mechanism.add_noise
    with pytest.raises(ZeroDivisionError), audit.Transcript():
        assert counts.add_noise is not mechanism.add_noise
        raise ZeroDivisionError
    assert counts.add_noise is mechanism.add_noise


def test_the_tables_of_a_game_differ_by_one_row_or_one_unit(audit, games):
    for name, game in games.items():
        without, present = game.tables
        if hasattr(without, 'tables'):
            grown = {
                each: len(present.tables[each]) - len(without.tables[each])
                for each in without.tables
            }
            assert grown['patient'] == 1
            without, present = without.tables['patient'], present.tables['patient']
        assert len(present) - len(without) == 1, name
        pd.testing.assert_frame_equal(present.iloc[:-1], without)


def test_every_batch_is_run_once(audit):
    for small in (False, True):
        jobs = [job[:4] for job in audit.list_jobs(small=small)]
        assert len(jobs) == len(set(jobs))


def test_batches_of_one_kind_are_added_up(audit, page, tmp_path):
    path = tmp_path / 'audit.csv'
    for batch in (0, 1):
        job = audit.Job(audit.OURS, audit.MAIN, 1.0, batch, None)
        audit.write(path, job, {('view', 'Gaussian'): Guesses(10, 50, 11, 50)}, 1.0)
    (row,) = page.read_bounds(path).itertuples()
    assert row.runs == 200
    expected = bound_gaussian_epsilon(Guesses(20, 100, 22, 100), audit.DELTA, audit.CONFIDENCE)
    assert row.bound == expected
    assert bound_mu(Guesses(20, 100, 22, 100)) > 0
    assert (audit.OURS, audit.MAIN, 1.0, 1) in audit.list_done(path)


def test_the_page_is_made_of_the_results(page):
    """If it is not, run ``python benchmarks/tabulate_audit.py``."""
    text = page.PAGE.read_text('utf-8')
    assert page.write_page(text, page.read_bounds(page.RESULTS)) == text


def test_the_committed_audit_sees_and_refutes_nothing_of_ours(audit, page):
    bounds = page.read_bounds(page.RESULTS)
    ours = bounds[bounds['method'] == audit.OURS]
    assert page.find_refuted(ours).empty
    main = ours[(ours['canary'] == audit.MAIN) & (ours['form'] == 'Gaussian')]
    assert sorted(main['epsilon']) == sorted(audit.EPSILONS)
    assert (main['bound'] >= page.LEAST_REACHED * main['epsilon']).all()


def test_the_committed_audit_catches_all_that_it_should(page):
    bounds = page.read_bounds(page.RESULTS)
    broken = bounds[~bounds['method'].isin([page.OURS, *page.SILENT])]
    best = broken.groupby(['method', 'epsilon'])['bound'].max().reset_index()
    assert {*page.NOISES, *page.CLAIMING} - {page.OURS} == set(best['method'])
    assert (best['bound'] > best['epsilon']).all()
    silent = bounds[bounds['method'].isin(page.SILENT) & (bounds['form'] == page.GENERAL)]
    assert (silent.groupby('method')['bound'].max() > 1).all()
