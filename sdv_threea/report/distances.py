"""How far synthetic rows are from the closest real one, by SDMetrics: a hint, and no proof."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from sdmetrics.single_table import DCRBaselineProtection

#: Rows that are compared, drawn at random: all pairs of them are formed.
MOST_ROWS = 500

#: What SDMetrics can take a distance of.
MEASURED = ('numerical', 'datetime', 'categorical', 'boolean')


def measure_distances(
    real: Mapping[str, pd.DataFrame],
    synthetic: Mapping[str, pd.DataFrame],
    description: Mapping[str, Any],
) -> pd.DataFrame:
    """Measure the distance to the closest record (DCR) in each table.

    A distance is the mean over columns: of numbers the difference over the real range, of
    categories whether they differ. Distances say little about privacy: a table far from the real
    one may give a person away, and one close to it may be safe. They show copies.

    Args:
        real: The real tables by name.
        synthetic: Their synthetic counterparts.
        description: SDV metadata as a dictionary.

    Returns:
        By table, from at most 500 rows of each: ``synthetic to real``, the median distance of a
        synthetic row to the closest real one; ``random to real``, that of a row drawn uniformly;
        ``baseline protection``, one over the other, at most 1. Tables are left out that have no
        column to compare, or so few values that random rows coincide with real ones.
    """
    rows = {}
    for name, described in description['tables'].items():
        kinds = {each['sdtype'] for each in described['columns'].values()}
        size = min(MOST_ROWS, len(real[name]), len(synthetic[name]))
        if not size or not kinds & set(MEASURED):
            continue
        told = DCRBaselineProtection.compute_breakdown(
            real[name], synthetic[name], description, name, num_rows_subsample=size
        )
        medians = told['median_DCR_to_real_data']
        if medians['random_data_baseline'] > 0:
            rows[name] = {
                'synthetic to real': float(medians['synthetic_data']),
                'random to real': float(medians['random_data_baseline']),
                'baseline protection': float(told['score']),
            }
    return pd.DataFrame.from_dict(rows, orient='index')
