"""Tables in files: found, read and written.

In go paths and metadata; out come tables whose dtypes depend on the metadata, or on the schema of a
Parquet file, but never on cells. A reader that guesses types looks at all rows: with one missing
cell integers become floats, and with one letter numbers become texts. As the dtypes of a table are
published with its release, that would tell something about single cells. So all cells of a CSV file
are read as texts, and each becomes what the metadata says its column holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.cli.errors import RefusedError
from sdv_threea.storage.files import write_csv

#: The endings of files that hold a table.
SUFFIXES = ('.csv', '.csv.gz', '.parquet')

#: What a cell begins with that a spreadsheet runs as a formula.
FORMULAS = ('=', '+', '-', '@', '\t', '\r')

#: The texts that are read as booleans, in lower case.
TRUTHS = {'true': True, '1': True, '1.0': True, 'false': False, '0': False, '0.0': False}


def find_tables(source: Path, names: Iterable[str]) -> dict[str, Path]:
    """Find the file of each table.

    Args:
        source: A file, if there is one table; or a folder with a file named after each table.
        names: The tables of the metadata.

    Returns:
        The files by table.

    Raises:
        RefusedError: If a table has no file, or several, or one of an unknown kind.
    """
    names = list(names)
    if source.is_file() and len(names) > 1:
        raise RefusedError(
            f"The metadata has the tables {names}, and '{source}' is one file: give a folder with "
            'a file for each.'
        )
    found = {name: _find_in_folder(source, name) for name in names if source.is_dir()}
    found = found or {names[0]: source}
    for path in found.values():
        check_kind(path)
    return found


def check_kind(path: Path) -> None:
    """Check that a file is of a kind that can be read and written here.

    Raises:
        RefusedError: If its name ends otherwise, or the library for it is not installed.
    """
    if not path.name.endswith(SUFFIXES):
        raise RefusedError(f"'{path}' is not a kind of table that is known: {_either(SUFFIXES)}.")
    if path.name.endswith('.parquet') and find_spec('pyarrow') is None:
        raise RefusedError(
            f"'{path}' is Parquet, which needs PyArrow: pip install 'sdv-threea[parquet]'."
        )


def read_table(
    path: Path,
    columns: Mapping[str, Mapping[str, Any]],
    *,
    use_values: bool = False,
    coerce: bool = False,
    only_empty: bool = False,
) -> pd.DataFrame:
    """Read a table.

    Formal guarantees:
        * the dtypes are a function of the metadata, or of the schema of a Parquet file
        * error messages name columns, and show no cell

    Args:
        path: The file, of a kind that was checked.
        columns: The entries of the columns in the metadata, by name.
        use_values: Whether the values that the metadata lists are public. Then a text becomes the
            listed value that is spelt like it.
        coerce: Whether a cell that is no valid value of its column becomes missing. Otherwise the
            file is refused.
        only_empty: Whether no cell of a CSV file is missing but an empty one. Otherwise those are
            too that pandas takes for missing, such as NA, null and None.

    Returns:
        Of a CSV file, numbers as floats, booleans as ``boolean`` and all other columns as texts. Of
        a Parquet file, the dtypes of its schema; integers and booleans get dtypes that allow for
        missing values.

    Raises:
        RefusedError: If the file cannot be read, or a cell is no valid value of its column.
    """
    if path.name.endswith('.parquet'):
        return _read_parquet(path)
    texts = _read_csv(path, only_empty=only_empty)
    return pd.DataFrame(
        {
            name: interpret(
                texts[name], path, columns.get(name, {}), use_values=use_values, coerce=coerce
            )
            for name in texts.columns
        }
    )


def write_table(table: pd.DataFrame, path: Path, *, for_spreadsheets: bool = False) -> None:
    """Write a table in the format that the ending of the file's name stands for.

    Args:
        table: The rows; whole numbers are written without a decimal point.
        path: The file, of a kind that was checked.
        for_spreadsheets: Whether an apostrophe is put before the texts of a CSV file that a
            spreadsheet would run as formulas.
    """
    if path.name.endswith('.parquet'):
        table.to_parquet(path, engine='pyarrow', index=False)
        return
    whole = table.convert_dtypes(
        infer_objects=False, convert_string=False, convert_boolean=False, convert_floating=False
    )
    write_csv(_disarm(whole) if for_spreadsheets else whole, path)


def _disarm(table: pd.DataFrame) -> pd.DataFrame:
    """Put an apostrophe before what a spreadsheet would run: numbers spelt as texts are left."""

    def disarm(cell: Any) -> Any:
        armed = isinstance(cell, str) and cell.startswith(FORMULAS) and not _is_number(cell)
        return f"'{cell}" if armed else cell

    texts = table.select_dtypes(exclude=['number', 'bool', 'datetime', 'datetimetz', 'timedelta'])
    disarmed = {name: texts[name].astype(object).map(disarm) for name in texts}
    return table.assign(**disarmed).rename(columns=disarm)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _find_in_folder(folder: Path, name: str) -> Path:
    found = [path for suffix in SUFFIXES if (path := folder / f'{name}{suffix}').is_file()]
    if len(found) != 1:
        count = 'several files' if found else 'no file'
        expected = _either(name + suffix for suffix in SUFFIXES)
        raise RefusedError(f"'{folder}' has {count} for the table '{name}': it takes {expected}.")
    return found[0]


def _read_csv(path: Path, *, only_empty: bool) -> pd.DataFrame:
    missing: dict[str, Any] = {'keep_default_na': False, 'na_values': ['']} if only_empty else {}
    try:
        texts = pd.read_csv(path, dtype=str, encoding='utf-8-sig', **missing)
    except (ValueError, EOFError):
        # Raised by pandas for malformed rows and encodings. The messages may quote cells.
        texts = None
    if texts is None or not isinstance(texts.index, pd.RangeIndex):
        raise RefusedError(
            f"'{path}' cannot be read: it must be text in UTF-8 with commas, a line of names, and "
            'as many cells in every line.'
        )
    return texts


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        table = pd.read_parquet(path, engine='pyarrow', dtype_backend='numpy_nullable')
    except ValueError:
        raise RefusedError(f"'{path}' cannot be read as Parquet.") from None
    # Floats of NumPy can be missing, too, and have one value for that (NaN) where pandas' have two.
    floats = table.select_dtypes('floating').columns
    return table.astype(dict.fromkeys(floats, np.float64))


def interpret(
    texts: pd.Series,
    source: object,
    description: Mapping[str, Any],
    *,
    use_values: bool = False,
    coerce: bool = False,
) -> pd.Series:
    """Turn texts into what the metadata says a column holds; see :func:`read_table`.

    Args:
        texts: The cells, under the name of the column.
        source: Where they are from, for an error message.
        description: The column's entry in the metadata.
        use_values: Whether the values that the metadata lists are public.
        coerce: Whether cells that are no valid value of the column become missing.

    Returns:
        The column, in the dtype that :func:`read_table` states.
    """
    values = description.get('range_values') if use_values else None
    match description.get('sdtype'):
        case 'numerical':
            spelt = pd.to_numeric(texts, errors='coerce').notna()
            if not coerce:
                _check_cells(texts, spelt, source, 'not numbers')
            return texts.where(spelt).astype(np.float64)  # exact, where to_numeric is not
        case 'boolean':
            truths = texts.str.lower().map(TRUTHS)
            if not coerce:
                _check_cells(texts, truths.notna(), source, 'neither true nor false')
            return truths.astype('boolean')
        case 'categorical' | 'ordinal' if values is not None:
            listed = texts.map({str(value): value for value in values}).astype(object)
            return listed.where(listed.notna(), texts)
        case _:
            return texts


def _check_cells(texts: pd.Series, spelt: pd.Series, source: object, problem: str) -> None:
    if bool((texts.notna() & ~spelt).any()):
        raise RefusedError(f"Column '{texts.name}' of '{source}' has cells that are {problem}.")


def _either(words: Iterable[str]) -> str:
    *most, last = words
    return f'{", ".join(most)} or {last}'
