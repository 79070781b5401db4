"""Trains a model with privacy, inside its environment: ``run_direct.py job.json``.

DP-EBM (interpret-core) is a sum of trees of single columns. It is told which columns are numbers,
their ranges, and that of a numerical target; its bins of numbers and of categories are paid from
the budget. It has its defaults, or the setting that its name tells, which we found to be better.
It knows two classes, or numbers, and no more.

The logistic regression of diffprivlib is told the categories as well. Its numbers are scaled from
their range to [-1, 1] and its categories are one hot, so no row of ``m`` columns is longer than
``sqrt(m)``, its ``data_norm``. It keeps to epsilon without using delta, and several classes share
it, each against the rest. It knows no numerical targets.

Both need values in all cells. A gap of a category is one category more; that of a number is the
middle of its range, and a column more tells. Rows without a target are left out. The noise of both
is secret: no seed governs it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jobs import Job, is_category, run

#: What differs from the defaults of DP-EBM.
SETTINGS = {
    'DP-EBM': {},
    'DP-EBM, 200 rounds of .3': {'learning_rate': 0.3, 'max_rounds': 200},
}

#: The category of a gap, and that of a number that is there.
GAP, NO_GAP = 'gap', 'no gap'


def fit(job: Job, table: Any) -> Callable[[Any], Any]:
    """Train a model: returns what gives rows the chances of their classes, or their numbers."""
    import pandas as pd

    table = table.dropna(subset=[job['target']])
    target, facts = table[job['target']], job['columns'][job['target']]
    train = _fit_ebm if job['method'] in SETTINGS else _fit_logistic
    encode, model = train(job, fill_gaps(job, table), target)

    def predict(rows: Any) -> Any:
        features = encode(fill_gaps(job, rows))
        if is_category(facts):
            return pd.DataFrame(model.predict_proba(features), columns=model.classes_)
        return pd.DataFrame({job['target']: model.predict(features)})

    return predict


def fill_gaps(job: Job, table: Any) -> Any:
    """Fill gaps, and say so; the target and numbers that can only be one are left out."""
    import pandas as pd

    filled = {}
    for name, facts in job['columns'].items():
        if name == job['target']:
            continue
        if is_category(facts):
            filled[name] = table[name].fillna(GAP)
            continue
        low, high = facts['low'], facts['high']
        if facts['nullable']:
            filled[f'{name}, {GAP}'] = table[name].isna().map({True: GAP, False: NO_GAP})
        if low < high:
            filled[name] = table[name].astype(float).fillna((low + high) / 2).clip(low, high)
    return pd.DataFrame(filled)


def encode_rows(job: Job, filled: Any) -> Any:
    """Encode rows as numbers within [-1, 1], each category a column of its own."""
    import numpy as np

    parts = []
    for name, column in filled.items():
        facts = job['columns'].get(name, {'sdtype': 'categorical', 'values': [NO_GAP]})
        if is_category(facts):
            parts.append(column.to_numpy()[:, None] == np.array([*facts['values'], GAP]))
        else:
            scaled = 2 * (column - facts['low']) / (facts['high'] - facts['low']) - 1
            parts.append(scaled.to_numpy()[:, None])
    return np.hstack(parts).astype(float)


def _fit_ebm(job: Job, filled: Any, target: Any) -> tuple[Callable[[Any], Any], Any]:
    from interpret.privacy import DPExplainableBoostingClassifier, DPExplainableBoostingRegressor

    columns = job['columns']
    numbers = {name for name in filled if name in columns and not is_category(columns[name])}
    settings = SETTINGS[job['method']] | {
        'epsilon': job['epsilon'],
        'delta': job['delta'],
        'feature_types': ['continuous' if name in numbers else 'nominal' for name in filled],
        'privacy_bounds': {name: (columns[name]['low'], columns[name]['high']) for name in numbers},
        'n_jobs': 1,
    }
    facts = columns[job['target']]
    if is_category(facts):
        if len(facts['values']) > 2:
            raise ValueError('DP-EBM tells no more than two classes apart')
        model = DPExplainableBoostingClassifier(**settings)
    else:
        ends = {'privacy_target_min': facts['low'], 'privacy_target_max': facts['high']}
        model = DPExplainableBoostingRegressor(**settings, **ends)
    return lambda rows: rows, model.fit(filled, target)


def _fit_logistic(job: Job, filled: Any, target: Any) -> tuple[Callable[[Any], Any], Any]:
    from diffprivlib.models import LogisticRegression

    if not is_category(job['columns'][job['target']]):
        raise ValueError('logistic regression is of classes')
    model = LogisticRegression(epsilon=job['epsilon'], data_norm=filled.shape[1] ** 0.5)
    return lambda rows: encode_rows(job, rows), model.fit(encode_rows(job, filled), target)


if __name__ == '__main__':
    run(fit)
