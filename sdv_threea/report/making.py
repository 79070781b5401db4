"""The report of a release, in one call.

In go the real and the synthetic tables and their metadata; with the synthesizer the report also
says what is promised, and with test rows and a target how well models do. Out comes a
:class:`~sdv_threea.report.result.Report`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import pandas as pd

from sdv_threea.names import check_table_names
from sdv_threea.report.cardinalities import compare_cardinalities
from sdv_threea.report.diagram import draw_schema
from sdv_threea.report.distances import measure_distances
from sdv_threea.report.inputs import LEARNED, as_tables, take_learned
from sdv_threea.report.quality import measure_quality
from sdv_threea.report.result import Report
from sdv_threea.report.utility import Utility, measure_utility

Data: TypeAlias = pd.DataFrame | Mapping[str, pd.DataFrame]


def make_report(
    real: Data,
    synthetic: Data,
    metadata: Any,
    *,
    synthesizer: Any = None,
    test: Data | None = None,
    target: str | Mapping[str, str] | None = None,
) -> Report:
    """Measure what a release is worth, and say what it promises.

    A comparison with real data discloses something about it, and no budget pays for that. So the
    report is for those who may see the real data. It holds no real row, but scores, shares of rows
    and curves of few points.

    Args:
        real: The real table, or the tables by name: what the synthesizer was fitted on.
        synthetic: Its synthetic counterpart.
        metadata: SDV metadata of it.
        synthesizer: The fitted synthesizer. The report then says what it promises and, for a
            database, what of each table is protected. One without a privacy statement promises
            nothing.
        test: Real rows that were kept aside, to test models on. Of a database, only the tables with
            a target are needed.
        target: The column to predict; for a database, one by table. By default it is the
            synthesizer's. A model learns from the other columns of the same table.

    Returns:
        The result, with ``scores``, ``save_html`` and ``save_json``.

    Raises:
        ValueError: If a table or a column is missing, or ``target`` cannot be predicted.
        ImportError: If models are to be trained and LightGBM is not installed.
    """
    description = metadata.to_dict()
    check_table_names(description['tables'])
    tables = {
        'real': as_tables(real, description, 'real'),
        'synthetic': as_tables(synthetic, description, 'synthetic'),
    }
    targets = _find_targets(target, synthesizer, description)
    if test is None and target is not None:
        raise ValueError(
            "To predict 'target', models are tested on real rows that were kept aside: pass them "
            "as 'test'."
        )
    if test is not None and not targets:
        raise ValueError("Say what models predict on the rows of 'test': pass 'target', too.")
    if test is not None:
        tables['test'] = as_tables(test, _take(description, test), 'test')
        _check_targets(targets, description, tables['test'])
    several = len(description['tables']) > 1
    facts = getattr(synthesizer, 'get_privacy_statement', None)
    drawn = several and hasattr(synthesizer, 'privacy_unit')
    return Report(
        statement=facts().to_dict() if facts else {},
        quality=measure_quality(tables['real'], tables['synthetic'], metadata),
        utility=_train(tables, targets, description) if test is not None else {},
        distances=measure_distances(tables['real'], tables['synthetic'], description),
        cardinalities=compare_cardinalities(tables['real'], tables['synthetic'], metadata)
        if several
        else {},
        schema=draw_schema(synthesizer) if drawn else None,
    )


def _find_targets(
    target: str | Mapping[str, str] | None, synthesizer: Any, description: Mapping[str, Any]
) -> dict[str, str]:
    """Return the columns to predict, by table: the caller's, or the synthesizer's."""
    if target is None:
        own = getattr(synthesizer, 'target_column', None)
        target = own or getattr(synthesizer, 'target', None) or {}
    if not isinstance(target, str):
        return dict(target)
    if len(description['tables']) > 1:
        raise ValueError(
            "Say in which table 'target' is: pass a dictionary such as "
            f'{{{next(iter(description["tables"]))!r}: {target!r}}}.'
        )
    return {next(iter(description['tables'])): target}


def _take(description: Mapping[str, Any], test: Data) -> dict[str, Any]:
    """Return the metadata of the tables that have test rows."""
    tables = description['tables']
    if isinstance(test, Mapping):
        tables = {name: each for name, each in tables.items() if name in test}
    return {**description, 'tables': tables}


def _check_targets(
    targets: Mapping[str, str], description: Mapping[str, Any], test: Mapping[str, pd.DataFrame]
) -> None:
    for table, column in targets.items():
        columns = description['tables'].get(table, {}).get('columns', {})
        learned = [name for name, each in columns.items() if each['sdtype'] in LEARNED]
        if column not in learned:
            raise ValueError(
                f"The target '{column}' of the table '{table}' is not a column that models could "
                f'predict: choose one of {learned}.'
            )
        if table not in test:
            raise ValueError(f"There are no test rows of the table '{table}': add it to 'test'.")


def _train(
    tables: Mapping[str, Mapping[str, pd.DataFrame]],
    targets: Mapping[str, str],
    description: Mapping[str, Any],
) -> dict[str, Utility]:
    trained = {}
    for table, column in targets.items():
        columns = description['tables'][table]['columns']
        real, synthetic, test = (
            take_learned(tables[role][table], columns) for role in ('real', 'synthetic', 'test')
        )
        name = column if len(description['tables']) == 1 else f'{table}.{column}'
        trained[name] = measure_utility(real, synthetic, test, column)
    return trained
