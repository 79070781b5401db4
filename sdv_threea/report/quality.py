"""How alike the synthetic and the real tables are, by SDMetrics.

In go both and their metadata. Out come SDMetrics' scores, and the shares of rows that show what is
behind the worst of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from sdmetrics.reports import DiagnosticReport, QualityReport

from sdv_threea.report.distributions import Distribution, compare_distributions
from sdv_threea.report.inputs import as_tables
from sdv_threea.report.joint import JointDistribution, compare_joint

#: The most pairs of columns of a table whose joint shares of rows are kept: the worst matches.
NUM_PAIRS = 6


@dataclass(frozen=True, kw_only=True, eq=False)
class Quality:
    """Scores between 0 and 1; 1 is best. Measured on real data: not differentially private.

    Args:
        overall: The mean of ``shapes`` and ``pairs``; for a database, also of the scores between
            tables.
        shapes: How alike single columns are, in the mean.
        pairs: How alike the relations between two columns are, in the mean over *all* pairs; NaN
            for a single column.
        diagnostic: Whether the tables are valid: types, ranges, categories, keys. Expect 1.
        columns: SDMetrics' details by column (``Table``, ``Column``, ``Metric``, ``Score``).
        column_pairs: SDMetrics' details by pair (``Table``, ``Column 1``, ``Column 2``,
            ``Score``, ...).
        distributions: The shares of rows behind ``columns``, by table and column.
        joints: The shares of rows behind the worst of ``column_pairs``, by table and columns.
        properties: All mean scores, by SDMetrics' names for them.
        details: All details of both reports, by the same names. For a database they include how
            many rows refer to a row, and how columns of a row and of its parents are related.
    """

    overall: float
    shapes: float
    pairs: float
    diagnostic: float
    columns: pd.DataFrame
    column_pairs: pd.DataFrame
    distributions: dict[tuple[str, str], Distribution]
    joints: dict[tuple[str, str, str], JointDistribution] = field(default_factory=dict)
    properties: dict[str, float] = field(default_factory=dict)
    details: dict[str, pd.DataFrame] = field(default_factory=dict)


def measure_quality(
    real: pd.DataFrame | Mapping[str, pd.DataFrame],
    synthetic: pd.DataFrame | Mapping[str, pd.DataFrame],
    metadata: Any,
) -> Quality:
    """Run SDMetrics' quality and diagnostic reports on a table or a database.

    By default SDMetrics 0.32 leaves out pairs that are weakly related in the real data. That
    flatters synthesizers that invent relations. Both thresholds are set to zero here, so every pair
    counts. For a pair of a number and a category, SDMetrics bins each table over that table's own
    range. So a few values beyond the real range may cost a lot.

    Args:
        real: The real table, or the tables by name.
        synthetic: Its synthetic counterpart.
        metadata: SDV metadata of it.

    Returns:
        The scores.

    Raises:
        ValueError: If a table or a column of the metadata is missing.
    """
    description = metadata.to_dict()
    tables = as_tables(real, description, 'real'), as_tables(synthetic, description, 'synthetic')
    report, diagnostic = QualityReport(), DiagnosticReport()
    report.real_correlation_threshold = report.real_association_threshold = 0.0
    for each in (report, diagnostic):
        each.generate(*tables, description, verbose=False)
    properties = _list_properties(report) | _list_properties(diagnostic)
    details = {
        name: each.get_details(name)
        for each in (report, diagnostic)
        for name in each.get_properties()['Property']
    }
    columns, pairs = (
        details[name].reindex(columns=[*wanted, *details[name].columns.difference(wanted)])
        for name, wanted in (
            ('Column Shapes', ['Table', 'Column', 'Metric', 'Score']),
            ('Column Pair Trends', ['Table', 'Column 1', 'Column 2', 'Metric', 'Score']),
        )
    )
    return Quality(
        overall=float(report.get_score()),
        shapes=properties['Column Shapes'],
        pairs=properties['Column Pair Trends'],
        diagnostic=float(diagnostic.get_score()),
        columns=columns,
        column_pairs=pairs,
        distributions=_share_columns(columns, tables, description),
        joints=_share_pairs(pairs, tables, description),
        properties=properties,
        details={name: table for name, table in details.items() if len(table)},
    )


#: The real and the synthetic tables, by name.
Tables = tuple[dict[str, pd.DataFrame], dict[str, pd.DataFrame]]


def _list_properties(report: Any) -> dict[str, float]:
    """Return the mean scores of a report of SDMetrics, by name."""
    scores = report.get_properties().set_index('Property')['Score']
    return {name: float(score) for name, score in scores.items()}


def _share_columns(
    columns: pd.DataFrame, tables: Tables, description: Mapping[str, Any]
) -> dict[tuple[str, str], Distribution]:
    """Compute the shares of the rows of every column that has a score."""
    return {
        (table, column): compare_distributions(
            tables[0][table][column],
            tables[1][table][column],
            description['tables'][table]['columns'][column],
        )
        for table, column in zip(columns['Table'], columns['Column'], strict=True)
    }


def _share_pairs(
    pairs: pd.DataFrame, tables: Tables, description: Mapping[str, Any]
) -> dict[tuple[str, str, str], JointDistribution]:
    """Compute the joint shares of rows of the worst pairs; those without a score are left out."""
    worst = pairs.dropna(subset=['Score']).sort_values('Score', kind='stable')
    worst = worst.groupby('Table', sort=False).head(NUM_PAIRS)
    shared = {}
    for table, *names in worst[['Table', 'Column 1', 'Column 2']].itertuples(index=False):
        columns = description['tables'][table]['columns']
        kinds = {name: columns[name] for name in names}
        shared[table, names[0], names[1]] = compare_joint(tables[0][table], tables[1][table], kinds)
    return shared
