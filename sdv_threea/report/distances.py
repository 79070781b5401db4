"""How far synthetic rows are from the closest real one, by SDMetrics: a hint, and no proof."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from sdmetrics.single_table import DCRBaselineProtection

from sdv_threea.report.tables import take_learned

#: Rows that are compared, drawn at random: all pairs of them are formed.
MOST_ROWS = 500


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
        columns = described['columns']
        tables = [take_learned(each[name], columns) for each in (real, synthetic)]
        size = min(MOST_ROWS, *map(len, tables))
        if not size or tables[0].empty:
            continue
        kinds = {column: {'sdtype': _find_kind(tables[0][column])} for column in tables[0]}
        plain = {'tables': {name: {'columns': kinds}}}
        told = DCRBaselineProtection.compute_breakdown(
            *tables, plain, name, num_rows_subsample=size
        )
        medians = told['median_DCR_to_real_data']
        if medians['random_data_baseline'] > 0:
            rows[name] = {
                'synthetic to real': float(medians['synthetic_data']),
                'random to real': float(medians['random_data_baseline']),
                'baseline protection': float(told['score']),
            }
    return pd.DataFrame.from_dict(rows, orient='index')


def _find_kind(column: pd.Series) -> str:
    """Dates are numbers here, and SDMetrics knows no distance of ordered categories."""
    return 'numerical' if pd.api.types.is_float_dtype(column) else 'categorical'
