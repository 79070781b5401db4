"""Draw the pictures of the README into ``docs/pictures/``.

    pip install kaleido==0.2.1 && python docs/make_pictures.py

That release of Kaleido brings the browser that it needs; newer ones look for one.
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import plotly.graph_objects as go
from kaleido.scopes.plotly import PlotlyScope
from plotly.offline import get_plotlyjs

from sdv_threea import ClustMixMultiTableSynthesizer
from sdv_threea.datasets import load_hospital
from sdv_threea.report import compare_cardinalities, draw_cardinalities, draw_schema

PICTURES = Path(__file__).parent / 'pictures'
CODES = ['admission_type', 'discharge_disposition', 'admission_source']

#: Pixels: that of the pictures which have no width of their own.
WIDTH = 760


def write_picture(scope: PlotlyScope, figure: go.Figure, name: str) -> None:
    """Write a figure as a vector picture, on white: a page may be dark."""
    figure.update_layout(paper_bgcolor='white', plot_bgcolor='white')
    width, height = figure.layout.width or WIDTH, figure.layout.height
    picture = scope.transform(figure.to_dict(), format='svg', width=width, height=height)
    (PICTURES / f'{name}.svg').write_bytes(picture)


def main() -> None:
    """Fit Hospital at epsilon 3, and draw it."""
    warnings.simplefilter('ignore', UserWarning)
    tables, metadata = load_hospital()
    synthesizer = ClustMixMultiTableSynthesizer(
        metadata,
        epsilon=3.0,
        delta=1e-6,
        privacy_unit='patient',
        public_tables=CODES,
        target={'encounter': 'readmitted'},
    )
    synthesizer.fit(tables)
    cardinalities = compare_cardinalities(tables, synthesizer.sample_scale(1.0), metadata)
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        # The Plotly that Kaleido brings is older than the one that made the figures.
        plotly = Path(folder) / 'plotly.min.js'
        plotly.write_text(get_plotlyjs(), encoding='utf-8')
        scope = PlotlyScope(plotlyjs=str(plotly), mathjax=None)
        write_picture(scope, draw_schema(synthesizer), 'hospital_schema')
        write_picture(scope, draw_cardinalities(cardinalities), 'hospital_cardinalities')


if __name__ == '__main__':
    main()
