"""Draw the pictures of ``docs/paper.md``, and write its table: what the paper of 3A asks.

    python docs/make_paper.py

Two columns and two classes of three clusters each, whose law is known. Noise is drawn afresh, so
figures differ a little from run to run: those of the table are medians of five fits.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from make_privacy import fill, write_table
from numpy.typing import NDArray
from sdv.metadata import Metadata
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier

from sdv_threea import ClustMixSynthesizer
from sdv_threea.pages.plots import INK, REAL_COLOR, RULE, SYNTHETIC_COLOR

PAGE = Path(__file__).parent / 'paper.md'
PICTURES = Path(__file__).parent / 'pictures'

#: Rows of a table, rows that a panel shows, and fits of which the table has the median.
NUM_ROWS, SHOWN, FITS = 10_000, 400, 5

#: Columns reach from minus to plus this.
REACH = 12.0

#: How far clusters are from the middle, in their deviations, by the words of the page.
DISTANCES = {'none': 0.0, 'overlapping': 2.5, 'separated': 6.0}

EPSILONS = (0.5, 1.0, 8.0)
ALPHAS = (1.0, 0.5, 0.0)
WAYS = {
    'inside clusters': {'mixing': 'clusters'},
    'inside clusters, accounting of the paper': {'mixing': 'clusters', 'guarantee': 'paper'},
    'at random': {'mixing': 'random'},
    'the main path': {},
}

#: A panel of a picture: its side and its margin, in pixels.
SIDE, MARGIN = 170, 22


def draw_table(distance: float, seed: int) -> pd.DataFrame:
    """Draw two classes of three clusters each, on a circle of this radius, in turn."""
    rng = np.random.default_rng(seed)
    cluster = rng.integers(6, size=NUM_ROWS)
    angles = cluster * math.pi / 3
    centres = distance * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    # Without clusters the classes still differ, by a shift.
    centres[:, 0] += (cluster % 2) * (1.0 if distance == 0 else 0.0)
    points = np.clip(centres + rng.standard_normal(centres.shape), -REACH, REACH)
    table = pd.DataFrame(points.round(3), columns=['x', 'y'])
    return table.assign(kind=np.where(cluster % 2, 'one', 'other'))


def synthesize(table: pd.DataFrame, epsilon: float, **settings: object) -> pd.DataFrame:
    """Fit a table with public ranges, and sample as many rows."""
    number = {'sdtype': 'numerical', 'range_min': -REACH, 'range_max': REACH}
    kind = {'sdtype': 'categorical', 'range_values': ['one', 'other']}
    columns = {'x': number, 'y': number, 'kind': kind}
    metadata = Metadata.load_from_dict({'tables': {'toy': {'columns': columns}}})
    terms = {'target_column': 'kind', 'public_metadata': True, **settings}
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer = ClustMixSynthesizer(metadata, epsilon=epsilon, **terms)
        synthesizer.fit({'toy': table})
        return synthesizer.sample(len(table))['toy']


def score(trained: pd.DataFrame, tested: pd.DataFrame) -> float:
    """Return the AUC of a model of neighbours, trained on one table and tested on another."""
    model = KNeighborsClassifier(50).fit(trained[['x', 'y']], trained['kind'] == 'one')
    chances = model.predict_proba(tested[['x', 'y']])
    found = chances[:, -1] if len(model.classes_) == 2 else np.zeros(len(tested))
    return float(roc_auc_score(tested['kind'] == 'one', found))


def write_scores() -> str:
    """Write how well a model does that is trained on the samples, by clusters and budget."""
    rows = []
    for name, settings in WAYS.items():
        for epsilon in EPSILONS[1:]:
            cells = [_median(distance, epsilon, settings) for distance in DISTANCES.values()]
            rows.append([name, f'{epsilon:g}', *cells])
    real = [
        f'{score(draw_table(each, 0), draw_table(each, 99)):.3f}' for each in DISTANCES.values()
    ]
    return write_table(['mixed', 'ε', *DISTANCES], [['*real rows*', '', *real], *rows])


def _median(distance: float, epsilon: float, settings: dict[str, object]) -> str:
    tested = draw_table(distance, 99)
    tables = (draw_table(distance, seed) for seed in range(FITS))
    scores = [score(synthesize(each, epsilon, **settings), tested) for each in tables]
    return f'{np.median(scores):.3f}'


def draw_panels(rows: Iterable[Iterable[tuple[str, pd.DataFrame]]]) -> str:
    """Draw rows of panels, each with its words above, as a vector picture."""
    rows = [list(row) for row in rows]
    shapes = []
    for down, row in enumerate(rows):
        for along, (words, table) in enumerate(row):
            left, top = along * (SIDE + MARGIN), down * (SIDE + 2 * MARGIN) + MARGIN
            shapes.append(f'<text x="{left + 4}" y="{top - 7}">{words}</text>')
            shapes.append(
                f'<rect x="{left}" y="{top}" width="{SIDE}" height="{SIDE}" fill="white" '
                f'stroke="{RULE}"/>'
            )
            shapes += _draw_dots(table.head(SHOWN), left, top)
    width = max(map(len, rows)) * (SIDE + MARGIN) - MARGIN
    height = len(rows) * (SIDE + 2 * MARGIN)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -2 {width + 4} {height}" '
        f'font-family="sans-serif" font-size="13" fill="{INK}">'
        f'<rect x="-2" y="-2" width="{width + 4}" height="{height}" fill="white"/>'
    )
    return '\n'.join([head, *shapes, '</svg>\n'])


def _draw_dots(table: pd.DataFrame, left: float, top: float) -> Iterator[str]:
    """Draw the rows of a table in a panel, a color per class: round ends of lines of no length."""
    for kind, color in (('one', REAL_COLOR), ('other', SYNTHETIC_COLOR)):
        own = table.loc[table['kind'] == kind, ['x', 'y']].to_numpy()
        places: NDArray[np.float64] = (own / REACH + 1) / 2 * SIDE
        dots = ''.join(f'M{left + x:.0f} {top + SIDE - y:.0f}h0' for x, y in places)
        yield (
            f'<path d="{dots}" stroke="{color}" stroke-width="3.6" stroke-linecap="round" '
            'stroke-opacity="0.6" fill="none"/>'
        )


def draw_budgets() -> Iterator[list[tuple[str, pd.DataFrame]]]:
    """Draw clusters at several budgets, mixed inside clusters above and at random below."""
    real = draw_table(DISTANCES['separated'], 0)
    for words, mixing in (('in clusters', 'clusters'), ('at random', 'random')):
        made = ((each, synthesize(real, each, mixing=mixing)) for each in EPSILONS)
        yield [('real rows', real), *((f'{words}, ε = {each:g}', rows) for each, rows in made)]


def draw_distances() -> Iterator[list[tuple[str, pd.DataFrame]]]:
    """Draw a table without clusters above and one of overlapping clusters below, in three ways."""
    for name in ('none', 'overlapping'):
        real = draw_table(DISTANCES[name], 0)
        ways = {way: synthesize(real, 8.0, **WAYS[way]) for way in WAYS if 'accounting' not in way}
        yield [(f'real rows, {name}', real), *ways.items()]


def draw_alphas() -> Iterator[list[tuple[str, pd.DataFrame]]]:
    """Draw overlapping clusters as alpha goes from the density to the loss."""
    real = draw_table(DISTANCES['overlapping'], 0)
    made = [
        (f'alpha = {each:g}', synthesize(real, 8.0, mixing='clusters', alpha=each))
        for each in ALPHAS
    ]
    yield [('real rows', real), *made]


def main() -> None:
    """Draw the pictures and write the table."""
    (PICTURES / 'paper_budgets.svg').write_text(draw_panels(draw_budgets()), encoding='utf-8')
    (PICTURES / 'paper_distances.svg').write_text(draw_panels(draw_distances()), encoding='utf-8')
    (PICTURES / 'paper_alpha.svg').write_text(draw_panels(draw_alphas()), encoding='utf-8')
    PAGE.write_text(fill(PAGE.read_text('utf-8'), {'scores': write_scores()}), encoding='utf-8')


if __name__ == '__main__':
    main()
