"""The facts of a datasheet, read off a fitted synthesizer: released numbers and public facts."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterator, Mapping
from datetime import date
from importlib.metadata import version
from typing import Any

import numpy as np

from sdv_threea.datasheet import ColumnFacts, Datasheet, SheetFacts, TableFacts
from sdv_threea.describe.description import needs_threshold
from sdv_threea.domain import Category, Column, Domain
from sdv_threea.estimate import ExpectedError, expect
from sdv_threea.pages.fragments import listed, paragraphs
from sdv_threea.pages.promise import tell_losses, tell_promise
from sdv_threea.planning.plan import make_plan
from sdv_threea.planning.shares import Known
from sdv_threea.release import Release
from sdv_threea.storage.references import as_columns
from sdv_threea.storage.writing import from_seconds
from sdv_threea.synthesizers.database_sampling import describe_own
from sdv_threea.synthesizers.restoring import find_holder

#: The most values of a category that a datasheet lists.
MOST_VALUES = 8

#: Settings that a datasheet leaves out, as they say nothing about the rows.
UNTOLD = ('ledger', 'locales', 'verbose', 'enforce_rounding')

#: The mean absolute value of noise, in standard deviations.
MEAN_NOISE = math.sqrt(2 / math.pi)


def make_sheet(synthesizer: Any, about: Mapping[str, str]) -> Datasheet:
    """Make the datasheet of a fitted synthesizer; ``about`` is what the publisher says."""
    statement = synthesizer.get_privacy_statement()
    tables = list(_list_tables(find_holder(synthesizer)))
    needed = [error.category_rows for _, error in tables if error is not None]
    settings = {
        name: str(value)
        for name, value in synthesizer.get_parameters().items()
        if name not in UNTOLD and value is not None and value != ()
    }
    guessed = _find_guess(synthesizer)
    if guessed is not None:
        settings['target_column'] = f'{guessed} (taken for it, as none is named)'
    return Datasheet(
        SheetFacts(
            tables=tuple(table for table, _ in tables),
            statement=statement.to_dict(),
            text=str(statement),
            losses=tell_losses(synthesizer),
            settings=settings,
            versions={
                'sdv-threea': synthesizer._made_with,
                **{name: version(name) for name in ('sdv', 'rdt', 'numpy')},
                'Python': platform.python_version(),
            },
            made_on=str(date.today()),
            needed=max(needed, default=None),
            about=dict(about),
        )
    )


def make_card(synthesizer: Any) -> str:
    """Return what a notebook shows of a fitted synthesizer, as HTML."""
    promise = tell_promise(synthesizer.get_privacy_statement().to_dict())
    tables = [
        f'{table.name}: {len(table.columns)} columns'
        + ('' if table.num_rows is None else f', about {table.num_rows:,} rows (a noisy count)')
        for table, _ in _list_tables(find_holder(synthesizer))
    ]
    return paragraphs(promise) + listed([*tables, *tell_losses(synthesizer)])


def _find_guess(synthesizer: Any) -> str | None:
    """Return the column that the synthesizer chose as the target, if the user named none."""
    domain = getattr(getattr(synthesizer, '_model', None), 'domain', None)
    named = synthesizer.get_parameters().get('target_column')
    return None if domain is None or named is not None else domain.target


def _list_tables(synthesizer: Any) -> Iterator[tuple[TableFacts, ExpectedError | None]]:
    """Yield the released facts of each table, and its expected errors where they are known."""
    metadata = synthesizer.metadata
    if hasattr(synthesizer, 'preprocessor'):
        (name,) = metadata.tables
        yield _describe(name, metadata, synthesizer, synthesizer._model)
        return
    protection = synthesizer.get_privacy_statement().tables
    for name in metadata.tables:
        model = synthesizer._model.tables.get(name)
        if model is None:
            yield _describe_public(name, metadata, synthesizer._model.num_rows[name]), None
            continue
        own = describe_own(model)
        single = synthesizer._table_synthesizers[name]
        shown = single.preprocessor.derivations.restore(own)
        columns = _list_columns(metadata.tables[name].columns, single.preprocessor, shown, {})
        keys = tuple(as_columns(metadata.tables[name].primary_key))
        facts = TableFacts(
            name=name,
            num_rows=round(model.size),
            columns=columns,
            protection=protection[name],
            keys=keys,
        )
        yield facts, None


def _describe(
    name: str, metadata: Any, synthesizer: Any, released: Release | None
) -> tuple[TableFacts, ExpectedError | None]:
    """Describe the only table of a synthesizer."""
    columns, preprocessor = metadata.tables[name].columns, synthesizer.preprocessor
    keys = tuple(as_columns(metadata.tables[name].primary_key))
    if released is None:  # there is no column to be modelled
        listed_columns = _list_columns(columns, preprocessor, Domain(()), {})
        return TableFacts(name=name, num_rows=None, columns=listed_columns, keys=keys), None
    shown = preprocessor.derivations.restore(released.domain)
    expected = _expect(released, synthesizer)
    errors = {}
    if expected is not None:
        errors = {
            each.name: min(each.size * MEAN_NOISE * expected.share / 2, 1.0)
            for each in released.transformers
            if each.name not in preprocessor.pseudonyms
        }
    table = TableFacts(
        name=name,
        num_rows=round(released.num_rows),
        columns=_list_columns(columns, preprocessor, shown, errors),
        protection=synthesizer.get_privacy_statement().unit,
        keys=keys,
    )
    return table, expected


def _describe_public(name: str, metadata: Any, num_rows: int) -> TableFacts:
    columns = tuple(
        ColumnFacts(name=column, sdtype=each['sdtype'], shown='public rows', known='public')
        for column, each in metadata.tables[name].columns.items()
    )
    return TableFacts(name=name, num_rows=num_rows, columns=columns, protection='public: copied')


def _expect(released: Release, synthesizer: Any) -> ExpectedError | None:
    """Compute the expected errors; ``None`` under the accounting of the paper."""
    settings = synthesizer.settings
    if settings.guarantee == 'paper' or math.isinf(settings.epsilon):
        return None
    domain = synthesizer.preprocessor.derive().derived
    budget = settings.budget(thresholds=needs_threshold(domain))
    return expect(make_plan(domain, Known(settings, budget, max(round(released.num_rows), 1))))


def _list_columns(
    columns: Mapping[str, Mapping[str, Any]],
    preprocessor: Any,
    shown: Domain,
    errors: Mapping[str, float],
) -> tuple[ColumnFacts, ...]:
    public = {column.name: column for column in preprocessor.derive().domain.columns}
    released = {column.name: column for column in shown.columns}
    return tuple(
        ColumnFacts(
            name=str(name),
            sdtype=each['sdtype'],
            shown=_show(released[name], each) if name in released else 'made up',
            known=_tell_known(public[name]) if name in released else 'nothing was read of it',
            error=errors.get(name),
        )
        for name, each in columns.items()
    )


def _tell_known(public: Column) -> str:
    """Say whether a column's facts were stated as public, or released."""
    stated = public.values if isinstance(public, Category) else (public.low, public.high)
    known = stated is not None and None not in stated[:2]
    return 'stated as public' if known else 'released with noise'


def _show(column: Column, described: Mapping[str, Any]) -> str:
    """Say what samples of a column show."""
    if isinstance(column, Category) and column.pseudonyms is not None:
        return str(column.pseudonyms)
    if isinstance(column, Category):
        values = [str(value) for value in column.values or ()]
        if not values:
            return 'missing values alone'
        more = f' and {len(values) - MOST_VALUES} more' if len(values) > MOST_VALUES else ''
        return ', '.join(values[:MOST_VALUES]) + more
    if column.low is None or column.high is None:
        return 'no range'
    if described['sdtype'] != 'datetime':
        return f'{column.low:.10g} to {column.high:.10g}'
    ends = np.array([column.low, column.high])
    dates = from_seconds(ends, object, described.get('datetime_format'), column.step or 0.0)
    return ' to '.join(map(str, dates))
