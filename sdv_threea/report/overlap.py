"""Test rows that were fitted: found by their content, whatever their order and index.

A model scores too well on rows that it was trained on, so too many of them are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.errors import InputError
from sdv_threea.report.inputs import take_learned

#: Test rows may equal fitted rows by chance, as often as fitted rows equal each other. In addition,
#: this share of them is tolerated, and this many standard deviations.
SUFFERED, DEVIATIONS = 0.05, 5.0


def refuse_fitted(
    real: pd.DataFrame, test: pd.DataFrame, columns: Mapping[str, Mapping[str, Any]], name: str
) -> None:
    """Raise ``ValueError`` if too many test rows were fitted.

    Keys, names and other columns that no model learns from are not compared. Tables of few columns
    have equal rows by chance. So test rows may equal fitted rows as often as fitted rows equal each
    other. ``columns`` are the entries in SDV metadata; ``name`` is the table, for the error.
    """
    if not (len(real) and len(test)):
        return
    fitted, tested = (_hash_rows(take_learned(each, columns)) for each in (real, test))
    found = float(np.mean(tested.isin(fitted)))
    chance = float(np.mean(fitted.duplicated(keep=False)))
    noise = np.sqrt(max(chance, 1 / len(test)) * (1 - chance) / len(test))
    same = tested.sort_values().reset_index(drop=True).equals(fitted.sort_values(ignore_index=True))
    if same or found > chance + SUFFERED + DEVIATIONS * noise:
        raise InputError(
            f"{found:.0%} of the test rows of the table '{name}' were fitted: models would be "
            "tested on rows that they were trained on. Pass rows as 'test' that were kept aside "
            'before the fit.'
        )


def _hash_rows(table: pd.DataFrame) -> pd.Series:
    plain = table.apply(lambda column: column.map(str) if column.dtype == object else column)
    return pd.util.hash_pandas_object(plain, index=False)
