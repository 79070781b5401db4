"""Similarity of the synthetic and the real tables, by SDMetrics."""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from sdmetrics.reports import DiagnosticReport, QualityReport

from sdv_threea.report.distributions import Distribution, compare_distributions
from sdv_threea.report.inputs import as_tables, describe_tables
from sdv_threea.storage.relationships import as_columns

#: Tables with more columns get no scores of real and of shuffled rows, which take as long as the
#: score itself.
MOST_COLUMNS = 60


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Quality:
    """Scores between 0 and 1; 1 is best. Measured on real data: not differentially private.

    Args:
        overall: The mean of ``shapes`` and ``pairs``, and of scores between tables.
        shapes: The mean similarity of single columns.
        pairs: The mean similarity of relations, over *all* pairs of columns; NaN for no pair.
        diagnostic: Validity of the tables: types, ranges, categories, keys. It should be 1.
        columns: SDMetrics' details by column (``Table``, ``Column``, ``Metric``, ``Score``).
        column_pairs: SDMetrics' details by pair (``Table``, ``Column 1``, ``Column 2``, ``Score``).
        distributions: The shares of rows behind ``columns``, by table and column.
        real: ``overall`` for resampled real rows, as many as are synthetic.
        chance: ``overall`` for shuffled real columns, which are independent.
        in_common_bins: ``overall`` if numbers of both tables have the same range, so that SDMetrics
            cuts them into the same bins. ``real``, ``chance`` and ``in_common_bins`` are NaN for
            databases, and for tables of many columns.
        properties: All mean scores, by SDMetrics' names for them.
        details: All details of both reports, by the same names; for a database also of numbers of
            rows that refer to a row, and of relations between columns of a row and of its parents.
    """

    overall: float
    shapes: float
    pairs: float
    diagnostic: float
    columns: pd.DataFrame
    column_pairs: pd.DataFrame
    distributions: dict[tuple[str, str], Distribution]
    real: float = math.nan
    chance: float = math.nan
    in_common_bins: float = math.nan
    properties: dict[str, float] = field(default_factory=dict)
    details: dict[str, pd.DataFrame] = field(default_factory=dict)


def measure_quality(
    real: pd.DataFrame | Mapping[str, pd.DataFrame],
    synthetic: pd.DataFrame | Mapping[str, pd.DataFrame],
    metadata: Any,
    seed: int = 0,
    constraints: Sequence[Mapping[str, Any]] = (),
) -> Quality:
    """Run SDMetrics' quality and diagnostic reports on a table or a database.

    By default SDMetrics 0.32 leaves out pairs that are weakly related in the real data, which
    flatters synthesizers that invent relations. Here both thresholds are zero, so every pair
    counts. For a pair of a numerical and a categorical column, SDMetrics bins each table over its
    own range, so a few values beyond the real range may cost a lot.

    Args:
        real: The real table, or the tables by name.
        synthetic: Its synthetic counterpart.
        metadata: SDV metadata of it.
        seed: Seed of the real rows that are resampled.
        constraints: Constraints that rows should obey, as ``get_constraint_dict`` returns them.

    Raises:
        ValueError: If a table or a column of the metadata is missing.
    """
    description = describe_tables(metadata)
    tables = as_tables(real, description, 'real'), as_tables(synthetic, description, 'synthetic')
    report, diagnostic = _make_report(), DiagnosticReport()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # SDMetrics quotes real cells
        report.generate(*tables, description, verbose=False)
        diagnostic.generate(*tables, description, list(map(dict, constraints)), verbose=False)
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
    controls = _score_controls(tables, description, seed)
    if 'Intertable Trends' in details:
        details['Intertable Trends'] = _add_chance(
            details['Intertable Trends'], tables, description, seed
        )
    return Quality(
        overall=float(report.get_score()),
        shapes=properties['Column Shapes'],
        pairs=properties['Column Pair Trends'],
        diagnostic=float(diagnostic.get_score()),
        columns=columns,
        column_pairs=pairs,
        distributions=_share_columns(columns, tables, description),
        real=controls[0],
        chance=controls[1],
        in_common_bins=controls[2],
        properties=properties,
        details={name: table for name, table in details.items() if len(table)},
    )


#: The real and the synthetic tables, by name.
Tables = tuple[dict[str, pd.DataFrame], dict[str, pd.DataFrame]]


def _make_report() -> QualityReport:
    report = QualityReport()
    report.real_correlation_threshold = report.real_association_threshold = 0.0
    return report


def _score_controls(
    tables: Tables, description: Mapping[str, Any], seed: int
) -> tuple[float, float, float]:
    """Return the scores of resampled real rows, of shuffled real columns, and in common bins."""
    (name, real), *others = tables[0].items()
    if others or not len(real) or len(real.columns) > MOST_COLUMNS:
        return math.nan, math.nan, math.nan
    rng = np.random.default_rng(seed)
    synthetic = tables[1][name]
    size = max(len(synthetic), 1)
    again = real.iloc[rng.integers(len(real), size=size)].reset_index(drop=True)
    shuffled = pd.DataFrame(
        {column: again[column].to_numpy()[rng.permutation(size)] for column in again}
    ).astype(again.dtypes)
    scores = []
    for each in (again, shuffled, _give_range(synthetic, real)):
        report = _make_report()
        report.generate({name: real}, {name: each}, description, verbose=False)
        scores.append(float(report.get_score()))
    return scores[0], scores[1], scores[2]


def _give_range(synthetic: pd.DataFrame, real: pd.DataFrame) -> pd.DataFrame:
    """Return the synthetic table with the real range: two of its rows get the real ends."""
    given = synthetic.copy()
    for name in real.select_dtypes(['number', 'datetime']):
        low, high = real[name].min(), real[name].max()
        if len(given) > 1 and pd.notna(low) and given[name].dtype == real[name].dtype:
            numbers = given[name].clip(low, high).to_numpy(copy=True)
            numbers[:2] = low, high
            given[name] = numbers
    return given


def _add_chance(
    trends: pd.DataFrame, tables: Tables, description: Mapping[str, Any], seed: int
) -> pd.DataFrame:
    """Add ``Chance``, the scores if synthetic rows refer at random; not for many columns."""
    if max(len(table.columns) for table in tables[0].values()) > MOST_COLUMNS:
        return trends
    rng, strangers = np.random.default_rng(seed), dict(tables[1])
    for link in description['relationships']:
        child, key = link['child_table_name'], link['child_foreign_key']
        keys = list(as_columns(key))
        table = strangers[child]
        dealt = table[keys].iloc[rng.permutation(len(table))].set_axis(table.index)
        strangers[child] = table.assign(**{name: dealt[name] for name in keys})
    report = _make_report()
    report.generate(tables[0], strangers, description, verbose=False)
    places = ['Parent Table', 'Child Table', 'Foreign Key', 'Column 1', 'Column 2']
    chance = report.get_details('Intertable Trends')[[*places, 'Score']]
    return trends.merge(chance.rename(columns={'Score': 'Chance'}), how='left', on=places)


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
