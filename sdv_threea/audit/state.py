"""What an observer of a fitted synthesizer looks at: every number and every word in its state."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import pandas as pd

#: The most numbers read of one array, and of one synthesizer.
PER_ARRAY = 1000
IN_ALL = 100_000

#: Words are cut to this length.
LONGEST = 80

#: What is not looked into: code, and sources of chance, which know nothing of the table.
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
    """Flatten an object into numbers by where they are, and words that are there.

    It is what a pickle of the object would hold: attributes, items, arrays and tables, however
    deep. Of a word it is told that it is there, so a list of categories that was read from the
    data shows.

    Args:
        thing: Any object, for example a fitted synthesizer.

    Returns:
        Numbers by path; one for every word that is there.
    """
    found: State = {}
    seen: set[int] = set()
    left: list[tuple[str, Any]] = [('', thing)]
    kept = []  # what is alive keeps its id
    while left and len(found) < IN_ALL:
        path, each = left.pop()
        leaf = _read_leaf(path, each)
        if leaf is not None:
            found |= leaf
            # A text of a class of the user's own may carry anything.
            left += _list_own(path, each)
        elif id(each) not in seen and not isinstance(each, PASSED_OVER):
            seen.add(id(each))
            kept.append(each)
            left += _list_parts(path, each)
    return found


def _read_leaf(path: str, each: Any) -> State | None:
    """Read what has no parts; ``None`` for what has some."""
    if each is None or each is pd.NaT or each is pd.NA:
        return {}
    if isinstance(each, bool | int | float | np.number | np.bool_):
        return {path: float(each)}
    if isinstance(each, str | bytes):
        return {f'{path} is {each[:LONGEST]!r}': 1.0}
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
    try:
        state = each.__getstate__()
    except Exception:
        return  # what cannot be pickled is not released
    for part in state if isinstance(state, tuple) else (state,):
        if isinstance(part, Mapping):
            yield from ((f'{path}.{name}', value) for name, value in part.items())
        elif part is not None:
            yield f'{path}.state', part
