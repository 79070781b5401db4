"""Labels: what columns say together, beside models that are trained directly, with privacy.

    python benchmarks/labels.py
    python benchmarks/labels.py --tables xor german_credit --repeats 1     # two minutes
    python benchmarks/labels.py --tables bike_sharing protein_casp         # numbers, if asked for
    python benchmarks/labels.py --tables census_kdd isolet                 # and the other tables

LightGBM is trained on samples of ours, with labels as they are or with labels that see columns one
by one, and predicts the real test part. So do models that are trained with privacy on the private
rows themselves (``peers/run_direct.py``), at the same epsilon and delta. The tables have
interactions of columns or are nearly additive; four are generated (``generated.py``). The error of
calibration says how far predicted chances are off. The tables of ``docs/lab/benchmark.md`` are made
of the results.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterator, Sequence

import pandas as pd
from generated import TOGETHER, make_split
from methods import OURS, Method, Terms, clustmix, public_facts
from pages import DOCS, ROOT, write_epsilon, write_failure, write_page, write_share, write_table
from peers import DIRECT, train_directly
from runner import Benchmark, Failed, Job, Options, Row, grid
from scores import predict, score_predictions
from tables import PROBLEMS, Split, load_split
from utility import REAL

from sdv_threea.constants import AdaptConstants
from sdv_threea.settings import Constants

#: Predicts the target of the test part: chances of classes, a column each, or numbers.
Model = Callable[[Split, Terms], pd.DataFrame]

#: Tables with interactions, nearly additive ones, small ones, and those whose law is known.
TABLES = ['eeg_eye_state', 'walking_activity', 'covtype_compact', 'adult', 'default_credit']
TABLES += ['telco_churn', 'german_credit', 'mushroom', *TOGETHER]

#: Rows of each part of a generated table.
NUM_ROWS = 10_000

DELTA = 1e-5

#: Where chances are looked at, also as they are with labels as uncertain as real ones.
CALIBRATED = ['adult', 'default_credit']
UNCERTAIN = 'ClustMix, alpha = 1'

#: Ours, by default, and told the ranges and categories, as the others are.
DEFAULT, PUBLIC = OURS

#: As it, with rows that cost no privacy: who trains one model alone may draw as many as they like.
MANY = 'ClustMix, public metadata, ten times the rows'

#: What the README speaks of, at epsilon 1.
SHOWN = 'adult'

#: The budget carries no features of columns together.
SINGLE = Constants(adapt=AdaptConstants(most_features=0))


def sampled(method: Method) -> Model:
    """Make a model that is trained on what a synthesizer samples."""
    return lambda split, terms: predict(split, method(split, terms)[0])


def direct(name: str) -> Model:
    """Make a model that is trained with privacy on the training part itself."""

    def run(split: Split, terms: Terms) -> pd.DataFrame:
        facts = public_facts(split)
        predicted, _ = train_directly(name, split, facts, terms)
        about = facts.to_dict()['tables'][split.table_name]['columns'][split.target]
        return predicted.rename(columns={str(each): each for each in about.get('range_values', [])})

    return run


METHODS: dict[str, Model] = {
    REAL: lambda split, _: predict(split, split.train),
    **{name: sampled(method) for name, method in OURS.items()},
    MANY: sampled(clustmix(public=True, times=10)),
    'ClustMix, columns one by one': sampled(clustmix(constants=SINGLE)),
    UNCERTAIN: sampled(clustmix(alpha=1.0)),
    **{name: direct(name) for name in DIRECT},
}


def list_jobs(options: Options) -> Iterator[Job]:
    """List the runs, those of real data once; models that are trained directly need a budget."""
    for table in options.tables:
        for method in options.methods:
            if method == UNCERTAIN and table not in CALIBRATED:
                continue
            epsilons, repeats = options.epsilons, range(options.repeats)
            if method == REAL:
                epsilons, repeats = [math.inf], range(1)
            elif method in DIRECT:
                epsilons = [each for each in epsilons if math.isfinite(each)]
            yield from grid(table=[table], method=[method], epsilon=epsilons, repeat=repeats)


def measure(job: Job, options: Options) -> Row:
    """Train a model, and score what it predicts of the test part."""
    name = job['table']
    made = name in TOGETHER
    split = make_split(name, 0, NUM_ROWS) if made else load_split(name, options.data)
    terms = Terms(job['epsilon'], DELTA, job['repeat'], options.timeout)
    try:
        predicted = METHODS[job['method']](split, terms)
    except Failed as why:
        return {'note': str(why)}
    return score_predictions(split, predicted) | {'chance': 0.0 if split.numeric else 0.5}


def sum_up(runs: pd.DataFrame) -> pd.DataFrame:
    """Sum runs up by table, epsilon and method: medians, normalised scores, what failed."""
    runs = runs.reindex(columns=[*runs, *({'note', 'calibration error'} - {*runs})])
    groups = runs.groupby(['table', 'epsilon', 'method'])
    medians = groups[['score', 'chance', 'calibration error']].median()
    medians['note'] = groups['note'].first()
    real = medians.xs((REAL, math.inf), level=['method', 'epsilon'])
    best = (real['score'] - real['chance']).rename('best')
    medians = medians.join(best, on='table')
    medians['normalised'] = (medians['score'] - medians['chance']) / medians['best']
    return medians


def list_places(medians: pd.DataFrame) -> list[tuple[str, float]]:
    """List tables and budgets, in the order of the tables."""
    order = list(dict.fromkeys([*TABLES, *PROBLEMS]))
    places = {key[:2] for key in medians.index if key[2] != REAL}
    return sorted(places, key=lambda place: (order.index(place[0]), place[1]))


def write_scores(
    medians: pd.DataFrame, places: Sequence[tuple[str, float]], methods: Sequence[str]
) -> str:
    """Write scores, with normalised ones in parentheses, a row per table and budget.

    The best of a row is bold; below stands where direct training is ahead of ours. Those are the
    variants that are told as much.
    """
    rows = []
    for table, epsilon in places:
        found = medians.loc[table, epsilon].reindex(methods)
        best, texts = found['score'].idxmax(), []
        for method, cell in found.iterrows():
            text = f'{write_share(cell["score"])} ({write_share(cell["normalised"])})'
            if pd.isna(cell['score']):
                text = '' if pd.isna(cell['note']) else write_failure(cell['note'])
            texts.append(f'**{text}**' if method == best else text)
        real = write_share(medians['score'].get((table, math.inf, REAL), math.nan))
        rows.append([table, write_epsilon(epsilon), real, *texts])
    table = write_table(['table', 'ε', REAL, *methods], rows)
    return '\n\n'.join([table, *(tell_losses(medians, places, ours) for ours in (PUBLIC, MANY))])


def tell_losses(medians: pd.DataFrame, places: Sequence[tuple[str, float]], ours: str) -> str:
    """Say where direct training is ahead of one of ours."""
    scores = medians.pivot_table('score', ['table', 'epsilon'], 'method')
    scores = scores.reindex(columns=[ours, *DIRECT])
    behind = scores[[*DIRECT]].max(axis=1) > scores[ours]
    found = [
        f'{table} (ε = {write_epsilon(each)})' for table, each in places if behind[table, each]
    ]
    ahead = ', '.join(found) or 'nowhere'
    return textwrap.fill(f'Direct training is ahead of *{ours}* on: {ahead}.', 100)


def write_calibration(medians: pd.DataFrame) -> str:
    """Write the error of calibration of models, and their AUC in parentheses."""
    methods, rows = [REAL, DEFAULT, UNCERTAIN], []
    for table, epsilon in (each for each in list_places(medians) if each[0] in CALIBRATED):
        keys = [(table, math.inf if name == REAL else epsilon, name) for name in methods]
        found = medians.reindex(keys)[['calibration error', 'score']].to_numpy()
        texts = [f'{write_share(error)} ({write_share(score)})' for error, score in found]
        rows.append([table, write_epsilon(epsilon), *texts])
    return write_table(['table', 'ε', *methods], rows)


def list_parts(medians: pd.DataFrame) -> tuple[dict[str, str], dict[str, str]]:
    """Write all that stands between the marks of the page, and of the README."""
    places = list_places(medians)
    methods = [name for name in METHODS if name not in (REAL, UNCERTAIN)]
    page = {'labels': write_scores(medians, places, methods)}
    page['calibration'] = write_calibration(medians)
    return page, {'direct': tell_direct(medians, [table for table, each in places if each == 1])}


def tell_direct(medians: pd.DataFrame, tables: Sequence[str]) -> str:
    """Say how direct training does on Adult at epsilon 1, and on which tables it is ahead."""
    table = medians.xs(1.0, level='epsilon').reset_index()
    scores = table.pivot_table('score', 'table', 'method').reindex(columns=[DEFAULT, *DIRECT])
    shown = scores.loc[SHOWN].map(write_share)
    told = '; '.join(f'{name}: {shown[name]}' for name in DIRECT)
    ahead = [each for each in tables if scores.loc[each].idxmax() != DEFAULT]
    said = (
        f'On {SHOWN} LightGBM has an AUC of {shown[DEFAULT]} if it is trained on our samples. '
        f'Trained directly: {told}. Of {len(tables)} tables direct training is ahead on '
        f'{len(ahead)}: {", ".join(ahead) or "none"}.'
    )
    return textwrap.fill(said, 100)


def write_pages(runs: pd.DataFrame) -> None:
    """Write the tables of the page, and the sentences of the README."""
    page, readme = list_parts(sum_up(runs))
    write_page(DOCS / 'lab' / 'benchmark.md', page)
    write_page(ROOT / 'README.md', readme)


BENCHMARK = Benchmark(
    name='labels',
    list_jobs=list_jobs,
    measure=measure,
    options={
        'tables': TABLES,
        'methods': list(METHODS),
        'epsilons': [1.0, 8.0, math.inf],
        'repeats': 3,
    },
    choices={'tables': [*PROBLEMS, *TOGETHER]},
    write_pages=write_pages,
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
