"""The facts of a datasheet: released numbers and public facts of a fitted synthesizer."""

import math
import platform
from collections.abc import Iterator, Mapping
from datetime import date
from importlib.metadata import version
from typing import Any

from sdv_threea.datasheet import ColumnFacts, Datasheet, SheetFacts, TableFacts
from sdv_threea.domain import Category, Column, Domain
from sdv_threea.estimate import ExpectedError
from sdv_threea.pages.fragments import listed, paragraphs
from sdv_threea.pages.promise import tell_losses, tell_promise
from sdv_threea.storage.relationships import as_columns
from sdv_threea.synthesizers.checking import expect_table
from sdv_threea.synthesizers.database_sampling import describe_own
from sdv_threea.synthesizers.loss_table import tell_range
from sdv_threea.synthesizers.restoring import find_holder

#: The largest number of values of a category that a datasheet lists.
MOST_VALUES = 8

#: Settings left out of a datasheet, because they do not affect the rows.
UNTOLD = ('ledger', 'locales', 'verbose', 'enforce_rounding')

#: The mean absolute value of noise, in standard deviations.
MEAN_NOISE = math.sqrt(2 / math.pi)


def make_sheet(synthesizer: Any, about: Mapping[str, str]) -> Datasheet:
    """Make the datasheet of a fitted synthesizer; ``about`` has the publisher's sentences."""
    statement = synthesizer.get_privacy_statement()
    tables = list(_list_tables(find_holder(synthesizer)))
    needed = [error.category_rows for _, error in tables if error is not None]
    settings = {
        name: str(value)
        for name, value in synthesizer.get_parameters().items()
        if name not in UNTOLD and value is not None and value != ()
    }
    domain = getattr(getattr(synthesizer, '_model', None), 'domain', None)
    if domain is not None and domain.target is not None and 'target_column' not in settings:
        settings['target_column'] = f'{domain.target} (chosen, as none was named)'
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
    """Return the HTML that a notebook shows for a fitted synthesizer."""
    promise = tell_promise(synthesizer.get_privacy_statement().to_dict())
    tables = [
        f'{table.name}: {len(table.columns)} columns'
        + ('' if table.num_rows is None else f', about {table.num_rows:,} rows (a noisy count)')
        for table, _ in _list_tables(find_holder(synthesizer))
    ]
    return paragraphs(promise) + listed([*tables, *tell_losses(synthesizer)])


def _list_tables(synthesizer: Any) -> Iterator[tuple[TableFacts, ExpectedError | None]]:
    model, statement = synthesizer._model, synthesizer.get_privacy_statement()
    if hasattr(synthesizer, 'preprocessor'):
        yield _describe_only(synthesizer, statement.unit)
        return
    for name, table in synthesizer.metadata.tables.items():
        one = model.tables.get(name)
        if one is None:
            yield _describe_public(name, table, model.num_rows[name]), None
            continue
        facts = {'num_rows': round(one.size), 'protection': statement.tables[name]}
        yield (
            _describe(
                name,
                table,
                synthesizer._table_synthesizers[name].preprocessor,
                describe_own(one),
                {},
                **facts,
            ),
            None,
        )


def _describe_only(synthesizer: Any, unit: str) -> tuple[TableFacts, ExpectedError | None]:
    ((name, table),) = synthesizer.metadata.tables.items()
    model, preprocessor = synthesizer._model, synthesizer.preprocessor
    if model is None:  # no column is modelled
        return _describe(name, table, preprocessor, Domain(()), {}, num_rows=None), None
    domain, num_rows = preprocessor.derive().derived, round(model.num_rows)
    expected = expect_table(domain, synthesizer.settings, max(num_rows, 1))
    errors = {
        each.name: min(each.size * MEAN_NOISE * expected.share / 2, 1.0)
        for each in model.transformers
        if expected is not None and each.name not in preprocessor.pseudonyms
    }
    return _describe(
        name, table, preprocessor, model.domain, errors, num_rows=num_rows, protection=unit
    ), expected


def _describe(
    name: str, table: Any, preprocessor: Any, own: Domain, errors: Mapping[str, float], **facts: Any
) -> TableFacts:
    public = {column.name: column for column in preprocessor.derive().domain.columns}
    released = {column.name: column for column in preprocessor.derivations.restore(own).columns}
    columns = tuple(
        ColumnFacts(
            name=str(column),
            sdtype=each['sdtype'],
            shown=_show(released[column], each) if column in released else 'made up',
            known=_tell_known(public[column]) if column in released else 'nothing was read of it',
            error=errors.get(column),
        )
        for column, each in table.columns.items()
    )
    return TableFacts(name=name, columns=columns, keys=as_columns(table.primary_key), **facts)


def _describe_public(name: str, table: Any, num_rows: int) -> TableFacts:
    columns = tuple(
        ColumnFacts(name=column, sdtype=each['sdtype'], shown='public rows', known='public')
        for column, each in table.columns.items()
    )
    return TableFacts(name=name, num_rows=num_rows, columns=columns, protection='public: copied')


def _tell_known(public: Column) -> str:
    stated = public.values if isinstance(public, Category) else (public.low, public.high)
    known = stated is not None and None not in stated[:2]
    return 'stated as public' if known else 'released with noise'


def _show(column: Column, described: Mapping[str, Any]) -> str:
    if isinstance(column, Category) and column.pseudonyms is not None:
        return str(column.pseudonyms)
    if isinstance(column, Category):
        values = [str(value) for value in column.values or ()]
        if not values:
            return 'only missing values'
        more = f' and {len(values) - MOST_VALUES} more' if len(values) > MOST_VALUES else ''
        return ', '.join(values[:MOST_VALUES]) + more
    if column.low is None or column.high is None:
        return 'no range'
    return tell_range((column.low, column.high), described, column.step or 0.0)
