"""Outer steps of a table: made from public facts, and applied to columns by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rdt.transformers import BaseTransformer
from sdv.errors import SynthesizerInputError

from sdv_threea.constraints.derivations import Derivations
from sdv_threea.domain import Category, Column
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.guard import UnreadableRowsError
from sdv_threea.rows.intake.facts import Facts
from sdv_threea.rows.intake.table import read_table
from sdv_threea.transforms.local import call, copy_local, find_example, find_limits, fit
from sdv_threea.transforms.steps import ListStep, NumberStep, Step, write_cells
from sdv_threea.transforms.texts import NumberTexts, TextStep

#: Finest date, in seconds.
MICROSECOND = 1e-6


def list_steps(derivations: Derivations) -> dict[str, Step]:
    """Return the outer steps among derivations, by column."""
    return {each.column.name: each for each in derivations.steps if isinstance(each, Step)}


def find_untaken(
    rows: Rows[pd.DataFrame], facts: Sequence[Facts], derivations: Derivations
) -> list[str]:
    """Return a complaint for each column with cells that its outer step cannot take.

    A complaint shows no value.
    """
    steps = list_steps(derivations)
    if not steps:
        return []
    asked = [each for each in facts if each.name in steps]
    counts = rows.sum(partial(_count_untaken, asked, steps))
    return [
        f"Column '{name}' has values that its transformer {steps[name].transformer} cannot take: "
        'choose other arguments of it, or leave it out.'
        for name, count in zip(steps, counts, strict=True)
        if count
    ]


def enter(known: pd.DataFrame, derivations: Derivations) -> pd.DataFrame:
    """Transform the given columns of the user that have an outer step."""
    steps = {name: step for name, step in list_steps(derivations).items() if name in known}
    return known.assign(**{name: step.forward(known)[name] for name, step in steps.items()})


def _count_untaken(
    facts: Sequence[Facts], steps: Mapping[str, Step], chunk: pd.DataFrame
) -> NDArray[np.int64]:
    table = read_table(facts, chunk)
    return np.array([step.count_untaken(table) for step in steps.values()], dtype=np.int64)


def make_step(column: Column, transformer: BaseTransformer, *, is_date: bool) -> Step:
    """Fit a copy of a transformer that acts record by record to public facts about its column.

    Raises:
        SynthesizerInputError: If the transformer cannot be fitted, or makes several columns.
    """
    fitted, name = copy_local(transformer), column.name
    if isinstance(fitted, NumberTexts) and isinstance(column, Category):
        fit(fitted, name, pd.Series(fitted.write(np.ones(1))))
        return TextStep(column, fitted)
    if isinstance(column, Category):
        return _make_list_step(column, fitted)
    low, high = find_limits(fitted)
    known = [each for each in (column.low, column.high) if each is not None]
    example = (column.step or MICROSECOND) if is_date else find_example(low, high)
    rows = sorted({example, *(each for each in known if low <= each <= high)})
    fit(fitted, name, write_cells(np.array(rows), as_dates=is_date))
    return NumberStep(column, fitted, is_date)


def _make_list_step(column: Category, transformer: BaseTransformer) -> ListStep:
    name, values = column.name, pd.Series(column.values, dtype=object)
    fit(transformer, name, values)
    try:
        numbers = call(transformer, 'transform', name, values).to_numpy(dtype=np.float64)
        back = call(transformer, 'reverse_transform', name, pd.Series(numbers)).tolist()
    except UnreadableRowsError as error:
        raise SynthesizerInputError(str(error)) from None
    distinct = len(np.unique(numbers[np.isfinite(numbers)])) == len(values)
    if not distinct or back != values.tolist():
        raise SynthesizerInputError(
            f"The transformer '{transformer.get_name()}' of the column {name!r} does not give each "
            'value a number of its own that leads back to it: leave it out.'
        )
    return ListStep(column, transformer, numbers)
