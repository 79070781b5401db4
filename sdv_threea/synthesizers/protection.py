"""The protection of each table of a database, and the size of its noise, in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sdv_threea.accounting.sensitivities import histogram_sensitivity
from sdv_threea.constants import HALF
from sdv_threea.schema import Schema

if TYPE_CHECKING:
    from sdv_threea.estimate import ExpectedError
    from sdv_threea.relational.database_release import DatabaseRelease
    from sdv_threea.settings import Settings

#: A count that is this many times its noise is off by 1 %.
PER_CENT = 100

#: Below this many times the noise of a count of units, sizes may be off by a factor of two.
FEW = 6

#: The forecast for a table of a database, before a fit.
FORECAST = (
    "Shares of rows of '{table}' are off by about 1 % if {rows:,} units have rows in it. With "
    'fewer than {least:,}, noise exceeds every share: state what is public.'
)
FORECAST_SIZE = (
    'With fewer than {few:,}, the table may come back with less than half or more than twice its '
    'rows: state max_children.'
)

#: The warning about tables of which a fit has learned only the sizes.
MASKED = (
    'Too few units for this epsilon: only the sizes of the tables {} can be learned. Stated facts '
    'hold anyway: ranges and values with public_metadata=True, and numbers of children with '
    'min_children and max_children.'
)


def describe_protection(schema: Schema) -> dict[str, str]:
    """Return who is protected in each table of a database, in words."""
    return {
        table: _name_unit(schema, table)
        + _name_orphans(schema, table)
        + _name_all_shared(schema, table)
        for table in schema.tables
    }


def name_shared(schema: Schema, table: str) -> str:
    """State which of several units protects a row of this table; empty if there is only one."""
    owner = schema.owners[table]
    if owner is None or len(schema.unit_links[table]) < 2:
        return ''
    return (
        f"rows of '{table}' that refer to several units are protected with the one that "
        f'{owner.name} leads to, and not with the others'
    )


def _name_orphans(schema: Schema, table: str) -> str:
    """State that rows without an owner are units of their own; empty if all rows have one."""
    orphans = _find_orphaned(schema, table)
    if not orphans:
        return ''
    named = ' or '.join(f"'{each}'" for each in schema.private if each in orphans)
    return (
        f'; a row of {named} that hangs off no unit is one of its own, with all that hangs off it'
    )


def _name_all_shared(schema: Schema, table: str) -> str:
    """Join :func:`name_shared` of the table, of its owner, of the owner's owner and so on."""
    told = ''
    while table in schema.private and (owner := schema.owners[table]) is not None:
        said = name_shared(schema, table)
        told += f'; {said}' if said else ''
        table = owner.parent
    return told


def _find_orphaned(schema: Schema, table: str) -> set[str]:
    """Return this table and the tables above it, as far as their rows may have no owner."""
    if table in schema.public:
        return set()
    links = schema.unit_links[table]
    found = {each for link in links for each in _find_orphaned(schema, link.parent)}
    # One required link suffices to lead every row to a unit.
    return found if any(link.required for link in links) or not links else found | {table}


def _name_unit(schema: Schema, table: str) -> str:
    if table in schema.public:
        return 'public: not protected, copied as it is'
    if table in schema.reached:
        return f"one row of '{schema.main}' with every row that can be reached from it"
    root = schema.root(table)
    hanging = [f"'{each}'" for each in schema.private if schema.root(each) == root and each != root]
    if hanging:
        return f"one row of '{root}' with its rows in {', '.join(hanging)}, and nothing else"
    return f"one row of '{root}' by itself, not the rows of other tables that refer to it"


def forecast_table(table: str, schema: Schema, settings: Settings, errors: ExpectedError) -> str:
    """Return the errors to expect of a table of a database, before a fit."""
    from sdv_threea.relational.table_plans import rest_share

    constants, budget = settings.constants.relational, errors.plan.known.budget
    told = FORECAST.format(
        table=table,
        rows=math.ceil(PER_CENT * errors.count),
        least=math.ceil(constants.clear_of_noise() * errors.count),
    )
    if schema.owners[table] is None:
        return told
    part = HALF / rest_share(schema, table, settings)
    noise = histogram_sensitivity(1, budget.neighbors) / (budget.mu * math.sqrt(part))
    return f'{told} {FORECAST_SIZE.format(few=math.ceil(FEW * noise))}'


def tell_masked(model: DatabaseRelease) -> str:
    """Name the tables of which only sizes can be learned, in a sentence; empty for none."""
    masked = [f"'{name}'" for name, table in model.tables.items() if table.is_masked]
    return MASKED.format(', '.join(masked)) if masked else ''


def tell_errors(model: DatabaseRelease) -> dict[str, str]:
    """Return the standard errors of each private table's number of rows, and of shares."""
    told = {}
    for name, table in model.tables.items():
        if not table.noise:
            continue
        rows = f'{table.size:.0f} rows, off by about {min(table.size_noise, 9 * table.size):.0f}'
        shares = f'a share of its rows is off by about {table.noise:.1%}'
        if table.is_masked:
            shares = 'noise exceeds all shares of its rows, so state what is public'
        told[name] = f'{rows}; {shares}'
    return told
