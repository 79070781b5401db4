"""The scores of the benchmarks: models trained on synthetic rows, SDMetrics' quality."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sdv.metadata import Metadata
from sklearn.metrics import roc_auc_score
from tables import Split

from sdv_threea.report import measure_quality, train_synthetic_test_real

#: SDMetrics looks at this many rows and columns at most, drawn once per table.
QUALITY_ROWS, QUALITY_COLUMNS = 10_000, 40


def score_models(split: Split, synthetic: pd.DataFrame) -> dict[str, float]:
    """Train LightGBM on synthetic rows, and score it on real ones."""
    trees = train_synthetic_test_real(split.train, synthetic, split.test, split.target)
    scores = trees.loc['synthetic'].drop(['note', 'RMSE'], errors='ignore').to_dict()
    scores['score'] = scores['R2'] if split.numeric else scores['AUC']
    return scores


def score_quality(split: Split, synthetic: pd.DataFrame) -> dict[str, float]:
    """Score with SDMetrics, all pairs counted, on a part of wide or long tables."""
    rng = np.random.default_rng(0)
    others = [name for name in split.train if name != split.target]
    some = rng.permutation(others)[: QUALITY_COLUMNS - 1].tolist()
    columns = [name for name in split.train if name in (*some, split.target)]
    facts = split.metadata.to_dict()['tables'][split.table_name]['columns']
    metadata = Metadata.load_from_dict(
        {'tables': {split.table_name: {'columns': {name: facts[name] for name in columns}}}}
    )
    parts = [
        table[columns].sample(min(len(table), QUALITY_ROWS), random_state=0)
        for table in (split.train, synthetic)
    ]
    quality = measure_quality(*parts, metadata)
    return {'quality': quality.overall, 'shapes': quality.shapes, 'pairs': quality.pairs}


def macro_auc(truth: pd.Series, chances: pd.DataFrame) -> float:
    """The AUC of chances of classes, a column each; the mean over classes if there are several."""
    classes = sorted(truth.unique())
    scored = classes if len(classes) > 2 else classes[1:]
    aucs = [
        roc_auc_score(truth == label, chances.get(label, pd.Series(0.0, chances.index)))
        for label in scored
    ]
    return float(np.mean(aucs))
