"""Synthetic rows in one call, for those who have a DataFrame and no metadata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from sdv.errors import InvalidDataTypeError, SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea.synthesizers.single_table import ClustMixSynthesizer
from sdv_threea.warning import warn

#: What the table is called in the metadata.
TABLE = 'table'


class AssumptionWarning(UserWarning):
    """Says what was assumed of a table that came without metadata."""


def synthesize(
    data: pd.DataFrame,
    epsilon: float,
    *,
    target: str | None = None,
    num_rows: int | None = None,
    sdtypes: Mapping[Any, str] | None = None,
    **settings: Any,
) -> tuple[pd.DataFrame, ClustMixSynthesizer]:
    """Fit a DataFrame, and sample as many rows as were released to be in it.

    It takes the names and the dtypes of the columns as public, and nothing else: no range, no
    value, no number of rows. It looks at no cell to decide what a column is. An
    :class:`AssumptionWarning` says what was assumed.

    Formal guarantees:
        * both results are those of :class:`ClustMixSynthesizer` with metadata that is a function of
          the names and dtypes of ``data`` and of the other arguments

    Args:
        data: The private table. Every row is taken as one unit: if a person has several rows, that
            protects each row, and not the person.
        epsilon: The privacy promise: the smaller, the more private.
        target: The column that models will be trained to predict, if it is known. If none is named,
            another may stand for it (:class:`~sdv_threea.ClustMixSynthesizer`).
        num_rows: How many rows to sample; by default as many as were released to be there, a noisy
            count.
        sdtypes: What columns are, by name, where the dtype does not tell: ``'categorical'`` for
            numbers that are codes, ``'id'`` for keys, ``'datetime'`` for texts of dates.
        **settings: Further arguments of :class:`ClustMixSynthesizer`, such as ``delta``.

    Returns:
        The synthetic rows, and the fitted synthesizer: ask it for its privacy statement and its
        datasheet, and for more rows.

    Raises:
        InvalidDataTypeError: If ``data`` is not a DataFrame.
        SynthesizerInputError: If a dtype does not tell what a column is, or a setting is out of
            range.

    Examples:
        >>> from sdv_threea import synthesize
        >>> from sdv_threea.datasets import load_adult
        >>> adult, _, _ = load_adult()
        >>> rows, synthesizer = synthesize(adult, epsilon=1.0, target='income')
        >>> list(rows) == list(adult)
        True
    """
    if not isinstance(data, pd.DataFrame):
        raise InvalidDataTypeError('The data must be a DataFrame.')
    found = _find_sdtypes(data, sdtypes or {})
    columns = {name: {'sdtype': sdtype} for name, sdtype in found.items()}
    metadata = Metadata.load_from_dict({'tables': {TABLE: {'columns': columns}}})
    synthesizer = ClustMixSynthesizer(metadata, epsilon=epsilon, target_column=target, **settings)
    warn(_say(found), AssumptionWarning)
    synthesizer.fit({TABLE: data})
    if num_rows is None:
        released = synthesizer._model
        num_rows = round(released.num_rows) if released is not None else 0
    return synthesizer.sample(num_rows)[TABLE], synthesizer


def _find_sdtypes(data: pd.DataFrame, stated: Mapping[Any, str]) -> dict[Any, str]:
    """Return what each column is: as stated, or by its dtype alone."""
    if not data.columns.is_unique:
        raise SynthesizerInputError('Two columns have the same name: rename one of them.')
    if unknown := [name for name in stated if name not in data]:
        raise SynthesizerInputError(
            f'The DataFrame has no columns {unknown}: sdtypes is by the names of columns.'
        )
    return {name: stated.get(name) or _find_sdtype(name, data.dtypes[name]) for name in data}


def _find_sdtype(name: object, dtype: Any) -> str:
    types = pd.api.types
    if types.is_bool_dtype(dtype):
        return 'boolean'
    if types.is_numeric_dtype(dtype) and not types.is_complex_dtype(dtype):
        return 'numerical'
    if types.is_datetime64_any_dtype(dtype):
        return 'datetime'
    if types.is_object_dtype(dtype) or isinstance(dtype, pd.CategoricalDtype | pd.StringDtype):
        return 'categorical'
    raise SynthesizerInputError(
        f'The dtype {dtype} of the column {name!r} does not tell what it holds: convert the '
        "column, or state it as sdtypes={...: 'categorical'}."
    )


def _say(found: Mapping[Any, str]) -> str:
    """Say what was assumed, by names and dtypes alone."""
    kinds: dict[str, list[str]] = {}
    for name, sdtype in found.items():
        kinds.setdefault(sdtype, []).append(str(name))
    told = '; '.join(f'{sdtype}: {", ".join(names)}' for sdtype, names in kinds.items())
    return (
        f'Assumed by names and dtypes alone: {told}. They are public, and nothing else is. Every '
        'row is one unit. Texts are categories: values of few rows come out as missing, so state '
        "keys and free text as sdtypes={'key': 'id', 'note': 'text'}, and codes as "
        "{'code': 'categorical'}."
    )
