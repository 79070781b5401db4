"""The scores of the benchmark: models trained on synthetic rows, SDMetrics' quality."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sdv.metadata import Metadata
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from tables import Split

from sdv_threea.report import measure_quality, train_synthetic_test_real

#: SDMetrics looks at this many rows and columns at most, drawn once per table.
QUALITY_ROWS, QUALITY_COLUMNS = 10_000, 40

#: Linear models are trained on this many rows at most.
LINEAR_ROWS = 50_000


def score_models(split: Split, synthetic: pd.DataFrame) -> dict[str, float]:
    """Train on synthetic rows, score on real ones: LightGBM, and a linear model."""
    trees = train_synthetic_test_real(split.train, synthetic, split.test, split.target)
    scores = trees.loc['synthetic'].drop(['note', 'RMSE'], errors='ignore').to_dict()
    scores['score'] = scores['R2'] if split.numeric else scores['AUC']
    return scores | {'linear score': _score_linear(split, synthetic)}


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


def _score_linear(split: Split, synthetic: pd.DataFrame) -> float:
    """Score a logistic regression (AUC, macro over classes) or a ridge regression (R2)."""
    rows = synthetic.dropna(subset=[split.target])
    rows = rows.sample(min(len(rows), LINEAR_ROWS), random_state=0)
    features, test = rows.drop(columns=split.target), split.test.drop(columns=split.target)
    numbers = [name for name in features if pd.api.types.is_numeric_dtype(split.train[name].dtype)]
    others = [name for name in features if name not in numbers]
    features, test = (_plain(table, numbers, others) for table in (features, test))
    encoder = make_column_transformer(
        (make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown='ignore', min_frequency=10), others),
    )
    truth = split.test[split.target]
    if split.numeric:
        model = make_pipeline(encoder, Ridge()).fit(features, rows[split.target])
        return float(r2_score(truth, model.predict(test)))
    labels = rows[split.target].astype(str)
    if labels.nunique() < 2:
        return 0.5
    model = make_pipeline(encoder, LogisticRegression(max_iter=200)).fit(features, labels)
    chances = pd.DataFrame(model.predict_proba(test), columns=model.classes_)
    return macro_auc(truth.astype(str), chances)


def _plain(table: pd.DataFrame, numbers: list[str], others: list[str]) -> pd.DataFrame:
    return pd.concat(
        [table[numbers].astype(float), table[others].astype(object).fillna('missing').astype(str)],
        axis=1,
    )


def macro_auc(truth: pd.Series, chances: pd.DataFrame) -> float:
    """The AUC of chances of classes, a column each; the mean over classes if there are several."""
    classes = sorted(truth.unique())
    scored = classes if len(classes) > 2 else classes[1:]
    aucs = [
        roc_auc_score(truth == label, chances.get(label, pd.Series(0.0, chances.index)))
        for label in scored
    ]
    return float(np.mean(aucs))
