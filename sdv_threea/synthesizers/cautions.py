"""Warnings about refits, weak promises, people with several rows, and samples that fall short."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from sdv.errors import RefitWarning, SamplingError
from sdv.metadata import Metadata

from sdv_threea.accounting import count_exposed
from sdv_threea.pages.promise import tell_exposed
from sdv_threea.settings import Settings
from sdv_threea.storage.references import as_columns
from sdv_threea.warning import warn

#: The warning at a second fit.
REFIT = (
    'Every fit is a release of its own, and their costs add up: {fits} fits of the same rows cost '
    'up to sqrt({fits}) times the mu that one may spend, in Gaussian differential privacy.'
)

#: The same under the accounting of the paper, which leaves reads of the private rows uncharged.
REFIT_PAPER = (
    'Every fit is a release of its own, and their costs add up: {fits} fits like this one of the '
    "same rows tell more than one does, and guarantee='paper' promises nothing end to end for any "
    'of them.'
)

#: The warning about ids that several rows may share.
SHARED = (
    '{} of the sdtype id and no key, so several rows may be those of one person, and the promise '
    'is for {}. A person with several rows is better protected as a unit: put the persons into a '
    'table of their own, with their id as its primary key, state the relationship to it, and fit '
    'both tables with ClustMixMultiTableSynthesizer(metadata, privacy_unit=...), naming that '
    'table. If each row has an id of its own, state it as the primary key or an alternate key.'
)


def list_shared_ids(metadata: Metadata, tables: Iterable[str]) -> list[str]:
    """List the ids of the tables that several rows may share, and that refer to no other table.

    Returns:
        The columns of the sdtype ``id`` that are no primary, alternate or foreign key, as
        ``table.column`` if there are several tables. A column of a composite key is no key in a
        single table, where rows may share it; in a database it tells which row of a unit it is.
    """
    several = len(metadata.tables) > 1
    found = []
    for table in tables:
        described = metadata.tables[table]
        keys = map(as_columns, (described.primary_key, *described.alternate_keys))
        known = {name for key in keys if several or len(key) == 1 for name in key}
        for each in metadata.relationships:
            if each['child_table_name'] == table:
                known |= set(as_columns(each['child_foreign_key']))
        ids = [name for name, facts in described.columns.items() if facts['sdtype'] == 'id']
        found += [f'{table}.{name}' if several else name for name in ids if name not in known]
    return found


def warn_of_shared_ids(metadata: Metadata, tables: Iterable[str]) -> None:
    """Warn, in one line, of ids that several rows of the private tables may share."""
    if found := list_shared_ids(metadata, tables):
        named = f'The columns {found} are' if len(found) > 1 else f"The column '{found[0]}' is"
        database = 'a unit, which may hold only some of them'
        warn(SHARED.format(named, 'one row' if len(metadata.tables) == 1 else database))


def warn_of_refit(fits: int, guarantee: str) -> None:
    """Warn that the costs of ``fits`` fits, the next one included, add up."""
    text = REFIT_PAPER if guarantee == 'paper' else REFIT
    warn(text.format(fits=fits), RefitWarning)


def warn_of_promise(
    settings: Settings, num_units: float, fits: int, *, database: bool = False
) -> None:
    """Warn of everything that weakens the promise of a release.

    ``num_units`` is the released number of rows, or of units in a database.
    """
    if math.isinf(settings.epsilon):
        return
    if fits > 1:
        warn_of_refit(fits, settings.guarantee)
    exposed = count_exposed(settings.delta, num_units)
    for told in tell_exposed(settings.delta, exposed, database=database):
        warn(told)


def tell_rejected(
    found: int, wanted: int, tries: int, constraints: Sequence[Any], table: str | None = None
) -> None:
    """Warn that fewer rows than wanted meet the constraints.

    ``tries`` is how often rows were drawn again in each batch; ``table`` is the table if there are
    several.

    Raises:
        SamplingError: If no row meets the constraints.
    """
    if found >= wanted:
        return
    where = '' if table is None else f" of '{table}'"
    kinds = list(dict.fromkeys(map(_name_constraint, constraints)))
    told = (
        f'{found:,} of {wanted:,} rows{where} were sampled: in {tries} tries, the others broke one '
        f'of the constraints {kinds}. Check that rows like the fitted ones can meet them, or raise '
        'max_tries_per_batch.'
    )
    if not found:
        raise SamplingError(told)
    warn(told)


def _name_constraint(constraint: Any) -> str:
    return type(getattr(constraint, 'programmable_constraint', constraint)).__name__
