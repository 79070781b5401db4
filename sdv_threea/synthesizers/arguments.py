"""Checks of arguments; each error names the argument and says what it must be."""

import errno
import os
import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, cast

import numpy as np
import pandas as pd
from faker import Faker
from rdt.transformers import BaseTransformer
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata
from sdv.sampling import Condition, DataFrameCondition

from sdv_threea.domain import MISSING
from sdv_threea.errors import ACCEPTABLE
from sdv_threea.names import check_table_names
from sdv_threea.settings import Settings, check_process
from sdv_threea.storage.files import name_csv
from sdv_threea.storage.metadata import MODELLED, NEVER_LEARNED, ColumnMetadata, read_points
from sdv_threea.storage.processing import check_formats
from sdv_threea.storage.relationships import find_keys
from sdv_threea.storage.sequences import NO_KEY
from sdv_threea.warning import warn

#: The treatments of cells that contradict the metadata.
COERCE = 'coerce'
INVALID_CELLS = ('raise', COERCE)

#: The sdtypes of columns whose values are listed.
WITH_VALUES = ('categorical', 'boolean', 'ordinal')

#: The sdtypes of columns that have a range.
WITH_RANGE = ('numerical', 'datetime')

#: Parameters that can be set table by table. All others are the same for the whole database.
TABLE_PARAMETERS = frozenset(
    ('alpha', 'enforce_min_max_values', 'enforce_rounding', 'kernel', 'locales', 'mixing')
    + ('n_components', 'pseudonyms', 'public_metadata', 'target_column')
)

#: The error for a table whose rows are steps of sequences.
SEQUENCES = (
    "The metadata of the table '{}' has {}, so a person may have many rows, and a fit would "
    'protect one row. Use ClustMixSequentialSynthesizer, which protects a sequence with all rows. '
    'To protect one row, leave sequence_key and sequence_index out of the metadata.'
)

#: Lone surrogates: halves of characters, which UTF-8 cannot encode.
LONE = re.compile('[\ud800-\udfff]')


def check_metadata(metadata: object, *, sequential: bool = False) -> None:
    """Check the type of the metadata, and that files can hold its names.

    Metadata of a sequence is refused unless ``sequential``: a fit would protect single rows.
    """
    if not isinstance(metadata, Metadata):
        raise SynthesizerInputError(
            'metadata must be an sdv.metadata.Metadata (see Metadata.load_from_dict and '
            f'Metadata.detect_from_dataframes), got {type(metadata).__name__}.'
        )
    columns = [each for table in metadata.tables.values() for each in table.columns.values()]
    formats = [each.get('regex_format') for each in columns]
    with _as_input_errors():
        check_table_names(metadata.tables)
        check_formats(each for each in formats if isinstance(each, str))
    names = {str(name) for table in metadata.tables.values() for name in table.columns}
    if broken := sorted(ascii(name) for name in names if LONE.search(name)):
        raise SynthesizerInputError(
            f'The column names {", ".join(broken)} hold halves of characters (lone surrogates), '
            'which no file can hold: rename the columns in the table and in the metadata.'
        )
    for name, table in metadata.tables.items():
        facts = {'sequence_key': table.sequence_key, 'sequence_index': table.sequence_index}
        if sequential and table.sequence_index and not table.sequence_key:
            raise SynthesizerInputError(NO_KEY.format(name))
        if not sequential and (
            stated := [f'the {fact} {named!r}' for fact, named in facts.items() if named]
        ):
            raise SynthesizerInputError(SEQUENCES.format(name, ' and '.join(stated)))


def read_accepted(accept: object) -> tuple[str, ...]:
    """Return the accepted reasons to stop a fit as a tuple; ``accept`` is one word or several."""
    named = (accept,) if isinstance(accept, str) else accept
    words = list(named) if isinstance(named, Collection) else [None]
    known = all(isinstance(each, str) and each in ACCEPTABLE for each in words)
    _demand(known, f'a list of words out of {list(ACCEPTABLE)}', accept=accept)
    return tuple(map(str, words))


def check_locales(locales: object) -> None:
    """Check that Faker has these locales: one, a list, or ``None`` for Faker's default."""
    if locales is None:
        return
    listed = [locales] if isinstance(locales, str) else locales
    try:
        known = isinstance(listed, list | tuple) and bool(Faker(list(listed)).locales)
    except (AttributeError, TypeError):  # what Faker raises
        known = False
    wanted = "a list of locales that Faker has, such as ['en_US', 'de_DE']"
    _demand(known, wanted, locales=locales)


def choose_word(target_column: Any, target: Any) -> Any:
    """Return the target column, given as ``target_column`` or as its short form ``target``."""
    if target is not None and target_column not in (None, target):
        raise SynthesizerInputError(
            'target is another word for target_column: give one of them, got '
            f'{target_column!r} and {target!r}.'
        )
    return target_column if target is None else target


def check_target(target: object, columns: Mapping[str, ColumnMetadata]) -> None:
    """Check that the target is ``None``, or a column of an sdtype that models can predict."""
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
    """Return, for each categorical column, the replacement of values too rare to be released.

    ``unreleased`` is one replacement for all columns, or a dictionary by column. ``None`` stands
    for the default: a missing cell if the column may have missing cells, else a released value.
    """
    ((_, table),) = metadata.tables.items()
    listed = [name for name, each in table.columns.items() if each['sdtype'] in WITH_VALUES]
    named = unreleased if isinstance(unreleased, Mapping) else {}
    given = MISSING if isinstance(unreleased, Mapping) else unreleased
    if unknown := [name for name in named if name not in listed]:
        raise SynthesizerInputError(
            f'unreleased names {unknown}, which are no categorical columns: those are {listed}.'
        )
    wanted = "'missing', 'spread' or a value, or these by column"
    for value in (given, *named.values()):
        _demand(isinstance(value, str | int | float), wanted, unreleased=value)
    shown = dict.fromkeys(listed, None if given == MISSING else given)
    return cast(dict[str, Hashable | None], shown | dict(named))


def read_sentinels(sentinels: object, metadata: Metadata) -> dict[str, tuple[float, ...]]:
    """Return the sentinels of each column: numbers or dates that stand for something else.

    ``sentinels`` is one list for all columns, of which each column takes the values of its kind, or
    a dictionary by column. Dates are returned in seconds since 2000.
    """
    ((_, table),) = metadata.tables.items()
    ranged = {name: each for name, each in table.columns.items() if each['sdtype'] in WITH_RANGE}
    by_column = isinstance(sentinels, Mapping)
    given: Any = sentinels if by_column else dict.fromkeys(ranged, sentinels or ())
    if unknown := [name for name in given if name not in ranged]:
        raise SynthesizerInputError(
            f'sentinels names {unknown}, which are no numbers and no dates: those are {[*ranged]}.'
        )
    listed = all(isinstance(each, list | tuple) for each in given.values())
    _demand(listed, 'a list of numbers or dates, or such lists by column', sentinels=sentinels)
    points = {name: read_points(own, ranged[name]) for name, own in given.items()}
    found = {name: {each for each in own if each is not None} for name, own in points.items()}
    # Each value for all columns must fit at least one column.
    read = [[each is not None for each in own] for own in points.values()]
    fits = all(map(all, read)) if by_column else all(map(any, zip(*read, strict=True)))
    _demand(fits, 'like the values of their columns', sentinels=sentinels)
    return {name: tuple(sorted(own)) for name, own in found.items() if own}


def read_pseudonyms(pseudonyms: object, metadata: Metadata) -> dict[str, tuple[str, int]]:
    """Return the pool of names, and the number of different values, of columns with pseudonyms.

    ``pseudonyms`` lists columns, or gives a column this number or a word for its pool. The number
    is 0 if it is not public; by default a pool is named after its column.
    """
    ((table, described),) = metadata.tables.items()
    names = isinstance(pseudonyms, list | tuple) and all(
        isinstance(each, str) for each in pseudonyms
    )
    given: Any = dict.fromkeys(pseudonyms) if names else pseudonyms or {}  # type: ignore[call-overload]
    keys = find_keys(metadata, table)
    personal = [
        name
        for name, about in described.columns.items()
        if about['sdtype'] not in (*MODELLED, *NEVER_LEARNED) and name not in keys
    ]
    if not isinstance(given, Mapping) or not all(map(_says_pseudonyms, given.values())):
        raise SynthesizerInputError(
            'pseudonyms must be a list of columns, or a dictionary that gives a column the number '
            f'of its different values, a word for its pool of names, or None, got {pseudonyms!r}.'
        )
    if unknown := [name for name in given if name not in personal]:
        raise SynthesizerInputError(
            f'pseudonyms names {unknown}, which hold no personal information (such as name, city '
            f'or email) or are keys: it may name columns of {personal}.'
        )
    return {
        name: (said, 0) if isinstance(said, str) else (name, int(said or 0))
        for name, said in given.items()
    }


def check_tables(metadata: Metadata, **by_table: Any) -> None:
    """Check that each named argument is ``None``, or a dictionary with names of tables as keys."""
    for name, given in by_table.items():
        tables = list(given) if isinstance(given, Mapping) else [None] * (given is not None)
        fits = all(each in metadata.tables for each in tables)
        _demand(fits, f'a dictionary by table, of {list(metadata.tables)}', **{name: given})


def _says_pseudonyms(said: object) -> bool:
    number = isinstance(said, int) and not isinstance(said, bool) and said > 0
    return said is None or number or (isinstance(said, str) and said != '')


def make_settings(**chosen: Any) -> Settings:
    """Return ``Settings`` with these fields; warn if they promise nothing end to end."""
    with _as_input_errors():
        settings = Settings(**chosen)
    if settings.guarantee == 'paper':
        warn(
            "guarantee='paper' leaves reads of the private rows uncharged, as the paper does: "
            'it is not an end-to-end guarantee. Use it to reproduce the paper, and '
            "guarantee='end_to_end' to release data."
        )
    return settings


def check_kernel(settings: Settings) -> None:
    """Raise an error if the kernel needs JAX in a forked process, where JAX would hang."""
    with _as_input_errors():
        check_process(settings.kernel)


@contextmanager
def _as_input_errors() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise SynthesizerInputError(str(error)) from None


def _demand(
    fits: bool, wanted: str, error: type[Exception] = SynthesizerInputError, **given: Any
) -> None:
    """Unless ``fits``, raise an error that the ``given`` argument must be ``wanted``."""
    for name, value in given.items() if not fits else ():
        raise error(f'{name} must be {wanted}, got {value!r}.')


def _is_number(value: object, kind: type = Real) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool | np.bool_)


def check_flag(**flags: Any) -> None:
    """Check that each named argument is ``True`` or ``False``."""
    for name, flag in flags.items():
        _demand(isinstance(flag, bool), 'True or False', **{name: flag})


def check_limit(**limits: Any) -> None:
    """Check that each named argument is a number above zero, or ``None``."""
    for name, limit in limits.items():
        fits = limit is None or (_is_number(limit) and limit > 0)
        _demand(fits, 'a number above 0', **{name: limit})


def check_invalid_cells(treatment: object) -> None:
    """Check the word for cells that contradict the metadata: ``'raise'`` or ``'coerce'``."""
    known = isinstance(treatment, str) and treatment in INVALID_CELLS
    _demand(known, f'one of {list(INVALID_CELLS)}', invalid_cells=treatment)


def read_path(**paths: Any) -> str | None:
    """Return the named argument as a text: it must be the path of a file, or ``None``."""
    ((name, path),) = paths.items()
    if path is None:
        return None
    found = os.fspath(path) if isinstance(path, str | os.PathLike) else ''
    fits = isinstance(found, str) and bool(found.strip()) and '\0' not in found
    _demand(fits, 'the path of a file', **paths)
    return found


def check_name(**names: Any) -> None:
    """Raise a ``ValueError`` unless each named argument is a text."""
    for name, value in names.items():
        _demand(isinstance(value, str), 'a text', ValueError, **{name: value})


def check_constraints(constraints: object) -> None:
    """Raise a ``ValueError`` unless this is a list of SDV's constraints, or of programmed ones."""
    listed = constraints if isinstance(constraints, list) else [None]
    if not all(hasattr(each, '_is_single_table') for each in listed):
        raise ValueError('constraints must be a list of constraints of sdv.cag.')
    for each in listed:
        if isinstance(each, type):
            raise ValueError(f'{each.__name__} is a class: add a constraint, {each.__name__}(...).')


def check_transformers(transformers: object) -> None:
    """Check that this maps columns to instances of RDT's transformers, or to ``None``."""
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


#: The largest number of rows that can be asked for.
MOST = 2**62

#: The most synthetic rows for each row of a database.
LARGEST_SCALE = 1e9


def check_counts(least: int = 1, **counts: Any) -> None:
    """Raise a ``ValueError`` unless each named argument is a whole number of at least ``least``."""
    for name, count in counts.items():
        fits = _is_number(count, Integral) and least <= int(count) <= MOST
        _demand(fits, f'a whole number of at least {least}', ValueError, **{name: count})


def check_sampling(
    max_tries_per_batch: object, batch_size: object, folder: object, tables: Iterable[str]
) -> None:
    """Check the numbers of tries and of rows, and that the files of ``tables`` are new."""
    check_counts(max_tries_per_batch=max_tries_per_batch)
    if batch_size is not None:
        check_counts(batch_size=batch_size)
    if folder is not None:
        _check_folder(folder, tables)


def _check_folder(folder: object, tables: Iterable[str]) -> None:
    if not isinstance(folder, str | os.PathLike) or not os.fspath(folder):
        raise ValueError(f'output_folder_path must be the path of a folder, got {folder!r}.')
    check_table_names(tables)
    files = [os.fspath(name_csv(folder, table)) for table in tables]
    there = [path for path in files if os.path.lexists(path)]
    if os.path.isfile(folder) or there:
        problem = 'It already exists: choose another folder'
        raise FileExistsError(errno.EEXIST, problem, (there or [os.fspath(folder)])[0])


def check_scale(scale: object) -> None:
    """Check the size of a synthetic database, relative to the size of the fitted one."""
    fits = _is_number(scale) and 0 < scale <= LARGEST_SCALE  # type: ignore[operator]
    _demand(fits, f'a number above 0 and at most {LARGEST_SCALE:g}', scale=scale)


def check_conditions(conditions: object) -> None:
    """Raise a ``ValueError`` unless this is a list of SDV's conditions."""
    kinds = Condition, DataFrameCondition
    if not isinstance(conditions, list) or not all(isinstance(each, kinds) for each in conditions):
        raise ValueError(
            'conditions must be a list of Condition and DataFrameCondition objects (sdv.sampling), '
            "for example [Condition({'city': 'Bern'}, num_rows=10)]."
        )


def check_known_columns(known_columns: object) -> None:
    """Raise a ``ValueError`` unless this is a DataFrame."""
    if not isinstance(known_columns, pd.DataFrame):
        raise ValueError(
            'known_columns must be a pandas DataFrame with a row for each row to be sampled, got '
            f'{type(known_columns).__name__}.'
        )
