"""The scores of the benchmarks: models trained on synthetic rows, SDMetrics' quality."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier, LGBMRegressor
from sdmetrics.reports.multi_table import QualityReport
from sdv.metadata import Metadata
from sklearn.metrics import r2_score, roc_auc_score
from tables import Split

from sdv_threea.report import measure_quality, train_synthetic_test_real
from sdv_threea.report.utility import QUIETLY, _encode_features

#: SDMetrics looks at this many rows, where all pairs count, and columns at most, drawn once.
QUALITY_ROWS, QUALITY_COLUMNS = 10_000, 40

#: Intervals of chances in the error of calibration.
NUM_INTERVALS = 15


def score_models(split: Split, synthetic: pd.DataFrame) -> dict[str, float]:
    """Train LightGBM on synthetic rows, and score it on real ones."""
    task = 'regression' if split.numeric else 'classification'
    tables = split.train, synthetic, split.test
    trees = train_synthetic_test_real(*tables, split.target, task)
    scores = trees.loc['synthetic'].drop(['note', 'RMSE'], errors='ignore').to_dict()
    scores['score'] = scores['R2'] if split.numeric else scores['AUC']
    return scores


def score_quality(split: Split, synthetic: pd.DataFrame) -> dict[str, float]:
    """Score with SDMetrics, all pairs counted, on a part of wide or long tables."""
    real, sampled, metadata = _take_columns(split, synthetic)
    parts = (each.sample(min(len(each), QUALITY_ROWS), random_state=0) for each in (real, sampled))
    quality = measure_quality(*parts, metadata)
    return {'quality': quality.overall, 'shapes': quality.shapes, 'pairs': quality.pairs}


def score_as_sdv(split: Split, synthetic: pd.DataFrame) -> dict[str, float]:
    """Score with SDMetrics as it is, as SDV does: pairs that are weakly related do not count."""
    real, sampled, metadata = _take_columns(split, synthetic)
    name, report = split.table_name, QualityReport()
    report.generate({name: real}, {name: sampled}, metadata.to_dict(), verbose=False)
    return {'as SDV': report.get_score()}


def _take_columns(
    split: Split, synthetic: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame, Metadata]:
    """Take some columns of wide tables: of the training part, and of a synthetic table."""
    rng = np.random.default_rng(0)
    others = [name for name in split.train if name != split.target]
    some = rng.permutation(others)[: QUALITY_COLUMNS - 1].tolist()
    columns = [name for name in split.train if name in (*some, split.target)]
    facts = split.metadata.to_dict()['tables'][split.table_name]['columns']
    metadata = Metadata.load_from_dict(
        {'tables': {split.table_name: {'columns': {name: facts[name] for name in columns}}}}
    )
    return split.train[columns], synthetic[columns], metadata


def predict(split: Split, table: pd.DataFrame) -> pd.DataFrame:
    """Train LightGBM on a table, and predict the target of the test part.

    Returns:
        The chances of classes, a column each, or one column of numbers.
    """
    table = table.dropna(subset=[split.target])
    tables = {'real': split.train, 'synthetic': table, 'test': split.test}
    features = _encode_features({k: each.drop(columns=split.target) for k, each in tables.items()})
    target = table[split.target]
    if (target == target.iloc[0]).all():  # nothing to learn
        return pd.DataFrame({target.iloc[0]: np.ones(len(split.test))})
    if split.numeric:
        model = LGBMRegressor(random_state=0, **QUIETLY).fit(features['synthetic'], target)
        return pd.DataFrame({split.target: model.predict(features['test'])})
    model = LGBMClassifier(random_state=0, **QUIETLY).fit(features['synthetic'], target)
    return pd.DataFrame(model.predict_proba(features['test']), columns=model.classes_)


def score_predictions(split: Split, predicted: pd.DataFrame) -> dict[str, float]:
    """Score predictions of the test part: R2, or AUC and the error of calibration."""
    truth = split.test[split.target]
    if split.numeric:
        return {'score': r2_score(truth, predicted.iloc[:, 0])}
    return {
        'score': macro_auc(truth, predicted),
        'calibration error': calibration_error(truth, predicted),
    }


def macro_auc(truth: pd.Series, chances: pd.DataFrame) -> float:
    """The AUC of chances of classes, a column each; the mean over classes if there are several."""
    return _average(roc_auc_score, truth, chances)


def calibration_error(truth: pd.Series, chances: pd.DataFrame) -> float:
    """The expected error of calibration, the mean over classes if there are several.

    In each of fifteen intervals of the chance of a class, the mean chance is off the share of rows
    that are of the class; this is the mean of that over rows.
    """
    return _average(_miss, truth, chances)


def _miss(hits: pd.Series, chances: pd.Series) -> float:
    places = np.minimum((chances.to_numpy() * NUM_INTERVALS).astype(int), NUM_INTERVALS - 1)
    return float(np.abs(np.bincount(places, chances - hits.to_numpy())).sum() / len(hits))


def _average(
    measure: Callable[[pd.Series, pd.Series], float], truth: pd.Series, chances: pd.DataFrame
) -> float:
    classes = sorted(truth.unique())
    scored = classes if len(classes) > 2 else classes[1:]
    never = pd.Series(0.0, chances.index)
    return float(np.mean([measure(truth == each, chances.get(each, never)) for each in scored]))
