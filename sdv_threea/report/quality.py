"""How close the synthetic table is to the real one, by SDMetrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
from sdmetrics.reports import DiagnosticReport, QualityReport

from sdv_threea.report.distributions import Distribution, compare_distributions


@dataclass(frozen=True, kw_only=True, eq=False)
class Quality:
    """Scores between 0 and 1, higher is closer. Measured on real data: not private.

    Args:
        overall: The mean of ``shapes`` and ``pairs``.
        shapes: Mean closeness of the columns, one by one.
        pairs: Mean closeness of the relations between two columns, over *all* pairs;
            NaN for a single column.
        diagnostic: Whether the table is valid: types, ranges, categories, keys. Expect 1.
        columns: SDMetrics' details by column (``Column``, ``Metric``, ``Score``).
        column_pairs: SDMetrics' details by pair (``Column 1``, ``Column 2``, ``Score``, ...).
        distributions: The shares of rows behind ``columns``, for drawing them.
    """

    overall: float
    shapes: float
    pairs: float
    diagnostic: float
    columns: pd.DataFrame
    column_pairs: pd.DataFrame
    distributions: dict[str, Distribution]


def measure_quality(real: pd.DataFrame, synthetic: pd.DataFrame, metadata: Any) -> Quality:
    """Run SDMetrics' quality and diagnostic reports on one table.

    SDMetrics 0.32 leaves out pairs that are weakly related in the real data, which flatters
    synthesizers that invent relations; both thresholds are set to zero here, so every pair counts.
    Its pairs of a number and a category bin each table over that table's own range: a few values
    beyond the real range cost more than they seem worth.

    Args:
        real: The real table.
        synthetic: Its synthetic counterpart.
        metadata: SDV metadata of that one table.

    Returns:
        The scores.

    Raises:
        ValueError: If the metadata does not describe exactly one table.
    """
    description = metadata.to_dict()
    if len(description['tables']) != 1:
        raise ValueError('Expected metadata of one table; measure the tables one at a time.')
    (name,) = description['tables']
    tables = {name: real}, {name: synthetic}
    report, diagnostic = QualityReport(), DiagnosticReport()
    report.real_correlation_threshold = report.real_association_threshold = 0.0
    for each in (report, diagnostic):
        each.generate(*tables, description, verbose=False)
    columns = report.get_details('Column Shapes', table_name=name)
    kinds = description['tables'][name]['columns']
    properties = report.get_properties().set_index('Property')['Score']
    return Quality(
        overall=float(report.get_score()),
        shapes=float(properties['Column Shapes']),
        pairs=float(properties['Column Pair Trends']),
        diagnostic=float(diagnostic.get_score()),
        columns=columns,
        column_pairs=report.get_details('Column Pair Trends', table_name=name),
        distributions={
            column: compare_distributions(real[column], synthetic[column], kinds[column])
            for column in columns['Column']
        },
    )
