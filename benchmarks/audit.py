"""The audit of this package: no lower bound on epsilon above its claim, and those who leak caught.

    python benchmarks/audit.py --small      # minutes
    python benchmarks/audit.py              # the committed figures: about half an hour

Three kinds of evidence, each a lower confidence bound:

* *games*: the strongest observer (:mod:`whitebox`) on worst-case tables, many thousand fits, which
  show that the audit can see; and the same with a third of the noise, which it must catch,
* *trials* of our synthesizers, and of broken ones, by the observers of :mod:`sdv_threea.audit`,
* trials of SDV's own synthesizers, which claim nothing.

Every batch of fits is some rows of ``benchmarks/results/audit.csv``: how many guesses were wrong,
by what was seen and how it will be bounded, and the seconds of processor time. What is there is not
run again, so the benchmark can be stopped and resumed. Coins and observers draw from fresh entropy:
another run gives other counts. ``python benchmarks/tabulate_audit.py`` makes bounds of the counts
and writes them into ``docs/audit.md``.
"""

from __future__ import annotations

import argparse
import csv
import math
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from canaries import Game, Trial, make_games, make_trials
from suspects import CLAIMING, NOISES, OURS, SILENT, make_synthesizer
from tqdm import tqdm
from whitebox import Transcript

from sdv_threea.audit import Guesses, audit_privacy
from sdv_threea.audit.game import FORMS, LEAST_RUNS
from sdv_threea.audit.guessing import count_guesses
from sdv_threea.settings import Settings

RESULTS = Path(__file__).parent / 'results' / 'audit.csv'
SMALL_RESULTS = RESULTS.parent / 'cache' / 'audit_small.csv'
EPSILONS = (0.5, 1.0, 3.0, 8.0)
DELTA = 1e-5

#: Every bound of the page has this confidence by itself.
CONFIDENCE = 0.995

#: Fits of the game that shall reach its claim, by epsilon: small ones take many.
MAIN = 'far out, domain public'
MAIN_RUNS = {0.5: 60_000, 1.0: 16_000, 3.0: 3_000, 8.0: 1_000}

#: Fits of the other games, and of those with broken noise. Several components take their time.
OTHER_RUNS, COMPONENT_RUNS, BROKEN_RUNS = 200, 60, 1_000

#: Fits of a trial: where there is something to be found in ours, they are many; HMA takes its time.
TRIAL_RUNS, MANY_RUNS, HMA_RUNS = 120, 480, 60
LARGE_EPSILON = 8.0

#: Fits per row of the results.
BATCH = 2_000

WHITE_BOX = 'every noisy number'
KEY = ['method', 'canary', 'view', 'form', 'epsilon', 'batch']
FIELDS = [*KEY, 'delta', *Guesses._fields, 'seconds']


class Job(NamedTuple):
    """A batch of fits, and what does them: guesses by view and form."""

    method: str
    canary: str
    epsilon: float
    batch: int
    run: Callable[[np.random.Generator], dict[tuple[str, str], Guesses]]


def play_game(
    game: Game, method: str, epsilon: float, runs: int, rng: np.random.Generator
) -> dict[tuple[str, str], Guesses]:
    """Let the strongest observer guess; its thresholds are settled before it sees anything."""
    settings = Settings(epsilon=epsilon, delta=DELTA, n_components=game.components)
    worlds = rng.integers(2, size=runs)
    middle, high = (np.zeros(runs, dtype=bool) for _ in range(2))
    with Transcript() as transcript:
        for at, world in enumerate(tqdm(worlds.tolist(), leave=False)):
            # The same draws for both tables; they need no secrecy.
            seed = int(rng.integers(2**63))
            ratio, mu = transcript.weigh(
                lambda table, seed=seed: game.fit(
                    table, settings, NOISES[method], np.random.default_rng(seed)
                ),
                game.tables,
                world,
            )
            middle[at], high[at] = ratio > 0, ratio > mu**2 / 2
    return {
        (WHITE_BOX, 'Gaussian'): count_guesses(middle, worlds),
        (WHITE_BOX, 'any mechanism'): count_guesses(high, worlds),
    }


def hold_trial(
    trial: Trial, method: str, epsilon: float, runs: int, rng: np.random.Generator
) -> dict[tuple[str, str], Guesses]:
    """Let the observers of the public tool guess."""
    make = partial(make_synthesizer, method, trial, epsilon, DELTA)
    result = audit_privacy(
        make,
        trial.neighbours,
        epsilon=epsilon,
        delta=DELTA,
        runs=runs,
        confidence=CONFIDENCE,
        gaussian=True,
        rng=rng,
    )
    return {(bound.view, bound.form): bound.guesses for bound in result.bounds}


def list_jobs(*, small: bool) -> Iterator[Job]:
    """List all batches: trials, then games, and the longest last."""
    rng = np.random.default_rng(0)
    yield from _list_trials(make_trials(rng), 3 if small else 1)
    yield from _list_games(make_games(rng), 20 if small else 1)


def _list_trials(trials: dict[str, Trial], fewer: int) -> Iterator[Job]:
    for method, canaries in {**SILENT, **CLAIMING}.items():
        for canary in canaries:
            for epsilon in EPSILONS if method in CLAIMING else [math.inf]:
                runs = max(_count_runs(method, epsilon) // fewer, LEAST_RUNS)
                hold = partial(hold_trial, trials[canary], method, epsilon, runs)
                yield Job(method, canary, epsilon, 0, hold)


def _count_runs(method: str, epsilon: float) -> int:
    if method == OURS and epsilon == LARGE_EPSILON:
        return MANY_RUNS
    return HMA_RUNS if method == 'HMA' else TRIAL_RUNS


def _list_games(games: dict[str, Game], fewer: int) -> Iterator[Job]:
    others = {
        canary: OTHER_RUNS if game.components == 1 else COMPONENT_RUNS
        for canary, game in games.items()
    }
    plans = [(OURS, canary, dict.fromkeys(EPSILONS, runs)) for canary, runs in others.items()]
    plans += [(method, MAIN, dict.fromkeys(EPSILONS, BROKEN_RUNS)) for method in NOISES]
    plans = [plan for plan in plans if plan[:2] != (OURS, MAIN)] + [(OURS, MAIN, MAIN_RUNS)]
    for method, canary, runs in plans:
        for epsilon in EPSILONS[::-1]:
            for batch, start in enumerate(range(0, runs[epsilon] // fewer, BATCH)):
                size = min(BATCH, runs[epsilon] // fewer - start)
                play = partial(play_game, games[canary], method, epsilon, size)
                yield Job(method, canary, epsilon, batch, play)


def list_done(path: Path) -> set[tuple[Any, ...]]:
    """List the batches that are among the results."""
    if not path.exists():
        return set()
    rows = pd.read_csv(path)
    return set(zip(rows['method'], rows['canary'], rows['epsilon'], rows['batch'], strict=True))


def write(path: Path, job: Job, found: dict[tuple[str, str], Guesses], seconds: float) -> None:
    """Add the rows of a batch to the results."""
    fresh = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open('a', newline='', encoding='utf-8') as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator='\n')
        if fresh:
            writer.writeheader()
        for (view, form), guesses in found.items():
            row = {**job._asdict(), 'view': view, 'form': form, 'delta': DELTA}
            row = {**row, **guesses._asdict(), 'seconds': round(seconds, 1)}
            writer.writerow({name: row[name] for name in FIELDS})


def main() -> None:
    """Run what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--small', action='store_true', help='minutes; results go elsewhere')
    arguments = parser.parse_args()
    results = SMALL_RESULTS if arguments.small else RESULTS
    done, rng = list_done(results), np.random.default_rng()
    for job in list_jobs(small=arguments.small):
        if job[:4] in done:
            continue
        began = time.process_time()
        found = job.run(rng)
        seconds = time.process_time() - began
        write(results, job, found, seconds)
        best = max(FORMS[form](each, DELTA, CONFIDENCE) for (_, form), each in found.items())
        said = f'{job.method}, {job.canary}, claimed epsilon {job.epsilon:g}'
        print(f'{said}: at least {best:.2f}, {seconds:.0f} s', flush=True)


if __name__ == '__main__':
    main()
