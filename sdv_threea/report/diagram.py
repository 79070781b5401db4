"""A picture of a database: which table refers to which, and what of each is protected.

In goes a synthesizer of several tables. Out comes a figure with a box per table and an arrow per
foreign key, made of the metadata and the settings alone. Places are in pixels; upwards is positive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple, Protocol

import plotly.graph_objects as go

from sdv_threea.report.figures import INK, REAL_COLOR, SYNTHETIC_COLOR, styled

#: The size of a box, and the distances between the middles of neighbouring boxes, in pixels.
BOX_WIDTH, BOX_HEIGHT, STEP_X, STEP_Y = 164, 46, 188, 104

#: How often all tables are moved near those that they share a foreign key with.
SWEEPS = 4


class Role(NamedTuple):
    """What is protected of a table, in words, and the colours and line of its box."""

    words: str
    fill: str
    ink: str
    line: str
    dash: str = 'solid'


UNIT = Role('unit of privacy', SYNTHETIC_COLOR, 'white', SYNTHETIC_COLOR)
HANGING = Role('protected with its unit', '#d8f0f3', INK, SYNTHETIC_COLOR)
APART = Role('protected row by row', '#fdf0d5', INK, '#c77d0a')
PUBLIC = Role('public, copied', 'white', INK, REAL_COLOR, 'dot')


class Protecting(Protocol):
    """A synthesizer of several tables, fitted or not."""

    metadata: Any
    privacy_unit: str | None
    public_tables: Sequence[str]


def draw_schema(synthesizer: Protecting) -> go.Figure:
    """Draw the tables, the foreign keys between them, and what is protected.

    The picture shows the metadata and the settings. Both are public.

    Args:
        synthesizer: A synthesizer of several tables, such as ``ClustMixMultiTableSynthesizer``.

    Returns:
        A figure with a box per table. A table is below those that it refers to, with an arrow to
        each of them. Hovering over a box shows the names of its columns.
    """
    tables = synthesizer.metadata.to_dict()['tables']
    links = [
        (each['child_table_name'], each['parent_table_name'])
        for each in synthesizer.metadata.relationships
    ]
    roles = find_roles(list(tables), links, synthesizer.privacy_unit, synthesizer.public_tables)
    places = place_tables(list(tables), links)
    figure = go.Figure([_legend(role, roles) for role in (UNIT, HANGING, APART, PUBLIC)])
    figure.add_trace(_hover(tables, places))
    for child, parent in dict.fromkeys(links):
        figure.add_shape(**_curve(places[child], places[parent]))
        figure.add_shape(**_arrow(places[parent]))
    for name, place in places.items():
        figure.add_shape(**_box(place, roles[name]))
        figure.add_annotation(**_words(name, place, roles[name]))
    return _framed(figure, places)


def find_roles(
    tables: Sequence[str],
    links: Sequence[tuple[str, str]],
    unit: str | None,
    public: Sequence[str],
) -> dict[str, Role]:
    """Find what is protected of each table.

    Args:
        tables: Names of the tables.
        links: The names of the child and of the parent of each foreign key.
        unit: The table whose rows are the units of privacy; ``None`` for the first private table
            that refers to no other private one.
        public: Names of the public tables.

    Returns:
        The role of each table, by name.
    """
    ties = [link for link in links if not set(link) & set(public)]
    private = [name for name in tables if name not in public]
    free = [name for name in private if name not in {child for child, _ in ties}]
    unit = unit or next(iter(free), None)
    hanging: set[str] = set()
    for _ in private:
        hanging |= {child for child, parent in ties if parent in {unit, *hanging}}
    roles = dict.fromkeys(tables, APART)
    roles |= dict.fromkeys(hanging, HANGING)
    roles |= dict.fromkeys(public, PUBLIC)
    return roles if unit is None else roles | {unit: UNIT}


def place_tables(
    tables: Sequence[str], links: Sequence[tuple[str, str]]
) -> dict[str, tuple[float, float]]:
    """Choose places for tables, below and near those that they refer to.

    Levels are found first. Then each table is moved, level by level and several times, to the mean
    place of the tables that it shares a foreign key with (the barycentre method of layered graphs).

    Args:
        tables: Names of the tables.
        links: The names of the child and of the parent of each foreign key, without a circle.

    Returns:
        The middle of each table's box, by name: pixels to the right of the middle of the picture,
        and pixels above the uppermost level, which is zero or negative.
    """
    levels = _find_levels(tables, links)
    rows = [[name for name in tables if levels[name] == at] for at in sorted(set(levels.values()))]
    across: dict[str, float] = {}
    for row in rows:
        across |= _spread(row, 0.0)
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            pulls = {name: _pull(name, links, across) for name in row}
            across |= _spread(sorted(row, key=pulls.__getitem__), sum(pulls.values()) / len(row))
    return {name: (across[name] * STEP_X, -levels[name] * STEP_Y) for name in tables}


def _find_levels(tables: Sequence[str], links: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Return the level of each table, 0 at the top; children are on lower levels than parents."""
    levels = dict.fromkeys(tables, 0)
    # As high as its parents let each table be, ...
    for _ in tables:
        for child, parent in links:
            levels[child] = max(levels[child], levels[parent] + 1)
    # ... and then as low as its children let it be, so that arrows are short.
    for _ in tables:
        for name in tables:
            below = [levels[child] - 1 for child, parent in links if parent == name]
            levels[name] = min(below, default=levels[name])
    return levels


def _spread(row: Sequence[str], middle: float) -> dict[str, float]:
    """Place the tables of a level side by side, one step apart."""
    return {name: middle + at - (len(row) - 1) / 2 for at, name in enumerate(row)}


def _pull(name: str, links: Sequence[tuple[str, str]], across: Mapping[str, float]) -> float:
    """Return the mean place of the tables that a table shares a foreign key with."""
    ends = [across[a if b == name else b] for a, b in links if name in (a, b)]
    return sum(ends) / len(ends) if ends else across[name]


def _box(place: tuple[float, float], role: Role) -> dict[str, Any]:
    x, y = place
    half, up = BOX_WIDTH / 2, BOX_HEIGHT / 2
    return {
        'type': 'rect',
        'x0': x - half,
        'x1': x + half,
        'y0': y - up,
        'y1': y + up,
        'fillcolor': role.fill,
        'line': {'color': role.line, 'width': 1.5, 'dash': role.dash},
    }


def _words(name: str, place: tuple[float, float], role: Role) -> dict[str, Any]:
    return {
        'x': place[0],
        'y': place[1],
        'text': f'<b>{escape(name)}</b><br><span style="font-size:10px">{role.words}</span>',
        'showarrow': False,
        'font': {'color': role.ink},
    }


def _curve(child: tuple[float, float], parent: tuple[float, float]) -> dict[str, Any]:
    """Draw a line from the top of the child to the bottom of the parent, upright at both ends."""
    x0, y0, x1, y1 = *child, *parent
    y0, y1 = y0 + BOX_HEIGHT / 2, y1 - BOX_HEIGHT / 2
    middle = (y0 + y1) / 2
    path = f'M {x0},{y0} C {x0},{middle} {x1},{middle} {x1},{y1}'
    return {'type': 'path', 'path': path, 'line': {'color': REAL_COLOR, 'width': 1.5}}


def _arrow(parent: tuple[float, float]) -> dict[str, Any]:
    x, y = parent[0], parent[1] - BOX_HEIGHT / 2
    path = f'M {x},{y} L {x - 5},{y - 9} L {x + 5},{y - 9} Z'
    return {'type': 'path', 'path': path, 'fillcolor': REAL_COLOR, 'line': {'width': 0}}


def _hover(
    tables: Mapping[str, Mapping[str, Any]], places: Mapping[str, tuple[float, float]]
) -> go.Scatter:
    return go.Scatter(
        x=[x for x, _ in places.values()],
        y=[y for _, y in places.values()],
        mode='markers',
        marker={'size': BOX_HEIGHT, 'opacity': 0},
        text=['<br>'.join(map(escape, tables[name]['columns'])) for name in places],
        hovertemplate='%{text}<extra></extra>',
        showlegend=False,
    )


def _legend(role: Role, roles: Mapping[str, Role]) -> go.Scatter:
    return go.Scatter(
        x=[None],
        y=[None],
        mode='markers',
        name=role.words,
        marker={
            'symbol': 'square',
            'size': 13,
            'color': role.fill,
            'line': {'color': role.line, 'width': 1.5},
        },
        showlegend=role in roles.values(),
    )


def _framed(figure: go.Figure, places: Mapping[str, tuple[float, float]]) -> go.Figure:
    """Set the size and the axes of the figure so that a pixel is one unit of both axes."""
    xs, ys = zip(*places.values(), strict=True)
    left, right = min(xs) - STEP_X / 2, max(xs) + STEP_X / 2
    bottom, top = min(ys) - STEP_Y / 2, max(ys) + STEP_Y / 2
    figure = styled(figure, height=round(top - bottom) + 40)
    figure.update_layout(
        width=round(right - left),
        margin={'l': 0, 'r': 0, 't': 0, 'b': 40},
        showlegend=True,
        legend={'orientation': 'h', 'x': 0.5, 'xanchor': 'center', 'y': 0, 'yanchor': 'top'},
    )
    figure.update_xaxes(visible=False, range=[left, right])
    return figure.update_yaxes(visible=False, range=[bottom, top])
