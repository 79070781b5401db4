"""SDV's data processor of a table, which makes keys and personal information up and sets dtypes.

It is fitted on a proxy table (:mod:`~sdv_threea.storage.dtypes`) and never sees a private row.
Modelled columns pass it by: they have transformers of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
from sdv.data_processing.data_processor import DataProcessor
from sdv.metadata import Metadata

from sdv_threea.storage.ids import make_ids
from sdv_threea.storage.metadata import MODELLED


def make_processor(
    metadata: Metadata, enforce_min_max_values: bool, locales: list[str] | str
) -> DataProcessor:
    """Make a processor that has learned nothing yet.

    Args:
        metadata: Metadata of one table, without what is not public.
        enforce_min_max_values: As SDV has it.
        locales: Locales of the generators of personal information.

    Returns:
        The processor.
    """
    table = metadata._convert_to_single_table()
    processor = DataProcessor(
        metadata=table,
        # What is sampled is in the released granularity already, and learning it from the proxy
        # overflows in half floats.
        enforce_rounding=False,
        enforce_min_max_values=enforce_min_max_values,
        locales=locales,
        # Otherwise SDV would model ids that are no keys, and so repeat those of private rows.
        id_columns_use_old_behavior=[
            name for name, column in table.columns.items() if column['sdtype'] == 'id'
        ],
    )
    for sdtype in MODELLED:
        processor._update_transformers_by_sdtypes(sdtype, None)
    return processor


def prepare_processor(processor: DataProcessor, proxy: pd.DataFrame) -> None:
    """Choose the generators of columns that are not modelled.

    Args:
        processor: The processor, changed in place.
        proxy: A table of public facts.
    """
    processor.prepare_for_fitting(proxy)
    chosen = processor._hyper_transformer.field_transformers
    chosen.update({name: make_ids(each) for name, each in chosen.items()})


def pass_by(processor: DataProcessor, names: Iterable[str]) -> None:
    """Take transformers out of the processor, which would run them on what is sampled.

    Args:
        processor: The processor, changed in place.
        names: The modelled columns.
    """
    chosen = processor._hyper_transformer.field_transformers
    chosen.update({name: None for name in names if name in chosen})


def fit_processor(processor: DataProcessor, proxy: pd.DataFrame, dtypes: Mapping[str, Any]) -> None:
    """Let the processor learn how a synthetic table is stored.

    Args:
        processor: The processor, changed in place.
        proxy: A table of public and released facts.
        dtypes: The dtypes of the synthetic table.
    """
    processor.fit(proxy)
    processor._dtypes = dtypes
    # What is sampled is in the released range, granularity and format already.
    processor.formatters = {}
