"""The report of a release, in one call."""

import platform
from collections.abc import Container, Mapping, Sequence
from importlib.metadata import version
from typing import Any, TypeAlias

import pandas as pd

from sdv_threea.errors import InputError
from sdv_threea.names import check_table_names
from sdv_threea.pages.promise import tell_losses
from sdv_threea.report.database import compare_cardinalities, draw_schema
from sdv_threea.report.distributions import JointDistribution, compare_joint
from sdv_threea.report.fidelity import Fidelity, measure_fidelity
from sdv_threea.report.inputs import as_tables, describe_tables, refuse_fitted, take_learned
from sdv_threea.report.quality import measure_quality
from sdv_threea.report.result import Report
from sdv_threea.report.risk import measure_distances, measure_risk
from sdv_threea.report.utility import Task, Utility, measure_utility
from sdv_threea.storage.metadata import MODELLED

Data: TypeAlias = pd.DataFrame | Mapping[str, pd.DataFrame]
Tables: TypeAlias = dict[str, pd.DataFrame]

#: The largest number of pairs of columns, with the largest errors, whose joint shares of rows are
#: kept.
NUM_JOINTS = 40


def make_report(  # noqa: PLR0913 (the tables, the promise, and what to measure)
    real: Data,
    synthetic: Data | Sequence[Data],
    metadata: Any,
    *,
    synthesizer: Any = None,
    test: Data | None = None,
    target: str | Mapping[str, str] | None = None,
    risk: bool = False,
    seed: int = 0,
) -> Report:
    """Measure the quality of a release, and state its promise.

    A comparison with real data discloses something about the data, and no budget pays for that, so
    the report is for readers who may see the real data. The report holds no real row, but scores,
    shares of rows and curves of few points.

    Args:
        real: The real table that was fitted, or the tables by name.
        synthetic: Its synthetic counterpart; or several samples of it, to show how scores vary
            between samples. Pictures show the first sample.
        metadata: SDV metadata of it.
        synthesizer: The fitted synthesizer. With it, the report shows the promise and the losses
            and, for a database, the protection of each table. A synthesizer without a privacy
            statement promises nothing.
        test: Real rows that were not fitted, to test models on. For a database, only the tables
            with a target are needed.
        target: The column to predict; for a database, one by table. By default the synthesizer's. A
            model learns from the other columns of the same table.
        risk: Whether to run the attacks of anonymeter too, which takes minutes and needs ``test``.
        seed: Seed of the rows that are resampled for error bars, and of LightGBM.

    Returns:
        The result, with ``verdict``, ``scores``, ``save_html`` and ``save_json``.

    Raises:
        ValueError: If a table or column is missing, or test rows or a target cannot be used.
        ImportError: If LightGBM is needed for models, or anonymeter for attacks, and not installed.
    """
    description = describe_tables(metadata)
    check_table_names(description['tables'])
    samples = [synthetic] if isinstance(synthetic, pd.DataFrame | Mapping) else list(synthetic)
    if not samples:
        raise InputError("Expected 'synthetic' to have at least one sample, got none.")
    original = as_tables(real, description, 'real')
    drawn = [as_tables(each, description, 'synthetic') for each in samples]
    targets = _find_targets(target, synthesizer, description)
    tested = _take_tests(test, targets, description, original, named=target is not None)
    if risk and test is None:
        raise InputError("Attacks need real rows that were not fitted: pass them as 'test'.")
    trained = [_train(original, each, tested, targets, description, seed) for each in drawn]
    public = getattr(synthesizer, 'public_tables', ())
    private = _restrict(description, set(description['tables']) - set(public))
    alike = [measure_fidelity(original, each, private, seed) for each in drawn]
    several = len(description['tables']) > 1
    first = drawn[0]
    rules = _list_rules(synthesizer, next(iter(original)))
    statement = getattr(synthesizer, 'get_privacy_statement', None)
    return Report(
        statement=statement().to_dict() if statement else {},
        losses=tell_losses(synthesizer) if synthesizer else _tell_made_up(description),
        quality=measure_quality(original, first, metadata, seed, rules),
        fidelity=alike[0],
        utility=trained[0],
        draws=_list_draws(trained, alike) if len(drawn) > 1 else pd.DataFrame(),
        distances=measure_distances(original, first, description),
        risk=measure_risk(original, first, tested, description) if risk else pd.DataFrame(),
        joints=_share_pairs(alike[0], original, first, description),
        cardinalities=compare_cardinalities(original, first, metadata) if several else {},
        schema=draw_schema(synthesizer)
        if several and hasattr(synthesizer, 'privacy_unit')
        else None,
        made=_tell_made(original, first, tested, synthesizer),
    )


def _tell_made_up(description: Mapping[str, Any]) -> list[str]:
    """List, if there is no synthesizer, the columns whose sdtypes mean that values are made up."""
    several = len(description['tables']) > 1
    names = [
        f'{table}.{name}' if several else str(name)
        for table, told in description['tables'].items()
        for name, each in told['columns'].items()
        if each['sdtype'] not in (*MODELLED, 'id')
    ]
    said = f'Made up, by their sdtypes, and so not compared: {", ".join(names)}.'
    return [said] if names else []


def _list_rules(synthesizer: Any, table: str) -> list[dict[str, Any]]:
    """Return SDV's constraints as SDMetrics reads them; ``table`` is the default table name."""
    found = []
    for each in getattr(synthesizer, 'get_constraints', list)():
        if type(each).__module__.startswith('sdv.cag.'):
            rule = each.get_constraint_dict()
            own = rule['parameters']
            named = own | {'table_name': own.get('table_name') or table}
            found.append({**rule, 'parameters': named})
    return found


def _take_tests(
    test: Data | None,
    targets: Mapping[str, str],
    description: Mapping[str, Any],
    real: Tables,
    *,
    named: bool,
) -> Tables:
    """Return the test rows by table, if any; refuse rows that cannot be used for tests."""
    if test is None:
        if named:
            raise InputError(
                "To predict 'target', models are tested on real rows that were not fitted: pass "
                "them as 'test'."
            )
        return {}
    if not targets:
        raise InputError("Models need a column to predict on the rows of 'test': pass 'target'.")
    given = test if isinstance(test, Mapping) else description['tables']
    tested = as_tables(test, _restrict(description, given), 'test')
    _check_targets(targets, description, tested)
    for name in targets:
        refuse_fitted(real[name], tested[name], description['tables'][name]['columns'], name)
    return tested


def _list_draws(
    trained: Sequence[Mapping[str, Utility]], alike: Sequence[Fidelity]
) -> pd.DataFrame:
    rows = [
        {
            f'{each.scores.columns[0]} of {target}': float(each.scores.iloc[1, 0])
            for target, each in models.items()
        }
        | {f'{name}': float(score) for name, score in fidelity.scores['synthetic'].items()}
        for models, fidelity in zip(trained, alike, strict=True)
    ]
    return pd.DataFrame(rows)


def _share_pairs(
    fidelity: Fidelity, real: Tables, synthetic: Tables, description: Mapping[str, Any]
) -> dict[tuple[str, str, str], JointDistribution]:
    pairs = fidelity.pairs
    worst = (pairs['Error'] - pairs['Real']).sort_values(ascending=False, kind='stable').index
    shared = {}
    for table, *names in pairs.loc[
        worst[:NUM_JOINTS], ['Table', 'Column 1', 'Column 2']
    ].itertuples(index=False):
        columns = description['tables'][table]['columns']
        kinds = {name: columns[name] for name in names}
        shared[table, names[0], names[1]] = compare_joint(real[table], synthetic[table], kinds)
    return shared


def _tell_made(real: Tables, synthetic: Tables, test: Tables, synthesizer: Any) -> dict[str, str]:
    made = {
        'real rows': _count_rows(real),
        'synthetic rows': _count_rows(synthetic),
        'test rows': _count_rows(test) if test else 'none',
        'columns': ', '.join(f'{len(table.columns)}' for table in real.values()),
        'made on': str(pd.Timestamp.now().date()),
        'versions': ', '.join(
            [*(f'{name} {version(name)}' for name in ('sdv-threea', 'sdv', 'sdmetrics'))]
            + [f'Python {platform.python_version()}']
        ),
    }
    settings: dict[str, Any] = getattr(synthesizer, 'get_parameters', dict)()
    shown = [f'{name}={value!r}' for name, value in settings.items() if name != 'locales']
    return made | ({'settings': ', '.join(shown)} if shown else {})


def _count_rows(tables: Tables) -> str:
    if len(tables) == 1:
        return f'{len(next(iter(tables.values()))):,}'
    return ', '.join(f'{name} {len(table):,}' for name, table in tables.items())


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
        raise InputError(
            "Say in which table 'target' is: pass a dictionary such as "
            f'{{{next(iter(description["tables"]))!r}: {target!r}}}.'
        )
    return {next(iter(description['tables'])): target}


def _restrict(description: Mapping[str, Any], kept: Container[str]) -> dict[str, Any]:
    tables = {name: each for name, each in description['tables'].items() if name in kept}
    return {**description, 'tables': tables}


def _check_targets(
    targets: Mapping[str, str], description: Mapping[str, Any], test: Mapping[str, pd.DataFrame]
) -> None:
    for table, column in targets.items():
        columns = description['tables'].get(table, {}).get('columns', {})
        learned = [name for name, each in columns.items() if each['sdtype'] in MODELLED]
        if column not in learned:
            raise InputError(
                f"The target '{column}' of the table '{table}' is not a column that models could "
                f'predict: choose one of {learned}.'
            )
        if table not in test:
            raise InputError(f"There are no test rows of the table '{table}': add it to 'test'.")


def _train(
    real: Tables,
    synthetic: Tables,
    test: Tables,
    targets: Mapping[str, str],
    description: Mapping[str, Any],
    seed: int,
) -> dict[str, Utility]:
    if not test:
        return {}
    trained = {}
    for table, column in targets.items():
        columns = description['tables'][table]['columns']
        taken = [take_learned(tables[table], columns) for tables in (real, synthetic, test)]
        name = column if len(description['tables']) == 1 else f'{table}.{column}'
        # A category may be stored as numbers.
        numeric = columns[column]['sdtype'] in ('numerical', 'datetime')
        task: Task | None = None if numeric else 'classification'
        trained[name] = measure_utility(taken[0], taken[1], taken[2], column, task, seed)
    return trained
