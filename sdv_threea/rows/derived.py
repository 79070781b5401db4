"""Derive columns that replace others, record by record; the derivations are public.

Formal guarantees of every function: a row of the result is a function of the same row of the table.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.rows.intake.cells import take_values
from sdv_threea.rows.intake.columns import find_distinct, make_table
from sdv_threea.rows.intake.facts import Facts
from sdv_threea.rows.intake.table import read_table

#: Columns by name, shape (n,) each: floats with NaN, or categories.
Cells = dict[str, Any]


@dataclass(frozen=True)
class Deriving:
    """Maps rows with the user's columns to rows with derived ones, in the order of ``names``."""

    untouched: tuple[str, ...]
    steps: tuple[Callable[[pd.DataFrame], Cells], ...]
    names: tuple[str, ...]

    def __call__(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the columns in the storage and with the index of the user's columns."""
        cells: Cells = {name: table[name].array for name in self.untouched}
        for step in self.steps:
            cells |= step(table)
        return make_table({name: cells[name] for name in self.names}, table.index)


def translate(facts: tuple[Facts, ...], derive: Deriving, chunk: pd.DataFrame) -> pd.DataFrame:
    """Read the cells, and derive the modelled columns."""
    read = read_table(facts, chunk)
    return derive(read) if derive.steps else read


def join_values(name: str, names: tuple[str, ...], table: pd.DataFrame) -> Cells:
    """Join the values of several columns to tuples, record by record."""
    found = [find_distinct(table[each]) for each in names]
    numbers = np.zeros(len(table), dtype=np.int64)
    for codes, listed in found:
        # Both numbers are at most the number of rows, so a pair fits into 64 bits.
        pairs = numbers * (len(listed) + 1) + np.maximum(codes, -1) + 1
        _, first, numbers = np.unique(pairs, return_index=True, return_inverse=True)
    if not len(table):
        return {name: np.empty(0, dtype=object)}
    parts = [take_values(listed, None, np.maximum(codes, -1)[first]) for codes, listed in found]
    return {name: take_values(list(zip(*parts, strict=True)), None, numbers)}


def name_set_flag(name: str, flags: tuple[str, ...], table: pd.DataFrame) -> Cells:
    """Return the name of the set flag; ``None`` unless exactly one is set."""
    is_set = np.stack([table[each].to_numpy() == 1 for each in flags], axis=1)
    names = np.array([None, *flags], dtype=object)
    places = np.where(is_set.sum(axis=1) == 1, is_set.argmax(axis=1) + 1, 0)
    return {name: names[places]}
