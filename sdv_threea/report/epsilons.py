"""Utility for several epsilons, measured on rows that need no protection."""

import math
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from tqdm import tqdm

from sdv_threea.errors import InputError
from sdv_threea.pages.plots import INK, REAL_COLOR, RULE, SYNTHETIC_COLOR
from sdv_threea.report.inputs import take_learned
from sdv_threea.report.utility import GUESSING, train_synthetic_test_real

Origin = Literal['public', 'made up', 'released']

EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0, math.inf)

#: Share of the rows that are used for tests.
TEST_SHARE = 0.3

#: An infinite epsilon (no noise) is drawn at this multiple of the largest finite epsilon.
FARTHER = 3.0

#: The origin of the rows in words, and the caveat of such a curve.
CAVEATS = {
    'public': ('public', 'It holds for your own table as far as your table resembles it.'),
    'made up': (
        'made up',
        'Made-up rows have only those relations between columns that somebody put in, so rely on '
        'the shape of the curve and not on its height.',
    ),
    'released': (
        'sampled from a released synthesizer',
        'Sampled rows are smoother than the private rows, and easier to release once more: the '
        'curve is optimistic.',
    ),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class PrivacyCurve:
    """Utility against epsilon, for a given number of rows.

    Args:
        scores: A row per fit: ``epsilon``, ``repeat``, the scores of models trained on
            ``synthetic`` rows and on the fitted ``real`` rows, and a ``note`` on problems. If no
            row has a target, the score is that of guessing.
        metric: The name of the score: ``'AUC'`` or ``'R2'``, on rows that were not fitted.
        num_rows: Number of rows of each fit.
        num_different: Number of different rows; if below ``num_rows``, rows were repeated.
        origin: The origin of the table, as stated by the caller.
    """

    scores: pd.DataFrame
    metric: str
    num_rows: int
    num_different: int
    origin: str

    def figure(self) -> go.Figure:
        """Draw a dot per fit, a line through the medians, and the score of the real rows."""
        epsilons = self.scores['epsilon']
        farthest = FARTHER * epsilons.where(np.isfinite(epsilons)).max()
        shown = epsilons.replace(math.inf, farthest if farthest > 0 else 1.0)
        medians = self.scores['synthetic'].groupby(shown).median()
        color = {'color': SYNTHETIC_COLOR}
        dots = go.Scatter(x=shown, y=self.scores['synthetic'], mode='markers', name='one fit')
        line = go.Scatter(x=medians.index, y=medians, mode='lines', name='synthetic rows')
        figure = go.Figure([dots, line])
        figure.update_traces(marker=color | {'size': 6, 'opacity': 0.5}, line=color | {'width': 2})
        figure = styled(figure, height=320)
        label = {'text': 'real rows', 'yanchor': 'top', 'textposition': 'start', 'padding': 4}
        real, dash = float(self.scores['real'].median()), {'color': REAL_COLOR, 'dash': 'dash'}
        figure.add_hline(y=real, line=dash, label=label)
        names = list(map(_spell, sorted(set(epsilons))))
        title = f'ε, for {self.num_rows:,} rows'
        figure.update_xaxes(type='log', title=title, tickvals=medians.index, ticktext=names)
        name = {'text': f'{self.metric} on rows kept aside', 'standoff': 12}
        return figure.update_yaxes(title=name, tickformat='.2f')

    def __str__(self) -> str:
        runs = self.scores.groupby('epsilon')['synthetic']
        table = runs.agg(lowest='min', median='median', best='max').rename(index=_spell)
        table = table.rename_axis(None).rename_axis('epsilon', axis=1)
        table.loc['real rows'] = [np.nan, self.scores['real'].median(), np.nan]
        noted = self.scores[self.scores['note'] != ''].drop_duplicates(['epsilon', 'note'])
        notes = zip(noted['epsilon'], noted['note'], strict=True)
        origin, caveat = CAVEATS[self.origin]
        said = [
            f'Nothing was spent: no private row was read, as you said that the table is {origin}. '
            f'{caveat}'
        ]
        if self.num_rows > self.num_different:
            said.append(
                f'The rows are {self.num_different:,} different ones, repeated. Their noise is '
                f'that of {self.num_rows:,} rows, so compare scores with those without noise. '
                f'The scores without noise are those of {self.num_different:,} rows, which is '
                'pessimistic; repeated values look common, which is optimistic.'
            )
        lines = [
            f'{self.metric} of models trained on synthetic rows, for {self.num_rows:,} rows',
            '',
            table.to_string(float_format='{:.3f}'.format, na_rep=''),
            *(f'At epsilon {_spell(epsilon)}: {note}.' for epsilon, note in notes),
            '',
            *(textwrap.fill(each, width=88) for each in said),
        ]
        return '\n'.join(lines)


def privacy_curve(  # noqa: PLR0913 (what, how it is released, and how often)
    table: pd.DataFrame,
    make: Callable[[float], Any],
    target: str,
    *,
    origin: Origin,
    epsilons: Sequence[float] = EPSILONS,
    num_rows: int | None = None,
    repeats: int = 3,
    seed: int = 0,
    verbose: bool = True,
) -> PrivacyCurve:
    """Return the scores of models for several epsilons, from fits of rows that need no protection.

    Use it to choose epsilon, before the private table is fitted once. **Never give it the private
    table**: each fit would be a release, and a choice by their scores another one.

    The number of rows matters most, because the noise does not depend on it: pass that of the
    private table as ``num_rows``. Rows to fit are drawn from seven tenths of ``table``, with
    repetition if these are too few. Models are tested on the other three tenths.

    Args:
        table: Rows like the private ones.
        make: Returns an unfitted synthesizer of SDV for a given epsilon. A synthesizer of this
            package needs ``accept='noise'`` if the rows are few for the smallest epsilon.
        target: The column that models are trained to predict.
        origin: ``'public'``: anybody may have the table. ``'made up'``: its rows describe nobody.
            ``'released'``: it was sampled from a synthesizer that has been fitted and paid for.
        epsilons: The epsilons to try; ``math.inf`` stands for no noise.
        num_rows: About the number of rows of the private table; by default seven tenths of
            ``table``.
        repeats: Number of fits at each epsilon.
        seed: Seed of the choice of rows; the noise of the fits has none.
        verbose: Whether to show progress.

    Raises:
        ValueError: If an argument is out of range, or the table lacks the target.
        ImportError: If LightGBM is not installed.
    """
    if origin not in get_args(Origin):
        raise InputError(
            f'origin must be one of {get_args(Origin)}, got {origin!r}. A private table must not '
            'be used for choosing epsilon: every fit would be a release of its own, and their '
            'scores a disclosure that no budget pays for. Take a public table that resembles it, '
            'made-up rows, or rows sampled from a synthesizer that is released already.'
        )
    _check(table, target, epsilons, num_rows, repeats)
    epsilons = sorted(set(map(float, epsilons)))
    description = _describe(make, epsilons)
    num_test = round(TEST_SHARE * len(table))
    size = num_rows or len(table) - num_test
    tried = []
    with tqdm(total=repeats * len(epsilons), desc='Privacy curve', disable=not verbose) as bar:
        for repeat, (train, test) in enumerate(_split(table, size, num_test, repeats, seed)):
            for epsilon in epsilons:
                scored = _try_out(make(epsilon), train, test, target, description)
                metric = str(scored.columns[0])
                scores = scored[metric].fillna(GUESSING[metric])[['synthetic', 'real']]
                told = {'note': scored.loc['synthetic', 'note']}
                tried.append({'epsilon': epsilon, 'repeat': repeat, **scores, **told})
                bar.update()
    return PrivacyCurve(
        scores=pd.DataFrame(tried),
        metric=metric,
        num_rows=size,
        num_different=len(table) - num_test,
        origin=origin,
    )


def _check(
    table: pd.DataFrame, target: str, epsilons: Sequence[float], num_rows: int | None, repeats: int
) -> None:
    if target not in table:
        raise InputError(f'The table has no target column {target!r}: it has {list(table)}.')
    if not len(epsilons) or not all(epsilon > 0 for epsilon in epsilons):
        raise InputError(f'epsilons must be above 0 (or math.inf), got {epsilons}.')
    for name, count in {'num_rows': num_rows, 'repeats': repeats}.items():
        if count is not None and count < 1:
            raise InputError(f'{name} must be at least 1, got {count}.')


def _describe(make: Callable[[float], Any], epsilons: Sequence[float]) -> tuple[str, Any]:
    """Check the synthesizers; return the name of their table, and its metadata."""
    for epsilon in epsilons:
        synthesizer = make(epsilon)
        if getattr(synthesizer, 'epsilon', epsilon) != epsilon:
            raise InputError(
                f'make({epsilon:g}) made a synthesizer with epsilon={synthesizer.epsilon:g}: it '
                'must pass its argument on.'
            )
    tables = synthesizer.get_metadata().to_dict()['tables']
    if len(tables) != 1:
        raise InputError('make must make synthesizers of one table.')
    ((name, described),) = tables.items()
    return name, described


def _split(
    table: pd.DataFrame, num_rows: int, num_test: int, repeats: int, seed: int
) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    rng = np.random.default_rng(seed)
    for _ in range(repeats):
        test, rest = np.split(rng.permutation(len(table)), [num_test])
        train = rng.choice(rest, num_rows, replace=num_rows > len(rest))
        yield table.iloc[train].reset_index(drop=True), table.iloc[test]


def _try_out(
    synthesizer: Any,
    train: pd.DataFrame,
    test: pd.DataFrame,
    target: str,
    description: tuple[str, Mapping[str, Any]],
) -> pd.DataFrame:
    """Fit and sample once; return the scores of models trained on real and on sampled rows."""
    name, described = description
    synthesizer.fit({name: _renumber(train, described)})
    synthetic = synthesizer.sample(num_rows=len(train))[name]
    columns = described['columns']
    real, synthetic, test = (take_learned(each, columns) for each in (train, synthetic, test))
    return train_synthetic_test_real(real, synthetic, test, target)


def _renumber(table: pd.DataFrame, described: Mapping[str, Any]) -> pd.DataFrame:
    """Return the table with new keys, because repeated rows must not share a key."""
    keys = [described.get('primary_key'), *described.get('alternate_keys', [])]
    numbers = pd.Series(np.arange(len(table)))
    for key in keys:
        if isinstance(key, str):
            numeric = pd.api.types.is_numeric_dtype(table[key])
            table = table.assign(**{key: numbers if numeric else numbers.astype(str)})
    return table


def _spell(epsilon: float) -> str:
    return 'no noise' if math.isinf(epsilon) else f'{epsilon:g}'


def styled(figure: go.Figure, *, height: int) -> go.Figure:
    """Give a figure the style of the page; height in pixels."""
    figure.update_layout(
        template='none',
        height=height,
        margin={'l': 8, 'r': 8, 't': 8, 'b': 8},
        showlegend=False,
        bargap=0.35,
        hovermode='closest',
        paper_bgcolor='rgba(0,0,0,0)',
        plot_bgcolor='rgba(0,0,0,0)',
        font={'family': 'system-ui, sans-serif', 'size': 12, 'color': INK},
    )
    figure.update_xaxes(automargin=True, zeroline=False, showgrid=False, fixedrange=True)
    return figure.update_yaxes(
        automargin=True, zeroline=False, gridcolor=RULE, fixedrange=True, ticklabelstandoff=6
    )
