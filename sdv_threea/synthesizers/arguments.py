"""Checks of arguments that SDV would stumble over: one clear error, by name, before anything else.

The errors are SDV's: ``SynthesizerInputError`` for settings, ``ValueError`` for what is sampled.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from numbers import Real
from typing import Any, cast

import numpy as np
from faker import Faker
from rdt.transformers import BaseTransformer
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea.domain import MISSING
from sdv_threea.names import check_table_names
from sdv_threea.settings import Settings, check_process
from sdv_threea.storage.ids import check_formats
from sdv_threea.storage.metadata import MODELLED, ColumnMetadata
from sdv_threea.warning import warn

#: What becomes of cells that break what is stated of them.
COERCE = 'coerce'
INVALID_CELLS = ('raise', COERCE)

#: The sdtypes of columns that have values.
WITH_VALUES = ('categorical', 'boolean', 'ordinal')

#: What is said of a table whose rows are steps of sequences.
SEQUENCES = (
    "The metadata of the table '{}' has {}, so a person may have many rows, and a fit would "
    'protect one row. To protect a person with all rows, put the persons into a table of their '
    'own, relate the rows to it, and use ClustMixMultiTableSynthesizer with privacy_unit; the '
    'order of the rows is not learned. To protect one row, leave sequence_key and sequence_index '
    'out of the metadata.'
)

#: Halves of characters that UTF-8 cannot write.
LONE = re.compile('[\ud800-\udfff]')


def check_metadata(metadata: object) -> None:
    """Check that metadata is SDV's, of rows and no sequences, and that its names and ids can be.

    Args:
        metadata: What the user gave.

    Raises:
        SynthesizerInputError: If it is anything else, a name of a table leads out of a folder, one
            of a column cannot be written to a file, the formats of ids repeat too much, or rows are
            steps of sequences: one row would be the wrong unit.
    """
    if not isinstance(metadata, Metadata):
        raise SynthesizerInputError(
            'metadata must be an sdv.metadata.Metadata (see Metadata.load_from_dict and '
            f'Metadata.detect_from_dataframes), got {type(metadata).__name__}.'
        )
    columns = [each for table in metadata.tables.values() for each in table.columns.values()]
    formats = [each.get('regex_format') for each in columns]
    try:
        check_table_names(metadata.tables)
        check_formats(each for each in formats if isinstance(each, str))
    except ValueError as error:
        raise SynthesizerInputError(str(error)) from None
    names = {str(name) for table in metadata.tables.values() for name in table.columns}
    if broken := sorted(ascii(name) for name in names if LONE.search(name)):
        raise SynthesizerInputError(
            f'The column names {", ".join(broken)} hold halves of characters (lone surrogates), '
            'which no file can hold: rename the columns in the table and in the metadata.'
        )
    for name, table in metadata.tables.items():
        facts = {'sequence_key': table.sequence_key, 'sequence_index': table.sequence_index}
        if stated := [f'the {fact} {named!r}' for fact, named in facts.items() if named]:
            raise SynthesizerInputError(SEQUENCES.format(name, ' and '.join(stated)))


def check_locales(locales: object) -> None:
    """Check that personal information can be made up in the locales.

    Args:
        locales: What the user gave: a locale, or a list of them; ``None`` for that of Faker.

    Raises:
        SynthesizerInputError: If there are none, or Faker has no such locale.
    """
    if locales is None:
        return
    listed = [locales] if isinstance(locales, str) else locales
    try:
        known = isinstance(listed, list | tuple) and bool(Faker(list(listed)).locales)
    except (AttributeError, TypeError):  # what Faker raises
        known = False
    if not known:
        raise SynthesizerInputError(
            f"locales must be a list of locales that Faker has, such as ['en_US', 'de_DE'], got "
            f'{locales!r}.'
        )


def check_target(target: object, columns: Mapping[str, ColumnMetadata]) -> None:
    """Check that models can be trained to predict the target.

    Args:
        target: What the user gave; ``None`` for no target.
        columns: What the metadata says about each column.

    Raises:
        SynthesizerInputError: If it is no column, or one that cannot be predicted.
    """
    if target is None:
        return
    if not isinstance(target, str) or target not in columns:
        raise SynthesizerInputError(
            f"The target column '{target}' is not in the metadata, which has the columns "
            f'{list(columns)}.'
        )
    sdtype = columns[target]['sdtype']
    if sdtype not in MODELLED or sdtype == 'datetime':
        raise SynthesizerInputError(
            f"The target column '{target}' is of the sdtype '{sdtype}', which models cannot be "
            'trained to predict: choose a numerical, categorical, boolean or ordinal column.'
        )


def read_unreleased(unreleased: object, metadata: Metadata) -> dict[str, Hashable | None]:
    """Read what samples show in the place of values that are not released.

    Args:
        unreleased: What the user gave: for all columns, or by column.
        metadata: Metadata of one table, without what is not public.

    Returns:
        It by column. ``None`` is what is not chosen by name: missing where cells may be missing,
        and spread elsewhere.

    Raises:
        SynthesizerInputError: If a column is named that has no values, or something is no value.
    """
    ((_, table),) = metadata.tables.items()
    listed = [name for name, each in table.columns.items() if each['sdtype'] in WITH_VALUES]
    named = unreleased if isinstance(unreleased, Mapping) else {}
    given = MISSING if isinstance(unreleased, Mapping) else unreleased
    if unknown := [name for name in named if name not in listed]:
        raise SynthesizerInputError(
            f'unreleased names {unknown}, which are no categorical columns: those are {listed}.'
        )
    for value in (given, *named.values()):
        if not isinstance(value, str | int | float | bool):
            raise SynthesizerInputError(
                f"unreleased must be 'missing', 'spread' or a value, or these by column, got "
                f'{value!r}.'
            )
    shown = dict.fromkeys(listed, None if given == MISSING else given)
    return cast(dict[str, Hashable | None], shown | dict(named))


def make_settings(**chosen: Any) -> Settings:
    """Make the settings of a release, and warn if they promise nothing.

    Args:
        chosen: Fields of :class:`Settings` by name.

    Returns:
        The settings.

    Raises:
        SynthesizerInputError: If one is out of range.
    """
    try:
        settings = Settings(**chosen)
    except ValueError as error:
        raise SynthesizerInputError(str(error)) from None
    if settings.guarantee == 'paper':
        warn(
            "guarantee='paper' leaves reads of the private rows uncharged, as the paper does: "
            'it is not an end-to-end guarantee. Use it to reproduce the paper, and '
            "guarantee='end_to_end' to release data."
        )
    return settings


def check_kernel(settings: Settings) -> None:
    """Check that the kernel of a user can be evaluated in this process.

    Args:
        settings: What was asked of the release.

    Raises:
        SynthesizerInputError: If the process was forked after JAX had begun, and would hang.
    """
    try:
        check_process(settings.kernel)
    except ValueError as error:
        raise SynthesizerInputError(str(error)) from None


def check_flag(**flags: object) -> None:
    """Check that arguments are ``True`` or ``False``.

    Args:
        flags: The arguments by name.

    Raises:
        SynthesizerInputError: If one is anything else; it is named.
    """
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise SynthesizerInputError(f'{name} must be True or False, got {flag!r}.')


def check_limit(**limits: object) -> None:
    """Check that arguments are numbers above zero, or ``None``.

    Args:
        limits: The arguments by name.

    Raises:
        SynthesizerInputError: If one is anything else; it is named.
    """
    for name, limit in limits.items():
        is_number = isinstance(limit, Real) and not isinstance(limit, bool | np.bool_)
        if limit is not None and not (is_number and limit > 0):  # type: ignore[operator]
            raise SynthesizerInputError(f'{name} must be a number above 0, got {limit!r}.')


def check_choice(choices: tuple[str, ...], **given: object) -> None:
    """Check that arguments are one of some words.

    Args:
        choices: The words.
        given: The arguments by name.

    Raises:
        SynthesizerInputError: If one is anything else; it is named.
    """
    for name, each in given.items():
        if not isinstance(each, str) or each not in choices:
            raise SynthesizerInputError(f'{name} must be one of {list(choices)}, got {each!r}.')


def check_name(**names: object) -> None:
    """Check that arguments are texts.

    Args:
        names: The arguments by name.

    Raises:
        ValueError: If one is anything else; it is named.
    """
    for name, value in names.items():
        if not isinstance(value, str):
            raise ValueError(f'{name} must be a text, got {value!r}.')


def check_constraints(constraints: object) -> None:
    """Check that constraints are SDV's, or programmed as SDV has it.

    Args:
        constraints: What the user gave.

    Raises:
        ValueError: If it is no list of constraints.
    """
    listed = constraints if isinstance(constraints, list) else [None]
    if not all(hasattr(each, '_is_single_table') for each in listed):
        raise ValueError('constraints must be a list of constraints of sdv.cag.')
    for each in listed:
        if isinstance(each, type):
            raise ValueError(f'{each.__name__} is a class: add a constraint, {each.__name__}(...).')


def check_transformers(transformers: object) -> None:
    """Check that transformers are RDT's, each of them made already.

    Args:
        transformers: What the user gave.

    Raises:
        SynthesizerInputError: If it does not map columns to transformers.
    """
    if not isinstance(transformers, Mapping):
        raise SynthesizerInputError(
            'column_name_to_transformer must map columns to transformers of RDT, such as '
            f"{{'age': FloatFormatter()}}, got {type(transformers).__name__}."
        )
    for name, each in transformers.items():
        if isinstance(each, type):
            raise SynthesizerInputError(
                f'The column {name!r} needs a transformer, and {each.__name__} is a class: give '
                f'it {each.__name__}(), with its options.'
            )
        if each is not None and not isinstance(each, BaseTransformer):
            shown = repr(each) if isinstance(each, str) else type(each).__name__
            raise SynthesizerInputError(
                f'The column {name!r} needs a transformer of RDT, such as FloatFormatter(), or '
                f'None for none, got {shown}.'
            )
