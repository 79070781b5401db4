"""A case: a synthesizer, its tables, how it is fitted, and how rows are sampled from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import described
import pandas as pd
from sdv.metadata import Metadata

from sdv_threea import ClustMixSynthesizer

NAME = 'people'

NUM_ROWS, NUM_SAMPLED, SCALE = 1_500, 300, 0.5

DATE = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}

Tables = dict[str, Any]


def fit(synthesizer: Any, tables: Tables) -> None:
    """Fit as most users do."""
    synthesizer.fit(tables)


def sample(synthesizer: Any) -> Iterator[pd.DataFrame]:
    """Sample once: rows of one table, or a part of a database."""
    one = isinstance(synthesizer, ClustMixSynthesizer)
    sampled = synthesizer.sample(NUM_SAMPLED) if one else synthesizer.sample_scale(SCALE)
    yield from sampled.values()


@dataclass(frozen=True)
class Case:
    """What is fitted, and what is asked of it.

    Args:
        make: Makes the synthesizer.
        tables: The private tables.
        fit: Fits it to them.
        sample: Samples from it.
    """

    make: Callable[[], Any]
    tables: Tables
    fit: Callable[[Any, Tables], None] = fit
    sample: Callable[[Any], Iterable[pd.DataFrame]] = sample


def describe(columns: Mapping[str, Any], key: str | None = None) -> Metadata:
    """Describe one table."""
    return described.describe(columns, NAME, **({'primary_key': key} if key else {}))
