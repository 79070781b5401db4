"""The synthesizer of one table as a part of one for many: it stores, and the database releases."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.domain import Domain
from sdv_threea.encoding.transformers import Transformer
from sdv_threea.storage.writing import decode
from sdv_threea.synthesizers.single_table import ClustMixSynthesizer


def learn(
    synthesizer: ClustMixSynthesizer, domain: Domain, transformers: tuple[Transformer, ...]
) -> None:
    """Let SDV learn how a table is stored, from what was released.

    Args:
        synthesizer: That of the table.
        domain: Its columns, as released.
        transformers: From the cells of these and other columns to codes, as released.
    """
    synthesizer._learn_storage(domain, transformers)


def translate(
    synthesizer: ClustMixSynthesizer, sampled: pd.DataFrame, domain: Domain
) -> pd.DataFrame:
    """Translate sampled rows into the modelled columns of the user.

    Args:
        synthesizer: That of the table.
        sampled: The released columns.
        domain: The same, as released.

    Returns:
        The user's columns.
    """
    derivations = synthesizer._derivations
    columns, dtypes = synthesizer._columns, synthesizer._dtypes
    return decode(derivations.back(sampled, domain), columns, dtypes, derivations.restore(domain))


def finish(synthesizer: ClustMixSynthesizer, sampled: pd.DataFrame, domain: Domain) -> pd.DataFrame:
    """Make rows of the table of what was sampled: dtypes, formats, keys, personal information.

    Args:
        synthesizer: That of the table.
        sampled: The released columns, their index from 0.
        domain: The same, as released.

    Returns:
        The rows that meet the constraints, under their index; foreign keys are still to come.
    """
    if not len(sampled):
        return synthesizer._sample_nothing()
    rows = synthesizer._data_processor.reverse_transform(translate(synthesizer, sampled, domain))
    return synthesizer.reverse_transform_constraints(rows)


def meets_constraints(
    synthesizer: ClustMixSynthesizer, sampled: pd.DataFrame, domain: Domain
) -> NDArray[np.bool_]:
    """Tell which sampled rows meet the constraints of their table, shape (n,)."""
    rows = translate(synthesizer, sampled, domain)
    kept = synthesizer.reverse_transform_constraints(rows)
    return np.asarray(np.isin(np.arange(len(rows)), kept.index))
