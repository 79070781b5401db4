"""Synthetic rows of a DataFrame without metadata, in one call."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from sdv.errors import InvalidDataTypeError, SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea.guesses import LEARNED
from sdv_threea.metadata.column_facts import StatedColumn
from sdv_threea.metadata.schemas import find_sdtype, propose_from_dtypes
from sdv_threea.synthesizers.arguments import choose_word
from sdv_threea.synthesizers.single_table import ClustMixSynthesizer
from sdv_threea.warning import warn

#: The name of the table in the metadata.
TABLE = 'table'

#: The suggested sdtypes that the user has to confirm.
ASKED = ('text', 'datetime')


class AssumptionWarning(UserWarning):
    """Warns of the assumptions about a table that came without metadata."""


def synthesize(
    data: pd.DataFrame,
    epsilon: float,
    *,
    target_column: str | None = None,
    num_rows: int | None = None,
    sdtypes: Mapping[Any, str] | None = None,
    target: str | None = None,
    **settings: Any,
) -> tuple[pd.DataFrame, ClustMixSynthesizer]:
    """Fit a DataFrame, and sample as many rows as it was released to have.

    Column names and dtypes are the only public facts; no cell decides the type of a column. Columns
    whose names suggest keys or personal information (``customer_id``, ``first_name``, ``city``) are
    made up and never read. Texts whose names suggest free text, names or dates (``notes``,
    ``name``, ``date``) raise an error that asks for their type, before anything is read; so do all
    reasons to stop of :meth:`ClustMixSynthesizer.check`, such as ids of persons. An
    :class:`AssumptionWarning` lists all assumptions.

    Formal guarantees:
        * both results are those of :class:`ClustMixSynthesizer` with metadata that is a function of
          the names and dtypes of ``data`` and of the other arguments

    Args:
        data: The private table. Each row is one unit: a person with several rows is not protected
            as a whole, only each row is.
        epsilon: The privacy budget: the smaller, the more private.
        target_column: The column that models will be trained to predict. If none is named, the
            synthesizer may choose one (:class:`~sdv_threea.ClustMixSynthesizer`).
        num_rows: How many rows to sample; by default the released, noisy number of rows.
        sdtypes: Types of columns, by name, where name and dtype do not suffice or mislead:
            ``'categorical'`` for numbers that are codes and for names that samples may show,
            ``'text'`` for free text, ``'id'`` for keys, ``'datetime'`` for texts of dates. The
            target has the type of its dtype, whatever its name.
        target: Short for ``target_column``.
        **settings: Further arguments of :class:`ClustMixSynthesizer`, such as ``delta``.

    Returns:
        The synthetic rows; the fitted synthesizer, with the privacy statement and the datasheet.

    Raises:
        InvalidDataTypeError: If ``data`` is not a DataFrame.
        SynthesizerInputError: If name and dtype do not determine the type of a column (the message
            shows the argument to add), or if a setting is out of range. Nothing was read then.

    Examples:
        >>> from sdv_threea import synthesize
        >>> from sdv_threea.datasets import load_adult
        >>> adult, _, _ = load_adult()
        >>> rows, synthesizer = synthesize(adult, epsilon=1.0, target_column='income')
        >>> list(rows) == list(adult)
        True
    """
    if not isinstance(data, pd.DataFrame):
        raise InvalidDataTypeError('The data must be a DataFrame.')
    named = choose_word(target_column, target)
    columns = _describe(data.dtypes, sdtypes or {}, named)
    entries = {each.name: each.to_entry() for each in columns}
    metadata = Metadata.load_from_dict({'tables': {TABLE: {'columns': entries}}})
    synthesizer = ClustMixSynthesizer(metadata, epsilon=epsilon, target_column=named, **settings)
    synthesizer._harmless = frozenset(map(str, sdtypes or ()))  # the caller stated their types
    warn(_say(columns, data.dtypes), AssumptionWarning)
    synthesizer.fit({TABLE: data})
    if num_rows is None:
        released = synthesizer._model
        num_rows = round(released.num_rows) if released is not None else 0
    return synthesizer.sample(num_rows)[TABLE], synthesizer


def _describe(
    dtypes: pd.Series, stated: Mapping[Any, str], target: str | None
) -> list[StatedColumn]:
    if not dtypes.index.is_unique:
        raise SynthesizerInputError('Two columns have the same name: rename one of them.')
    if unknown := [name for name in stated if name not in dtypes]:
        raise SynthesizerInputError(
            f'The DataFrame has no columns {unknown}: sdtypes is by the names of columns.'
        )
    (proposed,) = propose_from_dtypes(dtypes, TABLE).tables.values()
    columns = [_settle(each, dtypes[each.name], stated, target) for each in proposed]
    if untold := [each.name for each in columns if each.sdtype is None]:
        raise SynthesizerInputError(
            f'The dtype {dtypes[untold[0]]} of the column {untold[0]!r} does not tell what it '
            "holds: convert the column, or state it as sdtypes={...: 'categorical'}."
        )
    if asked := {each.name: each.sdtype for each in columns if each.guess and each.sdtype in ASKED}:
        raise SynthesizerInputError(
            f'By their names, the columns {list(asked)} may hold free text or names of people, '
            'which samples could show word for word, or dates, which are too rare as categories. '
            f'Nothing was read. To go on, call synthesize(..., sdtypes={ {**stated, **asked} }): '
            "'text' is made up, and 'datetime' learned. Or state 'name', which makes up names of "
            "people, or 'categorical' for a column whose frequent values may be shown."
        )
    return columns


def _settle(
    column: StatedColumn, dtype: Any, stated: Mapping[Any, str], target: str | None
) -> StatedColumn:
    """Return a column with its stated type, or that of its dtype unless the name suggests one."""
    by_dtype = find_sdtype(dtype)
    named = column.sdtype not in LEARNED or (column.sdtype, by_dtype) == ('datetime', 'categorical')
    found = stated.get(column.name) or (None if named and column.name != target else by_dtype)
    return replace(column, sdtype=found, guess='') if found else column


def _say(columns: Sequence[StatedColumn], dtypes: pd.Series) -> str:
    kinds: dict[str | None, list[str]] = {}
    for each in columns:
        kinds.setdefault(each.sdtype, []).append(str(each.name))
    told = '; '.join(f'{sdtype}: {", ".join(names)}' for sdtype, names in kinds.items())
    made_up = [each.name for each in columns if each.guess]
    by_name = (
        'Columns that their names call keys or personal are made up, and never looked at: '
        f'{", ".join(map(str, made_up))}; to learn one, state what it holds, as '
        f'sdtypes={ {made_up[-1]: find_sdtype(dtypes[made_up[-1]])} }. '
        if made_up
        else ''
    )
    return (
        f'Assumed by names and dtypes alone: {told}. They are public, and nothing else is. Every '
        f'row is one unit. {by_name}Texts are categories: values of few rows come out as missing, '
        "so state keys and free text as sdtypes={'key': 'id', 'note': 'text'}, and codes as "
        "{'code': 'categorical'}."
    )
