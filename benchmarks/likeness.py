"""How like synthetic rows are to real ones: marginals, impossible rows, and a classifier."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from sdv_threea.report.utility import QUIETLY, _encode_features

#: Intervals of a number, the most sets of columns that are looked at, and the most rows of each
#: table that the classifier is trained and scored on.
NUM_INTERVALS, MOST_SETS, MOST_ROWS = 32, 300, 20_000

SIZES = (1, 2, 3)

#: A column of both tables as whole numbers, real rows first.
Codes = list[NDArray[np.int64]]


def measure_marginals(real: pd.DataFrame, synthetic: pd.DataFrame) -> dict[str, float]:
    """Measure the mean distance of marginals of one, two and three columns: total variation.

    Numbers are in intervals of equal width. Where there are more than 300 sets of columns, these
    many are drawn, the same each time.
    """
    codes = encode(real, synthetic)
    return {
        f'{size}-way': float(np.mean([_distance(join(each)) for each in draw_sets(codes, size)]))
        for size in SIZES
        if len(codes) >= size
    }


def count_impossible(
    real: pd.DataFrame, synthetic: pd.DataFrame, categories: Sequence[str]
) -> dict[str, float]:
    """Count the synthetic rows with categories that no real row has together, as shares.

    Returns:
        The shares of rows with such a pair, and with such a triple; none if there are too few
        columns of categories. Columns are drawn as for marginals.
    """
    codes = encode(real[list(categories)], synthetic[list(categories)])
    shares = {}
    for size, name in ((2, 'impossible pairs'), (3, 'impossible triples')):
        never = np.zeros(len(synthetic), dtype=bool)
        for each in draw_sets(codes, size):
            known, drawn = join(each)
            never |= ~np.isin(drawn, known)
        if len(codes) >= size:
            shares[name] = float(never.mean())
    return shares


def tell_apart(real: pd.DataFrame, synthetic: pd.DataFrame) -> dict[str, float]:
    """Train LightGBM to tell synthetic rows from real ones on half of the rows of each.

    Returns:
        The AUC on the other halves: .5 if they cannot be told apart, 1 if all can.
    """
    size = min(len(real), len(synthetic), MOST_ROWS)
    tables = {'real': real, 'synthetic': synthetic}
    parts = {name: each.sample(size, random_state=0) for name, each in tables.items()}
    rows = pd.concat(_encode_features(parts).values(), ignore_index=True)
    truth, learned = np.arange(2 * size) >= size, np.arange(2 * size) % 2 == 0
    model = LGBMClassifier(random_state=0, **QUIETLY).fit(rows[learned], truth[learned])
    chances = model.predict_proba(rows[~learned])[:, 1]
    return {'told apart': float(roc_auc_score(truth[~learned], chances))}


def encode(real: pd.DataFrame, synthetic: pd.DataFrame) -> list[Codes]:
    """Encode the columns of both tables: intervals of numbers, categories, 0 for missing values."""
    return [_encode(real[name], synthetic[name]) for name in real]


def draw_sets(codes: list[Codes], size: int) -> list[list[Codes]]:
    """List all sets of this many columns, or draw some of them."""
    sets = list(combinations(range(len(codes)), size))
    if len(sets) > MOST_SETS:
        chosen = np.random.default_rng(0).choice(len(sets), MOST_SETS, replace=False)
        sets = [sets[at] for at in chosen]
    return [[codes[at] for at in each] for each in sets]


def join(columns: Sequence[Codes]) -> Codes:
    """Return one code for the values of several columns together."""
    joined = [np.zeros(len(table), dtype=np.int64) for table in columns[0]]
    for column in columns:
        size = 1 + max(int(codes.max(initial=0)) for codes in column)
        joined = [each * size + codes for each, codes in zip(joined, column, strict=True)]
    return joined


def _encode(real: pd.Series, synthetic: pd.Series) -> Codes:
    if pd.api.types.is_numeric_dtype(real) and not pd.api.types.is_bool_dtype(real):
        tables = [table.astype(float).to_numpy() for table in (real, synthetic)]
        cuts = np.linspace(np.nanmin(tables[0]), np.nanmax(tables[0]), NUM_INTERVALS + 1)[1:-1]
        codes = [np.searchsorted(cuts, values, side='right') + 1 for values in tables]
        return [np.where(np.isnan(each), 0, own) for each, own in zip(tables, codes, strict=True)]
    values = pd.concat([real, synthetic]).astype(object)
    codes = pd.factorize(values.where(values.notna(), None).map(str))[0].astype(np.int64)
    return [codes[: len(real)], codes[len(real) :]]


def _distance(joined: Codes) -> float:
    values, places = np.unique(np.concatenate(joined), return_inverse=True)
    parts = np.split(places, [len(joined[0])])
    shares = [np.bincount(part, minlength=len(values)) / len(part) for part in parts]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)
