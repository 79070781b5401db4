"""SDV's data processor of a table, which generates keys and personal information and sets dtypes.

The processor is fitted on a proxy table (:mod:`~sdv_threea.storage.dtypes`) and never sees a
private row. Modelled columns skip it: they have transformers of their own.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
from sdv.data_processing.data_processor import DataProcessor
from sdv.metadata import Metadata

from sdv_threea.storage.dtypes import OBJECT
from sdv_threea.storage.ids import make_ids
from sdv_threea.storage.metadata import MODELLED


def make_processor(
    metadata: Metadata, enforce_min_max_values: bool, locales: list[str] | str
) -> DataProcessor:
    """Make an unfitted processor from metadata without private facts."""
    table = metadata._convert_to_single_table()
    processor = DataProcessor(
        metadata=table,
        # Sampled rows have the released granularity already, and learning it from the proxy
        # overflows in half floats.
        enforce_rounding=False,
        enforce_min_max_values=enforce_min_max_values,
        locales=locales,
        # Otherwise SDV would model ids that are not keys, and repeat ids of private rows.
        id_columns_use_old_behavior=[
            name for name, column in table.columns.items() if column['sdtype'] == 'id'
        ],
    )
    for sdtype in MODELLED:
        processor._update_transformers_by_sdtypes(sdtype, None)
    return processor


def prepare_processor(processor: DataProcessor, proxy: pd.DataFrame) -> None:
    """Choose the generators of columns that are not modelled, in place."""
    processor.prepare_for_fitting(proxy)
    chosen = processor._hyper_transformer.field_transformers
    chosen.update({name: make_ids(each) for name, each in chosen.items()})


def pass_by(processor: DataProcessor, names: Iterable[str]) -> None:
    """Remove, in place, the transformers of modelled columns: SDV would run them on samples."""
    chosen = processor._hyper_transformer.field_transformers
    chosen.update({name: None for name in names if name in chosen})


def fit_processor(
    processor: DataProcessor, proxy: pd.DataFrame, dtypes: Mapping[str, Any], strict: Iterable[str]
) -> None:
    """Fit the processor to a public table, and set all but the ``strict`` dtypes, in place."""
    processor.fit(proxy)
    processor._dtypes = {**dtypes, **dict.fromkeys(strict, OBJECT)}
    # Sampled rows have the released range, granularity and format already.
    processor.formatters = {}


def list_strict(
    columns: Mapping[str, Mapping[str, Any]], dtypes: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the dtypes of made-up columns for which SDV raises an error if a cell does not fit."""
    found = {}
    for name, dtype in dtypes.items():
        kind, nullable = getattr(dtype, 'kind', 'O'), not isinstance(dtype, np.dtype)
        made_up = columns[name]['sdtype'] not in (*MODELLED, 'id')
        if made_up and (kind == 'M' or (nullable and kind in 'iub')):
            found[name] = dtype
    return found


def store_made_up(rows: pd.DataFrame, dtypes: Mapping[str, Any]) -> pd.DataFrame:
    """Store made-up columns in the dtypes of the private table, by name, as far as they fit."""
    stored = {name: _store(rows[name], dtype) for name, dtype in dtypes.items() if name in rows}
    return rows.assign(**stored) if stored else rows


def _store(cells: pd.Series, dtype: Any) -> pd.Series:
    """Store cells in a dtype, rounded if need be, or as they are."""
    for store in (cells.astype, lambda kind: cells.astype(float).round().astype(kind)):
        with suppress(TypeError, ValueError):
            return store(dtype)
    return cells  # the budget is spent by now, so an error would be worse
