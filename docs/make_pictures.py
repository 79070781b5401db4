"""Draw the pictures of the README and of the documentation into ``docs/pictures/``.

    pip install kaleido==0.2.1 && python docs/make_pictures.py

That release of Kaleido brings the browser that it needs; newer ones look for one.
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import plotly.graph_objects as go
from budgets import draw_budgets
from kaleido.scopes.plotly import PlotlyScope
from plotly.offline import get_plotlyjs

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.datasets import load_adult, load_hospital
from sdv_threea.report import draw_schema, privacy_curve

PICTURES = Path(__file__).parent / 'pictures'
CODES = ['admission_type', 'discharge_disposition', 'admission_source']

#: Pixels: that of the pictures which have no width of their own.
WIDTH = 760


def write_picture(scope: PlotlyScope, figure: go.Figure, name: str) -> None:
    """Write a figure on white: a page may be dark. The end of the name is its format."""
    figure.update_layout(paper_bgcolor='white', plot_bgcolor='white')
    size = {'width': figure.layout.width or WIDTH, 'height': figure.layout.height}
    form = name.rpartition('.')[2]
    scale = 1 if form == 'svg' else 2
    picture = scope.transform(figure.to_dict(), format=form, scale=scale, **size)
    (PICTURES / name).write_bytes(picture)


def draw_curve() -> go.Figure:
    """Draw what epsilon would buy for 3,000 rows, if they were like those of Adult."""
    adult, _, metadata = load_adult()
    curve = privacy_curve(
        adult,
        lambda epsilon: ClustMixSynthesizer(
            metadata, epsilon=epsilon, target_column='income', accept='noise'
        ),
        'income',
        origin='public',
        num_rows=3_000,
    )
    return curve.figure()


def main() -> None:
    """Draw the tables of Hospital, and utility by epsilon."""
    warnings.simplefilter('ignore', UserWarning)
    _, metadata = load_hospital()
    synthesizer = ClustMixMultiTableSynthesizer(
        metadata,
        epsilon=3.0,
        delta=1e-6,
        privacy_unit='patient',
        public_tables=CODES,
        target={'encounter': 'readmitted'},
    )
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        # The Plotly that Kaleido brings is older than the one that made the figures.
        plotly = Path(folder) / 'plotly.min.js'
        plotly.write_text(get_plotlyjs(), encoding='utf-8')
        scope = PlotlyScope(plotlyjs=str(plotly), mathjax=None)
        draw_schema(synthesizer).save(PICTURES / 'hospital_schema.svg')
        write_picture(scope, draw_budgets(), 'budgets.svg')
        write_picture(scope, draw_curve(), 'privacy_curve.svg')


if __name__ == '__main__':
    main()
