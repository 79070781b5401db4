"""What an observer of a fitted synthesizer looks at: every number and every word in its state.

In goes any object. Out come numbers by name: each number under its place in the object, and a 1 for
each word under its place and the word. It covers what a pickle of the object would hold.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.audit.messages import LONGEST_WORD

#: The most numbers that are read from one array, and from one object in all.
PER_ARRAY = 1000
IN_ALL = 100_000

#: What is passed over: code, and generators of random numbers, which know nothing of the table.
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

State = dict[str, float]


def flatten(thing: object) -> State:
    """Return all numbers and words in an object, however deep.

    It looks at what a pickle of the object would hold: attributes, items, arrays and tables. A word
    is an entry of its own, so a list of categories that was read from the data shows.

    Args:
        thing: Any object, for example a fitted synthesizer.

    Returns:
        Numbers by their path, and a 1 by the path and the text of each word.
    """
    found: State = {}
    seen: set[int] = set()
    left: list[tuple[str, Any]] = [('', thing)]
    kept = []  # an object that is kept alive keeps its id, which no other object then gets
    while left and len(found) < IN_ALL:
        path, each = left.pop()
        leaf = _read_leaf(path, each)
        if leaf is not None:
            found |= leaf
            # A number or text of a user's own class may have attributes with more in them.
            left += _list_own(path, each)
        elif id(each) not in seen and not isinstance(each, PASSED_OVER):
            seen.add(id(each))
            kept.append(each)
            left += _list_parts(path, each)
    return found


def _read_leaf(path: str, each: Any) -> State | None:
    """Return the entries of an object without parts; ``None`` for one that has parts."""
    if each is None or each is pd.NaT or each is pd.NA:
        return {}
    if isinstance(each, bool | int | float | np.number | np.bool_):
        return {path: float(each)}
    if isinstance(each, str | bytes):
        return {f'{path} is {each[:LONGEST_WORD]!r}': 1.0}
    if isinstance(each, datetime.date):
        return {f'{path} is {each}': 1.0}
    if isinstance(each, np.ndarray) and each.dtype.kind in 'biuf':
        numbers = each.ravel()[:PER_ARRAY].tolist()
        return {f'{path}[{at}]': float(number) for at, number in enumerate(numbers)}
    return None


def _list_parts(path: str, each: Any) -> Iterator[tuple[str, Any]]:
    """List the parts of an object, each with its path."""
    if hasattr(each, 'detach'):  # a tensor of torch
        yield path, each.detach().cpu().numpy()
    elif isinstance(each, pd.DataFrame | pd.Series):
        yield f'{path}.index', each.index
        yield f'{path}.values', each.to_numpy()
    elif isinstance(each, pd.Index | np.ndarray | pd.api.extensions.ExtensionArray):
        yield path, np.asarray(each).ravel()[:PER_ARRAY].tolist()
    elif isinstance(each, Mapping):
        yield from ((f'{path}.{key}', value) for key, value in each.items())
    elif isinstance(each, set | frozenset):
        yield from ((f'{path}[]', value) for value in each)
    elif isinstance(each, list | tuple):
        yield from ((f'{path}[{at}]', value) for at, value in enumerate(each[:PER_ARRAY]))
    else:
        yield from _list_attributes(path, each)


def _list_own(path: str, each: Any) -> list[tuple[str, Any]]:
    """List the attributes that a number or a word has beside its value."""
    return [(f'{path}.{name}', value) for name, value in getattr(each, '__dict__', {}).items()]


def _list_attributes(path: str, each: Any) -> Iterator[tuple[str, Any]]:
    """List the attributes of an object as its pickle would hold them, each with its path."""
    try:
        state = each.__getstate__()
    except Exception:
        return  # what cannot be pickled is not released
    for part in state if isinstance(state, tuple) else (state,):
        if isinstance(part, Mapping):
            yield from ((f'{path}.{name}', value) for name, value in part.items())
        elif part is not None:
            yield f'{path}.state', part
