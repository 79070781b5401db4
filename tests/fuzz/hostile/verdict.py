"""What must hold of a fit, whatever it was given: the judge of the fuzzing.

A case ends in one of two ways, and anything else is a defect:

* it is *refused*, if something is wrong with it: by one error of the kinds that users of SDV
  know, that names the column or the argument, and shows no private value;
* or it is *valid*: the synthetic table has the columns, the order and the dtypes of the private
  one, as many rows as asked for, unique keys, texts in their format, and only categories that the
  table has. Where ranges are public, numbers and dates keep to them, and values are missing only
  where they may be; where they are estimated under noise, nothing of this is promised. Numbers
  beyond 2^52 may leave their range by a rounding.
"""

from __future__ import annotations

import datetime
import re
import warnings
from collections.abc import Callable
from typing import Any

import cloudpickle
import numpy as np
import pandas as pd
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from sdv.errors import InvalidDataError, SynthesizerInputError
from sdv.metadata.errors import InvalidMetadataError

from hostile.columns import CANARY
from hostile.tables import NAME, Case
from sdv_threea import ClustMixSynthesizer
from sdv_threea.accounting import delta_from_mu
from sdv_threea.errors import ACCEPTABLE
from sdv_threea.rows.intake.scalars import read_scalar, spell
from sdv_threea.storage.metadata import MODELLED

#: The errors that users of SDV know.
ERRORS = (InvalidDataError, InvalidMetadataError, SynthesizerInputError)

#: Relative rounding that a sum of probabilities may show.
ROUNDING = 1e-9


class Defect(AssertionError):
    """What must not happen."""


def run_through(
    check: Callable[..., None], *strategies: st.SearchStrategy[Any], num_examples: int, number: int
) -> None:
    """Check examples.

    Args:
        check: Called with an example of each strategy.
        strategies: What is drawn.
        num_examples: How many times.
        number: The seed of the examples.
    """
    once = settings(
        max_examples=num_examples,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    seed(number)(once(given(*strategies)(check)))()


def judge(case: Case) -> str:
    """Fit and sample, and say how it ended.

    Args:
        case: What the synthesizer is given.

    Returns:
        ``'valid'`` or ``'refused'``.

    Raises:
        Defect: If it ended otherwise.
    """
    before = spell_table(case.table)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        warnings.simplefilter('error', RuntimeWarning)
        try:
            terms = {'accept': ACCEPTABLE, **case.settings}
            synthesizer = ClustMixSynthesizer(case.metadata, **terms)
            synthesizer.fit({NAME: case.table})
            sampled = synthesizer.sample(case.num_rows)[NAME]
        except ERRORS as error:
            return check_refusal(error, case.names)
    for each in caught:
        if CANARY in str(each.message):
            raise Defect(f'a warning shows a value: {each.message}')
    if spell_table(case.table) != before:
        raise Defect('the private table was changed')
    check_table(case, synthesizer, sampled)
    check_promise(synthesizer)
    return 'valid'


def spell_table(table: pd.DataFrame) -> list[Any]:
    """Write a table down, to see whether it is changed."""
    cells = [(name, str(each.dtype), list(map(repr, each))) for name, each in table.items()]
    return [list(table.index), *cells]


def check_refusal(error: Exception, names: tuple[str, ...]) -> str:
    """Check that an error is called for, names its reason and shows no value."""
    text = str(error)
    if CANARY in text:
        raise Defect(f'an error shows a value: {text}')
    if not names:
        raise Defect(f'refused without reason: {type(error).__name__}: {text}') from error
    if not any(name in text or repr(name)[1:-1] in text for name in names):
        raise Defect(f'an error that does not name any of {names}: {text}') from error
    return 'refused'


def check_table(case: Case, synthesizer: ClustMixSynthesizer, sampled: pd.DataFrame) -> None:
    """Check a synthetic table."""
    columns = case.metadata.tables[NAME].columns
    real = case.table[list(columns)]
    if list(sampled.columns) != list(columns):
        raise Defect(f'columns {list(sampled.columns)} instead of {list(columns)}')
    if len(sampled) != case.num_rows:
        raise Defect(f'{len(sampled)} rows instead of {case.num_rows}')
    for name, about in columns.items():
        check_dtype(real[name], sampled[name])
        check_values(real[name], sampled[name], about['sdtype'])
        if about['sdtype'] not in MODELLED and _shows_canary(sampled[name]):
            raise Defect(f'{name!r} shows a value that is never looked at')
    key = case.metadata.tables[NAME].primary_key
    if key and not (sampled[key].is_unique and sampled[key].notna().all()):
        raise Defect('keys that repeat or are missing')
    check_pickle(synthesizer)
    check_stated(case, sampled)


def check_pickle(synthesizer: ClustMixSynthesizer) -> None:
    """Check that a copy from a pickle samples the same rows."""
    loaded = cloudpickle.loads(cloudpickle.dumps(synthesizer))
    for each in (synthesizer, loaded):
        each.reset_sampling()
    rows = [each.sample(7)[NAME] for each in (synthesizer, loaded)]
    pd.testing.assert_frame_equal(*rows)


def check_dtype(real: pd.Series, sampled: pd.Series) -> None:
    """Check the dtype, of which categories are not a part; floats may stand for what is missing."""
    if isinstance(real.dtype, pd.CategoricalDtype):
        same = isinstance(sampled.dtype, pd.CategoricalDtype)
    else:
        same = sampled.dtype == real.dtype
    unreleased = bool(sampled.isna().all()) and sampled.dtype in (float, object)
    if not same and not unreleased:
        raise Defect(f'{real.name!r} is {sampled.dtype} instead of {real.dtype}')


def check_values(real: pd.Series, sampled: pd.Series, sdtype: str) -> None:
    """Check what can be checked of values without knowing the noise."""
    present = sampled.dropna()
    if sdtype == 'numerical' and not np.isfinite(present.astype(float)).all():
        raise Defect(f'{real.name!r} has infinite numbers')
    if sdtype == 'boolean' and not present.isin([True, False]).all():
        raise Defect(f'{real.name!r} has values that are no booleans')
    if sdtype in ('categorical', 'ordinal'):
        known = {spell(read_scalar(value)) for value in real.dropna()}
        if pd.api.types.is_bool_dtype(real.dtype):
            known |= {spell(True), spell(False)}
        unknown = {spell(read_scalar(value)) for value in present} - known
        if unknown:
            raise Defect(f'{real.name!r} has categories that the table has not: {unknown}')


def check_stated(case: Case, sampled: pd.DataFrame) -> None:
    """Check formats; and missing values and ranges where they are stated truly, and public."""
    for name, facts in case.metadata.tables[NAME].columns.items():
        present, form = sampled[name].dropna(), facts.get('datetime_format')
        read = [_read(each, form, facts) for each in present]
        if case.is_told and not facts.get('range_is_nullable', True) and len(read) < len(sampled):
            raise Defect(f'{name!r} has missing values, and must not')
        if case.is_told and 'range_min' in facts and read:
            least, most = (_read(facts[each], form, facts) for each in ('range_min', 'range_max'))
            if not least <= min(read) <= max(read) <= most and not _is_large(least, most):
                raise Defect(f'{name!r} is not from {least} to {most}')


def _read(value: Any, form: str | None, facts: dict[str, Any]) -> Any:
    """Read a value, which has to be in the format that is stated."""
    pattern = facts.get('regex_format')
    if pattern and not re.fullmatch(pattern, str(value)):
        raise Defect(f'{value!r} is not in its format')
    if facts['sdtype'] != 'datetime':
        return value
    try:
        return pd.Timestamp(datetime.datetime.strptime(str(value), form) if form else value)
    except ValueError as error:
        raise Defect(f'{value!r} is not in its format') from error


def _is_large(least: Any, most: Any) -> bool:
    """Whether no float tells the middles between whole numbers of a range."""
    return not isinstance(least, pd.Timestamp) and max(abs(least), abs(most)) > 2**52


def check_promise(synthesizer: ClustMixSynthesizer) -> None:
    """Check that what was spent is within what was promised."""
    statement = synthesizer.get_privacy_statement()
    str(statement)
    statement.to_dict()
    failure = sum(receipt.delta for receipt in statement.receipts)
    spent = delta_from_mu(statement.mu, statement.epsilon) + failure
    if not spent <= statement.delta * (1 + ROUNDING):
        raise Defect(f'delta is {spent} at the promised epsilon: {statement}')


def _shows_canary(column: pd.Series) -> bool:
    return bool(column.astype(str).str.contains(CANARY).any())
