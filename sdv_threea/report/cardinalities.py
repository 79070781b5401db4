"""Cardinalities of foreign keys: the shares of parent rows with each number of children."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.arrays import Wholes
from sdv_threea.report.distributions import Distribution
from sdv_threea.storage.references import as_columns

#: Edges of bins of counts, from 0 to beyond any number of rows. Fine bins are single counts up to
#: 8; after that, each is twice as wide as the last. The edges of coarse bins are powers of ten.
FINE = np.concatenate([np.arange(9), 8 * 2 ** np.arange(40) + 1])
COARSE = np.concatenate([[0], 10 ** np.arange(13)])

#: Fine edges are used if no count is larger.
MOST_FINE = 64


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
        edges = _bin_edges(np.concatenate(counts))
        shares = [np.histogram(each, edges)[0] / max(len(each), 1) for each in counts]
        compared[title] = Distribution(
            labels=pd.Index(list(map(_label, edges[:-1], edges[1:]))),
            real=shares[0],
            synthetic=shares[1],
            binned=False,
        )
    return compared


def _name_links(links: list[dict[str, Any]]) -> list[tuple[dict[str, Any], str]]:
    """Return foreign keys with their names: both tables, and the columns if two names are equal."""
    names = [f'{link["child_table_name"]} per {link["parent_table_name"]}' for link in links]
    columns = [', '.join(as_columns(link['child_foreign_key'])) for link in links]
    return [
        (link, name if names.count(name) == 1 else f'{name} ({key})')
        for link, name, key in zip(links, names, columns, strict=True)
    ]


def _count(tables: Mapping[str, pd.DataFrame], link: Mapping[str, Any]) -> Wholes:
    """Return the number of child rows that refer to each parent row, shape (rows,)."""
    key, own = (
        list(as_columns(link[side])) for side in ('parent_primary_key', 'child_foreign_key')
    )
    references = tables[link['child_table_name']][own]
    counts = references.set_axis(key, axis=1).value_counts().rename('count').reset_index()
    parents = tables[link['parent_table_name']][key]
    found = parents.merge(counts, on=key, how='left')['count'].fillna(0)
    return np.asarray(found, dtype=np.int64)


def _bin_edges(counts: Wholes) -> Wholes:
    """Return edges of bins that cover all counts; a bin excludes its upper edge."""
    low, high = counts.min(), counts.max()
    edges = FINE if high <= MOST_FINE else COARSE
    return edges[edges.searchsorted(low, 'right') - 1 : edges.searchsorted(high, 'right') + 1]


def _label(low: int, end: int) -> str:
    """Return the name of the bin from ``low`` up to, but without, ``end``."""
    if end - low == 1:
        return f'{low}'
    return f'{low:,}+' if end == 10 * low else f'{low}–{end - 1}'
