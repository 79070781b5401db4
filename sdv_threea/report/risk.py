"""Distances of synthetic rows to the closest real one, by SDMetrics, and attacks by anonymeter.

These are measurements, not a promise: a distance of zero hints at copied rows, but no distance
proves that anybody is protected, and the promise holds for every attack.
"""

import math
import warnings
from collections.abc import Iterable, Mapping
from functools import partial
from types import ModuleType
from typing import Any

import pandas as pd
from sdmetrics.single_table import DCRBaselineProtection

from sdv_threea.report.inputs import take_learned

#: The largest number of attempts of each attack on a table, and the most rows that are searched.
ATTACKS, MOST_ROWS = 300, 10_000

#: The figures of an attack.
FIGURES = ('on fitted rows', 'on other rows', 'guessing', 'risk', 'low', 'high')

#: Number of columns that a singling-out attack combines.
NUM_COMBINED = 3


#: The largest number of rows of a table that are compared, drawn at random: all pairs of rows are
#: compared.
SAMPLED_ROWS = 500


def measure_risk(
    real: Mapping[str, pd.DataFrame],
    synthetic: Mapping[str, pd.DataFrame],
    control: Mapping[str, pd.DataFrame],
    description: Mapping[str, Any],
) -> pd.DataFrame:
    """Attack the rows that were fitted and, as a control, rows that were not.

    *Singling out* finds a rule, from synthetic rows, that exactly one real row meets. *Linkability*
    matches two halves of the columns of a row. *Inference* guesses a column of a row from all
    others. An attack that succeeds as often on rows that were not fitted has learned from the
    population, and not about a person.

    Args:
        real: The real tables that were fitted, by name.
        synthetic: Their synthetic counterparts.
        control: Real rows that were not fitted, by table. Other tables are left out.
        description: SDV metadata as a dictionary.

    Returns:
        A row per attack and table: its success ``on fitted rows`` and ``on other rows``, and that
        of ``guessing``, each a share of the attempts; ``risk``, the part due to fitting (0 to 1),
        with the ends ``low`` and ``high`` of its 95 % interval. NaN without an attempt.

    Raises:
        ImportError: If anonymeter is not installed.
    """
    evaluators = _anonymeter()
    rows = {}
    for name in control:
        columns = description['tables'][name]['columns']
        tables = {
            role: _prepare(take_learned(each[name], columns))
            for role, each in (('ori', real), ('syn', synthetic), ('control', control))
        }
        suffix = f' ({name})' if len(control) > 1 else ''
        attempts = min(ATTACKS, *map(len, tables.values()))
        for attack, kind, how in _list_attacks(tables['ori']):
            make = partial(getattr(evaluators, kind), **tables, n_attacks=attempts, **how)
            rows[attack + suffix] = _try(make)
    return pd.DataFrame.from_dict(rows, orient='index')


def _prepare(table: pd.DataFrame) -> pd.DataFrame:
    """Return at most :data:`MOST_ROWS` rows, with categories as texts and no missing numbers."""
    kept = table.head(MOST_ROWS).reset_index(drop=True)
    return pd.DataFrame(
        {
            name: column.fillna(column.median() if column.notna().any() else 0.0)
            if pd.api.types.is_float_dtype(column)
            else column.map(str, na_action='ignore').fillna('missing')
            for name, column in kept.items()
        }
    )


def _list_attacks(table: pd.DataFrame) -> Iterable[tuple[str, str, dict[str, Any]]]:
    """Yield the attacks that the columns allow, with anonymeter's class and arguments of each."""
    names = list(table)
    combined = {'n_cols': min(NUM_COMBINED, len(names)), 'max_attempts': 50_000}
    yield 'singling out', 'SinglingOutEvaluator', combined
    if len(names) > 1:
        halves = names[::2], names[1::2]
        yield 'linkability', 'LinkabilityEvaluator', {'aux_cols': halves}
    for secret in names if len(names) > 1 else ():
        others = [name for name in names if name != secret]
        is_number = pd.api.types.is_float_dtype(table[secret])
        asked = {'aux_cols': others, 'secret': secret, 'regression': is_number}
        yield f'inference of {secret}', 'InferenceEvaluator', asked


def _try(make: Any) -> dict[str, float]:
    """Return the figures of an attack; NaN if it raises because it found nothing to try."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            told = make().evaluate().results()
        except RuntimeError:
            return dict.fromkeys(FIGURES, math.nan)
    rates = told.attack_rate, told.control_rate, told.baseline_rate, told.risk()
    figures = (*(each.value for each in rates), *told.risk().ci)
    return dict(zip(FIGURES, figures, strict=True))


def _anonymeter() -> ModuleType:
    try:
        import anonymeter.evaluators
    except ImportError as error:
        raise ImportError('Attacks need anonymeter: pip install "sdv-threea[risk]".') from error
    evaluators: ModuleType = anonymeter.evaluators
    return evaluators


def measure_distances(
    real: Mapping[str, pd.DataFrame],
    synthetic: Mapping[str, pd.DataFrame],
    description: Mapping[str, Any],
) -> pd.DataFrame:
    """Return the median distance to the closest real row (DCR) in each table.

    The distance of two rows is the mean over columns: the difference of two numbers divided by the
    real range, or 0 for equal and 1 for different categories. Distances show copies, but say little
    about privacy: a far table may expose a person, and a close one may be safe.

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
        # SDMetrics cannot draw uniform values of a column without values.
        filled = [column for column in tables[0] if tables[0][column].notna().any()]
        tables = [table[filled] for table in tables]
        size = min(SAMPLED_ROWS, *map(len, tables))
        if not size or tables[0].empty:
            continue
        # SDMetrics has no distance for ordered categories.
        numeric = tables[0].dtypes.map(pd.api.types.is_float_dtype)
        kinds = {
            column: {'sdtype': 'numerical' if numeric[column] else 'categorical'}
            for column in tables[0]
        }
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
