"""Pictures for a page: shares of rows, curves and scores, as HTML and inline SVG.

Names and numbers are HTML outside the SVG, so they stay readable on narrow screens. Colours follow
the dark mode of the page. Real data is grey and synthetic data is teal in all pictures.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from sdv_threea.arrays import Floats
from sdv_threea.pages.fragments import escape, percent

REAL_COLOR = '#7b8794'
SYNTHETIC_COLOR = '#0b7285'
INK = '#1f2933'
RULE = '#e4e7eb'

#: Number of shades in a grid; shares or scores are rounded up to a shade.
NUM_SHADES = 8

#: Size of a cell in the map of all pairs, in pixels.
MAP_CELL = 22

KEY = '<p class="key"><i class="real"></i>real<i class="synthetic"></i>synthetic</p>'


def histogram(real: Floats, synthetic: Floats, ends: Sequence[str], name: str) -> str:
    """Draw the shares of rows in bins, shape (bins,): real as an area, synthetic as a line.

    ``ends`` are texts below the axis; ``name`` is for readers who cannot see the picture.
    """
    most = max(float(np.max(real)), float(np.max(synthetic)), 1e-12)
    area, line = (_steps(shares / most) for shares in (real, synthetic))
    drawn = (
        f'<path d="{area}V100H0Z" style="fill:var(--fill);stroke:var(--real)"/>'
        f'<path d="{line}" style="fill:none;stroke:var(--synthetic);stroke-width:2"/>'
    )
    top = f'<div class="axis"><span>{percent(most)} of the rows</span></div>'
    return f'{KEY}{top}{_svg(drawn, len(real), name)}{_axis(ends)}'


def levels(labels: Iterable[object], **bars: Floats) -> str:
    """Draw the real or synthetic shares of rows of each level: its name, bars and numbers."""
    most = max(*(float(np.max(each, initial=0)) for each in bars.values()), 1e-12)
    rows = []
    for label, *values in zip(labels, *bars.values(), strict=True):
        drawn = ''.join(
            f'<i class="{kind}" style="width:{value / most:.1%}"></i>'
            for kind, value in zip(bars, values, strict=True)
        )
        told = ' · '.join(map(percent, values))
        rows.append(f'<li><span>{escape(str(label))}</span><div>{drawn}</div><b>{told}</b></li>')
    return f'{KEY if len(bars) > 1 else ""}<ul class="levels">{"".join(rows)}</ul>'


def grids(
    real: Floats, synthetic: Floats, names: Sequence[str], ticks: Sequence[Sequence[str]]
) -> str:
    """Draw two grids of shares side by side; a cell with more rows has more colour.

    Both arrays have the shape (grid rows, grid columns). ``names`` label the vertical and the
    horizontal axis; ``ticks`` has a label for each row and column, empty for none.
    """
    most = max(float(np.max(real)), float(np.max(synthetic)), 1e-12)
    height, width = real.shape
    down, across = (''.join(f'<li>{escape(each)}</li>' for each in labels) for labels in ticks)
    drawn = []
    for role, each in (('real', real), ('synthetic', synthetic)):
        # The square root makes small shares visible.
        name = f'{names[0]} by {names[1]}, {role}'
        svg = _svg(_shade(np.sqrt(each / most), '--hue'), width, name, height)
        drawn.append(
            f'<figure><figcaption>{role} rows</figcaption><b>{escape(names[0])}</b>'
            f'<ol class="down">{down}</ol>{svg}<ol class="across">{across}</ol>'
            f'<b class="end">{escape(names[1])}</b></figure>'
        )
    return f'<div class="grids">{"".join(drawn)}</div>{_scale(most, "--hue", "of the rows")}'


def curve(real: Floats, synthetic: Floats, names: Sequence[str], guess: bool) -> str:
    """Draw the curves of models trained on real and on synthetic rows, points of shape (n, 2).

    ``names`` label the horizontal and the vertical axis; ``guess`` adds the diagonal of a guesser.
    """
    points = np.concatenate([real, synthetic])
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    drawn = '<path d="M0 100L100 0" style="stroke:var(--rule);stroke-dasharray:4"/>' * guess
    for each, color in ((real, 'real'), (synthetic, 'synthetic')):
        x, y = 100 * ((each - low) / span).T
        path = 'L'.join(f'{a:.1f} {100 - b:.1f}' for a, b in zip(x, y, strict=True))
        drawn += f'<path d="M{path}" style="fill:none;stroke:var(--{color});stroke-width:2"/>'
    across, up = names
    top = f'<div class="axis"><span>{escape(up)}: {low[1]:.3g} to {high[1]:.3g}</span></div>'
    ends = [f'{low[0]:.3g}', across, f'{high[0]:.3g}']
    return f'{KEY}{top}{_svg(drawn, 100, f"{up} by {across}")}{_axis(ends)}'


def pair_map(names: Sequence[str], errors: Floats) -> str:
    """Draw the errors of all pairs of columns, in percent; a larger error has more colour.

    ``errors`` are between 0 (equal) and 1 (lost), shape (columns, columns), NaN on the diagonal.
    """
    most = max(float(np.nanmax(errors, initial=0.0)), 1e-12)
    size = len(names) * MAP_CELL
    items = ''.join(f'<li>{at} {escape(name)}</li>' for at, name in enumerate(names, 1))
    heads = [(at + 0.5, 0.7, str(at + 1)) for at in range(len(names))]
    inside = [
        (x + 0.5, y + 1.68, f'{100 * errors[y, x]:.0f}')
        for y, x in np.argwhere(np.isfinite(errors))
    ]
    texts = ''.join(
        f'<text x="{x:g}" y="{y:g}" text-anchor="middle">{said}</text>'
        for x, y, said in [*heads, *inside]
    )
    told = 'The error of the relation of every two columns, in percent of the rows.'
    cells = _shade(np.nan_to_num(errors) / most, '--lost', gap=0.08)
    drawn = (
        f'<svg width="{size}" height="{size + MAP_CELL}" role="img" aria-label="{told}" '
        f'viewBox="0 0 {len(names)} {len(names) + 1}">'
        f'<g transform="translate(0 1)">{cells}</g>{texts}</svg>'
    )
    scroll = '<div class="scroll" role="region" tabindex="0" aria-label="Map of all pairs">'
    return (
        f'{scroll}<div class="map"><ol><li></li>{items}</ol>{drawn}</div></div>'
        f'{_scale(most, "--lost", "of the rows are off")}'
    )


def _scale(most: float, color: str, unit: str) -> str:
    steps = ''.join(
        f'<i style="background:rgba(var({color}),{shade / NUM_SHADES:.2f})"></i>'
        for shade in range(NUM_SHADES + 1)
    )
    return f'<p class="shades">0% {steps} {percent(most)} {unit}</p>'


def gauge(position: float, band: tuple[float, float], real: tuple[float, float]) -> str:
    """Draw a score from chance (0) to real rows (1), and the ranges of other fits and real rows."""
    at, low, high, start, end = (
        100 * min(max(each / 1.1, 0.0), 1.0) for each in (position, *band, *real)
    )
    said = f'{position:.0%} of the way from chance to real rows'
    return (
        f'<span class="gauge" role="img" aria-label="{said}" title="{said}">'
        f'<u style="left:{start:.1f}%;width:{max(end - start, 1):.1f}%"></u>'
        f'<s style="left:{low:.1f}%;width:{max(high - low, 0):.1f}%"></s>'
        f'<i style="left:{at:.1f}%"></i></span>'
    )


def _steps(heights: Floats) -> str:
    """Return the path of steps of width 1; heights between 0 and 1 are drawn on a height of 100."""
    places = [f'{100 * (1 - height):.3g}' for height in heights]
    return f'M0 {places[0]}h1' + ''.join(
        f'V{new}h1' if new != old else 'h1' for old, new in pairwise(places)
    )


def _shade(values: Floats, color: str, gap: float = 0.0) -> str:
    shades = np.ceil(np.clip(values, 0, 1) * NUM_SHADES - 1e-9).astype(int)
    side = 1 - gap
    paths = []
    for shade in range(1, NUM_SHADES + 1):
        cells = ''.join(
            f'M{x} {y}h{side:g}v{side:g}h-{side:g}z' for y, x in np.argwhere(shades == shade)
        )
        if cells:
            paths.append(
                f'<path d="{cells}" style="fill:rgba(var({color}),{shade / NUM_SHADES:.2f})"/>'
            )
    return ''.join(paths)


def _svg(drawn: str, width: float, name: str, height: float = 100) -> str:
    return (
        f'<svg class="plot" viewBox="0 0 {width:g} {height:g}" preserveAspectRatio="none" '
        f'role="img" aria-label="{escape(name)}">{drawn}</svg>'
    )


def _axis(texts: Iterable[str]) -> str:
    return f'<div class="axis">{"".join(f"<span>{escape(each)}</span>" for each in texts)}</div>'
