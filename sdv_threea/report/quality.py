"""How close the synthetic tables are to the real ones, by SDMetrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from sdmetrics.reports import DiagnosticReport, QualityReport

from sdv_threea.report.distributions import Distribution, compare_distributions
from sdv_threea.report.joint import JointDistribution, compare_joint
from sdv_threea.report.tables import as_tables

#: How many pairs of columns of a table are shared out, the worst matches first.
NUM_PAIRS = 6


@dataclass(frozen=True, kw_only=True, eq=False)
class Quality:
    """Scores between 0 and 1, higher is closer. Measured on real data: not private.

    Args:
        overall: The mean of ``shapes`` and ``pairs``; of a database, of those between tables, too.
        shapes: Mean closeness of the columns, one by one.
        pairs: Mean closeness of the relations between two columns, over *all* pairs;
            NaN for a single column.
        diagnostic: Whether the tables are valid: types, ranges, categories, keys. Expect 1.
        columns: SDMetrics' details by column (``Table``, ``Column``, ``Metric``, ``Score``).
        column_pairs: SDMetrics' details by pair (``Table``, ``Column 1``, ``Column 2``,
            ``Score``, ...).
        distributions: The shares of rows behind ``columns``, by table and column.
        joints: The shares of rows behind the worst of ``column_pairs``, by table and columns.
        properties: All mean scores, by what SDMetrics calls them.
        details: All details of both reports, by the same names; those of a database tell how many
            rows refer to a row, and how columns of a row and of those it refers to are related.
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

    SDMetrics 0.32 leaves out pairs that are weakly related in the real data, which flatters
    synthesizers that invent relations; both thresholds are set to zero here, so every pair counts.
    Its pairs of a number and a category bin each table over that table's own range: a few values
    beyond the real range cost more than they seem worth.

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


Tables = tuple[dict[str, pd.DataFrame], dict[str, pd.DataFrame]]


def _list_properties(report: Any) -> dict[str, float]:
    scores = report.get_properties().set_index('Property')['Score']
    return {name: float(score) for name, score in scores.items()}


def _share_columns(
    columns: pd.DataFrame, tables: Tables, description: Mapping[str, Any]
) -> dict[tuple[str, str], Distribution]:
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
    """Those whose relation is undefined are not among the worst."""
    worst = pairs.dropna(subset=['Score']).sort_values('Score', kind='stable')
    worst = worst.groupby('Table', sort=False).head(NUM_PAIRS)
    shared = {}
    for table, *names in worst[['Table', 'Column 1', 'Column 2']].itertuples(index=False):
        columns = description['tables'][table]['columns']
        kinds = {name: columns[name] for name in names}
        shared[table, names[0], names[1]] = compare_joint(tables[0][table], tables[1][table], kinds)
    return shared
