"""The picture of a database, and the number of rows that refer to each row."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd

from sdv_threea.arrays import Wholes
from sdv_threea.pages.fragments import Drawing, escape
from sdv_threea.pages.plots import INK, REAL_COLOR, SYNTHETIC_COLOR
from sdv_threea.report.distributions import Distribution
from sdv_threea.storage.relationships import as_columns

#: The size of a box, and the distances between the centres of neighbouring boxes, in pixels.
BOX_WIDTH, BOX_HEIGHT, STEP_X, STEP_Y = 164, 46, 188, 104

#: How often all tables are moved toward the tables that share a foreign key with them.
SWEEPS = 4

#: The largest number of characters of a name in a box; longer ones are shortened.
LONGEST_NAME = 20


#: Edges of bins of counts, from 0 to beyond any number of rows. Fine bins are single counts up to
#: 8, and then double in width. The edges of coarse bins are powers of ten.
FINE = np.concatenate([np.arange(9), 8 * 2 ** np.arange(40) + 1])

COARSE = np.concatenate([[0], 10 ** np.arange(13)])

#: Fine edges are used up to this largest count.
MOST_FINE = 64


class Role(NamedTuple):
    """The protection of a table in words, and the colours and border of its box."""

    words: str
    fill: str
    ink: str
    line: str
    dash: str = ''


UNIT = Role('unit of privacy', SYNTHETIC_COLOR, 'white', SYNTHETIC_COLOR)
HANGING = Role('protected with its unit', '#d8f0f3', INK, SYNTHETIC_COLOR)
APART = Role('protected row by row', '#fdf0d5', INK, '#c77d0a')
PUBLIC = Role('public, copied', 'white', INK, REAL_COLOR, '3')


class Protecting(Protocol):
    """A multi-table synthesizer, fitted or not."""

    metadata: Any
    privacy_unit: str | None
    public_tables: Sequence[str]


def draw_schema(synthesizer: Protecting) -> Drawing:
    """Draw the tables, the foreign keys between them, and the protection of each table.

    The picture shows the metadata and the settings; both are public. Notebooks show it, and
    ``save`` writes it. A table is below the tables that it refers to, with an arrow to each of
    them. The tooltip of a box has the names of its columns. ``synthesizer`` has several tables,
    such as a ``ClustMixMultiTableSynthesizer``.
    """
    tables = synthesizer.metadata.to_dict()['tables']
    links = [
        (each['child_table_name'], each['parent_table_name'])
        for each in synthesizer.metadata.relationships
    ]
    roles = find_roles(list(tables), links, synthesizer.privacy_unit, synthesizer.public_tables)
    places = place_tables(list(tables), links)
    lines = [_arrow(places[child], places[parent]) for child, parent in dict.fromkeys(links)]
    boxes = [
        _box(name, place, roles[name], list(tables[name]['columns']))
        for name, place in places.items()
    ]
    told = f'{len(tables)} tables, and the protection of each'
    return Drawing(_frame(lines + boxes, places, told), tuple(_tell(roles, links)))


def _tell(roles: Mapping[str, Role], links: Sequence[tuple[str, str]]) -> Iterator[str]:
    for name, role in roles.items():
        parents = ' and '.join(dict.fromkeys(parent for child, parent in links if child == name))
        yield f'{name}: {role.words}' + (f'; refers to {parents}' if parents else '')


def find_roles(
    tables: Sequence[str], links: Sequence[tuple[str, str]], unit: str | None, public: Sequence[str]
) -> dict[str, Role]:
    """Return the role of each table, by name.

    ``links`` are the child and the parent of each foreign key. ``unit`` is the table whose rows are
    the units of privacy; by default the first private table that refers to no other private one.
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
    """Return the centre of each table's box, below and near the tables that it refers to.

    Each table is moved, level by level and several times, to the mean place of the tables that
    share a foreign key with it (the barycentre method of layered graphs).

    Returns:
        By name: pixels to the right of the middle, and pixels above the top level (at most zero).
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
    """Return the level of each table: 0 at the top, and children below their parents."""
    levels = dict.fromkeys(tables, 0)
    # Put each table as high as its parents allow, ...
    for _ in tables:
        for child, parent in links:
            levels[child] = max(levels[child], levels[parent] + 1)
    # ... and then as low as its children allow, so that arrows are short.
    for _ in tables:
        for name in tables:
            below = [levels[child] - 1 for child, parent in links if parent == name]
            levels[name] = min(below, default=levels[name])
    return levels


def _spread(row: Sequence[str], middle: float) -> dict[str, float]:
    return {name: middle + at - (len(row) - 1) / 2 for at, name in enumerate(row)}


def _pull(name: str, links: Sequence[tuple[str, str]], across: Mapping[str, float]) -> float:
    ends = [across[a if b == name else b] for a, b in links if name in (a, b)]
    return sum(ends) / len(ends) if ends else across[name]


def _box(name: str, place: tuple[float, float], role: Role, columns: Sequence[str]) -> str:
    x, y = place[0], -place[1]
    left, top = x - BOX_WIDTH / 2, y - BOX_HEIGHT / 2
    short = name if len(name) <= LONGEST_NAME else f'{name[: LONGEST_NAME - 1]}…'
    text = f'<text x="{x:g}" text-anchor="middle" style="fill:{role.ink}"'
    return (
        f'<g><title>{escape(name)}: {escape(", ".join(map(str, columns)))}</title>'
        f'<rect x="{left:g}" y="{top:g}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" '
        f'style="fill:{role.fill};stroke:{role.line};stroke-dasharray:{role.dash or "none"}"/>'
        f'{text} y="{y - 3:g}" font-weight="bold">{escape(short)}</text>'
        f'{text} y="{y + 13:g}" font-size="11">{role.words}</text></g>'
    )


def _arrow(child: tuple[float, float], parent: tuple[float, float]) -> str:
    (x0, y0), (x1, y1) = child, parent
    start, end = -y0 - BOX_HEIGHT / 2, -y1 + BOX_HEIGHT / 2
    middle = (start + end) / 2
    path = f'M{x0:g} {start:g}C{x0:g} {middle:g} {x1:g} {middle:g} {x1:g} {end:g}'
    return (
        f'<path class="link" d="{path}" style="fill:none;stroke:{REAL_COLOR};stroke-width:1.5"/>'
        f'<path d="M{x1:g} {end:g}l-5 9h10z" style="fill:{REAL_COLOR}"/>'
    )


def _frame(parts: Sequence[str], places: Mapping[str, tuple[float, float]], said: str) -> str:
    xs, ys = zip(*places.values(), strict=True)
    left, top = min(xs) - STEP_X / 2, -max(ys) - STEP_Y / 2
    width, height = max(xs) + STEP_X / 2 - left, -min(ys) + STEP_Y / 2 - top
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:g} {top:g} {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" font-family="system-ui, sans-serif" '
        f'font-size="13" role="img" aria-label="{said}">{"".join(parts)}</svg>'
    )


def compare_cardinalities(
    real: Mapping[str, pd.DataFrame], synthetic: Mapping[str, pd.DataFrame], metadata: Any
) -> dict[str, Distribution]:
    """Return, for each foreign key, the shares of parent rows by their number of children.

    Returns:
        The shares of the real and of the synthetic rows in bins of counts, by the name of the
        foreign key, such as ``'stay per patient'``. Not differentially private.
    """
    compared = {}
    for link, title in _name_links(metadata.relationships):
        counts = [_count(tables, link) for tables in (real, synthetic)]
        edges = _choose_edges(np.concatenate(counts))
        shares = [np.histogram(each, edges)[0] / max(len(each), 1) for each in counts]
        compared[title] = Distribution(
            labels=pd.Index(list(map(_label, edges[:-1], edges[1:]))),
            real=shares[0],
            synthetic=shares[1],
            binned=False,
        )
    return compared


def _name_links(links: list[dict[str, Any]]) -> list[tuple[dict[str, Any], str]]:
    """Name foreign keys by both tables, and by their columns if two names would be equal."""
    names = [f'{link["child_table_name"]} per {link["parent_table_name"]}' for link in links]
    columns = [', '.join(as_columns(link['child_foreign_key'])) for link in links]
    return [
        (link, name if names.count(name) == 1 else f'{name} ({key})')
        for link, name, key in zip(links, names, columns, strict=True)
    ]


def _count(tables: Mapping[str, pd.DataFrame], link: Mapping[str, Any]) -> Wholes:
    key, own = (
        list(as_columns(link[side])) for side in ('parent_primary_key', 'child_foreign_key')
    )
    references = tables[link['child_table_name']][own]
    counts = references.set_axis(key, axis=1).value_counts().rename('count').reset_index()
    parents = tables[link['parent_table_name']][key]
    found = parents.merge(counts, on=key, how='left')['count'].fillna(0)
    return np.asarray(found, dtype=np.int64)


def _choose_edges(counts: Wholes) -> Wholes:
    """Return edges of bins that cover all counts; a bin excludes its upper edge."""
    low, high = counts.min(), counts.max()
    edges = FINE if high <= MOST_FINE else COARSE
    return edges[edges.searchsorted(low, 'right') - 1 : edges.searchsorted(high, 'right') + 1]


def _label(low: int, end: int) -> str:
    if end - low == 1:
        return f'{low}'
    return f'{low:,}+' if end == 10 * low else f'{low}–{end - 1}'
