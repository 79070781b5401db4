"""Distances of synthetic rows to the closest real one (DCR), by SDMetrics.

Out come median distances per table. A distance of zero hints at copied rows, but no distance proves
that anybody is protected.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from sdmetrics.single_table import DCRBaselineProtection

from sdv_threea.report.inputs import take_learned

#: The most rows of a table that are compared, drawn at random: all pairs of rows are compared.
SAMPLED_ROWS = 500


def measure_distances(
    real: Mapping[str, pd.DataFrame],
    synthetic: Mapping[str, pd.DataFrame],
    description: Mapping[str, Any],
) -> pd.DataFrame:
    """Return the median distance to the closest real row (DCR) in each table.

    The distance of two rows is the mean over columns: the difference of two numbers divided by the
    real range, or 0 for equal and 1 for different categories. Distances show copies, but they say
    little about privacy: a table far from the real one may give a person away, and a close one may
    be safe.

    Returns:
        A row per table, measured on at most 500 rows of each. ``synthetic to real`` is the median
        distance of a synthetic row to the closest real one; ``random to real`` is that of a row
        drawn uniformly; ``baseline protection`` is the first divided by the second, at most 1.
        Tables are left out if they have no column to compare, or so few possible values that most
        random rows equal real ones.
    """
    rows = {}
    for name, described in description['tables'].items():
        columns = described['columns']
        tables = [take_learned(each[name], columns) for each in (real, synthetic)]
        # SDMetrics cannot draw uniform values of a column that has none.
        filled = [column for column in tables[0] if tables[0][column].notna().any()]
        tables = [table[filled] for table in tables]
        size = min(SAMPLED_ROWS, *map(len, tables))
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
    """Return the sdtype for SDMetrics, which has no distance for ordered categories."""
    return 'numerical' if pd.api.types.is_float_dtype(column) else 'categorical'
