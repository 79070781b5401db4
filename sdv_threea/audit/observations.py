"""Features of a fit, which an observer sees: its synthetic rows, its state, its messages.

Sampled tables, a fitted synthesizer, and a fit's warnings, logs and prints become named numbers.
"""

import datetime
import hashlib
import logging
import math
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from sdv_threea.arrays import Bools
from sdv_threea.audit.worlds import Neighbours

#: Numbers by name.
Features = dict[str, float]

#: Longer words are cut to this length.
LONGEST_WORD = 80


#: The largest number of elements of one array that are kept, and of one object in all. A sum and a
#: digest stand for all others.
PER_ARRAY = 1000

IN_ALL = 100_000

#: The part of a path that stands for all parts that are not kept.
TAIL = f'[{PER_ARRAY}:]'

#: The pickle protocol with which the content of an object is read.
PROTOCOL = 4

#: Types that are ignored: code and random generators, which hold nothing of the table.
PASSED_OVER = (
    type,
    FunctionType,
    BuiltinFunctionType,
    MethodType,
    ModuleType,
    np.random.Generator,
    np.random.RandomState,
    np.random.BitGenerator,
    np.dtype,
)


@contextmanager
def listen() -> Iterator[list[str]]:
    """Catch the warnings, logs and prints of this process; nothing is shown.

    A warning is caught each time, not once per line of code. Loggers keep their levels and filters.
    The list of messages is complete when the block has ended.
    """
    heard: list[str] = []
    printed = StringIO()

    def take(_: logging.Logger, record: logging.LogRecord) -> None:
        heard.append(f'{record.levelname} {_write(record)}')

    with (
        warnings.catch_warnings(record=True) as warned,
        patch.object(logging.Logger, 'callHandlers', take),
        redirect_stdout(printed),
        redirect_stderr(printed),
    ):
        warnings.simplefilter('always')
        try:
            yield heard
        finally:
            heard += [f'{each.category.__name__} {each.message}' for each in warned]
            heard += printed.getvalue().splitlines()


def count_words(messages: list[str]) -> Features:
    """Return the number of messages and of each word, by name, as features for an observer."""
    counts: Features = {'messages': float(len(messages))}
    for message in messages:
        for word in message.split():
            name = f'{word[:LONGEST_WORD]!r} is said'
            counts[name] = counts.get(name, 0.0) + 1.0
    return counts


def _write(record: logging.LogRecord) -> str:
    if isinstance(record.msg, Mapping):  # an event of SDV
        return ' '.join(f'{name}: {value}' for name, value in record.msg.items())
    return record.getMessage()


def describe_rows(sampled: Mapping[str, pd.DataFrame], neighbours: Neighbours) -> Features:
    """Return features of synthetic rows, as numbers by name.

    A table has the number of its rows, and of rows like the canary in all columns or in all except
    one or two. A column has the number of values like the canary's, of missing values, of different
    values and of the most frequent value (in a foreign key: the largest number of children).
    Numbers also have their minimum, maximum and mean.
    """
    features: Features = {}
    for name, rows in sampled.items():
        features[f'{name}: rows'] = len(rows)
        if name not in neighbours.canary:
            continue
        canary, others = neighbours.canary[name].iloc[0], neighbours.without[name]
        alike = np.zeros(len(rows))
        for column in rows.columns.intersection(others.columns):
            near = _is_near(rows[column], canary[column], others[column])
            alike += near
            described = {'near the canary': near.sum(), **_describe_column(rows[column])}
            features |= {f'{name}.{column}: {what}': float(n) for what, n in described.items()}
        features[f'{name}: most alike'] = alike.max(initial=0.0)
        for fewer in range(min(3, len(rows.columns))):
            least = len(rows.columns) - fewer
            features[f'{name}: alike but for {fewer}'] = float((alike >= least).sum())
    return features


def _describe_column(column: pd.Series) -> Features:
    counts = column.astype(object).value_counts()
    described = {
        'missing': float(column.isna().sum()),
        'commonest': float(counts.iloc[0]) if len(counts) else 0.0,
        'different': float(len(counts)),
    }
    if _is_number(column):
        numbers = column.dropna().to_numpy(dtype=float)
        if len(numbers):
            described |= {'smallest': float(numbers.min()), 'largest': float(numbers.max())}
            described['mean'] = float(numbers.mean())
    return described


def _is_near(column: pd.Series, value: Any, others: pd.Series) -> Bools:
    """Return which values are like the canary's: equal, also missing, or the nearest numbers."""
    if pd.isna(value):
        return np.asarray(column.isna())
    if not (_is_number(column) and _is_number(others)):
        return np.asarray((column.astype(object) == value).fillna(False), dtype=np.bool_)
    numbers = column.to_numpy(dtype=float, na_value=np.nan)
    gaps = np.abs(others.dropna().to_numpy(dtype=float) - float(value))
    return np.asarray(np.abs(numbers - float(value)) <= gaps.min(initial=np.inf) / 2)


def _is_number(column: pd.Series) -> bool:
    return bool(is_numeric_dtype(column.dtype) and not is_bool_dtype(column.dtype))


def flatten(thing: object) -> Features:
    """Return all numbers and words in a pickle of an object, however deep.

    The name of a number is its path in the object. The name of a word is its path and its text, and
    its value is 1, so a list of categories that was read from the data is visible.

    Formal guarantees:
        * if the results of two objects are equal, so are all of their numbers and words, except for
          collisions of SHA-256: a sum and a digest represent the rest of arrays with more than
          :data:`PER_ARRAY` numbers, and of objects with more than :data:`IN_ALL` entries
    """
    found: Features = {}
    rest = _Rest()
    seen: set[int] = set()
    left: list[tuple[str, Any]] = [('', thing)]
    kept = []  # keeps objects alive, so that ids stay unique
    while left:
        path, each = left.pop()
        leaf = _read_leaf(path, each)
        if leaf is not None:
            for name, value in leaf.items():
                is_tail, is_word = TAIL in path, name != path
                has_room = name not in found and len(found) < IN_ALL
                if is_tail or not has_room:
                    rest.add(name, value)
                if has_room and (is_word or not is_tail):
                    found[name] = value
            # A number or text of a user's own class may have attributes.
            own = getattr(each, '__dict__', {})
            left += [(f'{path}.{name}', value) for name, value in own.items()]
        elif id(each) not in seen and not isinstance(each, PASSED_OVER):
            seen.add(id(each))
            kept.append(each)
            left += _list_parts(path, each)
    return found | rest.tell()


class _Rest:
    """Sums and digests of all further entries: one of each array, and one of everything else."""

    def __init__(self) -> None:
        self._sums: Features = {}
        self._digests: dict[str, Any] = {}

    def add(self, name: str, value: float) -> None:
        place = name.split(TAIL)[0] + TAIL if TAIL in name else 'the rest'
        self._sums[place] = self._sums.get(place, 0.0) + value
        digest = self._digests.setdefault(place, hashlib.sha256())
        digest.update(f'{name}={value!r};'.encode(errors='surrogatepass'))

    def tell(self) -> Features:
        """Return each sum, and each digest as a word."""
        words = {f'{at} is {each.hexdigest()}': 1.0 for at, each in self._digests.items()}
        return self._sums | words


def _read_leaf(path: str, each: Any) -> Features | None:
    """Return the entries of an object without parts; ``None`` if it has parts."""
    if each is None or each is pd.NaT or each is pd.NA:
        return {}
    if isinstance(each, complex | np.complexfloating):
        return {f'{path}.real': float(each.real), f'{path}.imag': float(each.imag)}
    if isinstance(each, bool | int | float | np.number | np.bool_):
        return {path: _as_float(each)}
    if isinstance(each, str | bytes):
        return {f'{path} is {_shorten(each)!r}': 1.0}
    if isinstance(each, datetime.date):
        return {f'{path} is {each}': 1.0}
    if isinstance(each, np.ndarray) and each.dtype.kind in 'biuf':
        numbers, more = np.split(each.ravel(), [PER_ARRAY])
        found = {f'{path}[{at}]': float(number) for at, number in enumerate(numbers.tolist())}
        if len(more):
            # All at once, because there may be millions.
            digest = hashlib.sha256(np.ascontiguousarray(more).tobytes()).hexdigest()
            found |= {f'{path}{TAIL}': float(more.sum()), f'{path}{TAIL} is {digest}': 1.0}
        return found
    return None


def _as_float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:  # a whole number that is larger than any float
        return math.copysign(math.inf, number > 0 or -1)


def _shorten(word: str | bytes) -> str | bytes:
    if len(word) <= LONGEST_WORD:
        return word
    whole = word if isinstance(word, bytes) else word.encode(errors='surrogatepass')
    digest = hashlib.sha256(whole).hexdigest()
    begun = word[:LONGEST_WORD]
    return begun + digest.encode() if isinstance(begun, bytes) else begun + digest


def _list_parts(path: str, each: Any) -> Iterator[tuple[str, Any]]:
    if hasattr(each, 'detach'):  # a tensor of torch
        yield path, each.detach().cpu().numpy()
    elif isinstance(each, pd.DataFrame | pd.Series):
        yield f'{path}.index', each.index
        yield f'{path}.values', each.to_numpy()
    elif isinstance(each, pd.Index | np.ndarray | pd.api.extensions.ExtensionArray):
        yield path, np.asarray(each).ravel().tolist()
    elif isinstance(each, Mapping):
        yield from ((f'{path}.{key}', value) for key, value in each.items())
    elif isinstance(each, set | frozenset):
        yield from ((f'{path}[{_name(value)}]', value) for value in sorted(each, key=repr))
    elif isinstance(each, list | tuple):
        for at, value in enumerate(each):
            yield f'{path}[{at}]' if at < PER_ARRAY else f'{path}{TAIL}', value
    else:
        yield from _list_attributes(path, each)


def _name(element: Any) -> str:
    """Name an element of a set, which has no position: a number by its text."""
    return repr(element) if isinstance(element, int | float | np.number) else ''


def _list_attributes(path: str, each: Any) -> Iterator[tuple[str, Any]]:
    """Yield the content of the pickle of an object: attributes, arguments, items."""
    try:
        reduced = each.__reduce_ex__(PROTOCOL)
    except Exception:
        return  # an object that cannot be pickled is not released
    if isinstance(reduced, str):  # the name of a constant
        return
    _, arguments, state, items = (*reduced, None, None)[:4]
    yield from ((f'{path}({at})', value) for at, value in enumerate(arguments))
    for part in state if isinstance(state, tuple) else (state,):
        if isinstance(part, Mapping):
            yield from ((f'{path}.{name}', value) for name, value in part.items())
        elif part is not None:
            yield f'{path}.state', part
    if items is not None:
        yield path, list(items)
