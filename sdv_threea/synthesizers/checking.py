"""The check of a table or a database, computed without reading a row.

The check uses names, declared types, stated facts, settings and, if released, the number of rows.
So it costs no privacy and may be published.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sdv.metadata import Metadata

from sdv_threea.accounting import Budget
from sdv_threea.describe.description import needs_threshold
from sdv_threea.domain import Category, Column, Domain, Number
from sdv_threea.errors import ACCEPTABLE
from sdv_threea.estimate import ExpectedError, expect
from sdv_threea.guesses import guess_sdtype, names_person, shows_people
from sdv_threea.planning.plan import make_plan
from sdv_threea.planning.shares import Known
from sdv_threea.relational.layout import Orders
from sdv_threea.relational.sizes import Children, complete_children
from sdv_threea.relational.table_plans import join_context, plan_tables, rest_share, share_budget
from sdv_threea.schema import Link, Schema
from sdv_threea.settings import Settings
from sdv_threea.storage.metadata import MODELLED, NEVER_LEARNED
from sdv_threea.storage.relationships import find_keys
from sdv_threea.synthesizers.check import CALIBRATED, USUAL_ROWS, Check, CheckedColumn, Stop
from sdv_threea.synthesizers.protection import PER_CENT, forecast_table, name_shared

#: The outcomes of columns.
LEARNED, SHOWN, NAMED, MADE_UP, EMPTY, PERSONAL, KEY, PUBLIC = (
    'learned',
    'personal: learned',
    'personal: made up, counts learned',
    'made up',
    'likely empty',
    'personal: made up',
    'key',
    'public: copied',
)

#: The reasons to stop a fit, by the words of ``accept``.
VERBATIM, UNIT, ALL_MADE_UP, RANGES, NOISE = ACCEPTABLE

#: Half the width of an error interval, in standard errors.
ERRORS = 2

#: Rounds of the search for the number of units that gives an error: plans depend on the number.
ROUNDS = 3

#: The note on ids that several rows may share, if no column name suggests persons.
SHARED = (
    'The columns {} are ids and no keys, so several rows may be those of one person, and the '
    'guarantee is for {unit}. If they are, put the persons into a table of their own and use '
    'ClustMixMultiTableSynthesizer with privacy_unit. If each row has an id of its own, state it '
    'as the primary key or an alternate key.'
)

SAYS = {
    VERBATIM: (
        'By their names, the columns {} hold free text or personal information, and they are '
        'learned: frequent values would be released word for word. Declare them as text, name or '
        'another personal sdtype to have them made up, or as pii: False if they are harmless.'
    ),
    UNIT: (
        'The columns {} are ids and no keys, and by their names they stand for persons: several '
        'rows may be those of one person, and the guarantee is for {unit}. Put the persons into a '
        'table of their own, with the id as its primary key, state the relationship, and use '
        'ClustMixMultiTableSynthesizer with privacy_unit naming that table. If each row has an id '
        'of its own, state it as the primary key or an alternate key.'
    ),
    ALL_MADE_UP: (
        'All columns are made up, so samples would show nothing of the table. Declare what they '
        'hold: numerical, categorical, datetime, boolean, or pii: False.'
    ),
    RANGES: (
        'The constraints and the stated ranges of the columns {} contradict each other: no row '
        'can keep both. Correct the ranges or the constraints.'
    ),
    NOISE: (
        'At epsilon={epsilon:g} a value must occur in about {needed:,} rows to be found, and '
        'there are about {rows:,}: hardly any value would be released. Choose a larger epsilon, or '
        'leave columns out.'
    ),
}


def check_table(
    table: str,
    metadata: Metadata,
    preprocessor: Any,
    settings: Settings,
    *,
    num_rows: int | None = None,
    harmless: Collection[str] = (),
    errors: ExpectedError | None = None,
    alone: bool = True,
) -> Check:
    """Check a table that is to be fitted, ``alone`` or in a database.

    ``metadata`` describes all tables, without private facts. ``num_rows`` is public or released.
    ``harmless`` columns hold no personal information, as the user states.
    """
    derivations, columns = preprocessor.derive(), preprocessor.columns
    keys, own = find_keys(metadata, table), {each.name: each for each in derivations.domain.columns}
    # A transformer may have made a category numerical.
    own |= {each.name: each for each in derivations.derived.columns if each.name in own}
    if alone:
        errors = expect_table(derivations.derived, settings, num_rows)
    moved, target = _find_moved(derivations.steps), derivations.domain.target
    personal = [each for each in _list_shown(own.values(), target) if each not in harmless]
    found = []
    for name, described in columns.items():
        sdtype, advice = described['sdtype'], moved.get(name, '')
        facts = {'table': table, 'name': str(name), 'sdtype': sdtype}
        if name in own and not (name in keys and sdtype == 'id'):
            outcome = NAMED if name in preprocessor.pseudonyms else LEARNED
            if name in personal:
                outcome = SHOWN
            elif _comes_out_empty(own[name], errors, num_rows, is_target=name == target):
                outcome = EMPTY
            advice = advice or _advise_learned(own[name])
            if sdtype == 'datetime' and not described.get('datetime_format'):
                advice = '; '.join(filter(None, ('format, if texts or times', advice)))
            facts |= {'resolution': _resolve(own[name], errors, num_rows), 'advice': advice}
        else:
            outcome, facts['advice'] = _name_made_up(name, sdtype, name in keys)
        found.append(CheckedColumn(outcome=outcome, **facts))
    stops = {VERBATIM: personal if alone else [f'{table}.{name}' for name in personal]}
    stops[RANGES] = _find_wrong(own, derivations.steps, preprocessor.constraints.increments)
    named = (target if alone else f'{table}.{target}',) if target is not None else ()
    return Check(
        columns=tuple(found),
        stops=(
            *(_stop(kind, names) for kind, names in stops.items() if names),
            *(_stop_noise(errors, settings.epsilon) if alone and errors and num_rows else ()),
        ),
        epsilon=settings.epsilon,
        num_rows=num_rows,
        sharpened=named if settings.alpha < CALIBRATED else (),
    )


def join_checks(checks: Iterable[Check], metadata: Metadata, private: Collection[str]) -> Check:
    """Join the checks of the private tables; add public tables, and reasons about all columns."""
    listed = list(checks)
    columns = [column for each in listed for column in each.columns]
    stops = [stop for each in listed for stop in each.stops]
    unit = 'one row' if len(metadata.tables) == 1 else 'a unit, which may hold only some of them'
    shared = list_shared_ids(metadata, private)
    persons = [name for name in shared if names_person(name.split('.')[-1])]
    others = [name for name in shared if name not in persons]
    if persons:
        stops.append(_stop(UNIT, persons, unit=unit))
    outcomes = {column.outcome for column in columns}
    if columns and outcomes <= {MADE_UP, PERSONAL, KEY} and outcomes != {KEY}:
        stops.append(_stop(ALL_MADE_UP))
    for name in metadata.tables:
        if name not in private:
            columns += [
                CheckedColumn(table=name, name=each, sdtype=about['sdtype'], outcome=PUBLIC)
                for each, about in metadata.tables[name].columns.items()
            ]
    first = listed[0]
    rows = [each.num_rows for each in listed if each.num_rows]
    return Check(
        columns=tuple(columns),
        stops=tuple(stops),
        epsilon=first.epsilon,
        num_rows=sum(rows) if len(rows) == len(listed) else None,
        sharpened=tuple(target for each in listed for target in each.sharpened),
        notes=(
            *((SHARED.format(others, unit=unit),) if others else ()),
            *(note for each in listed for note in each.notes),
        ),
        forecasts=tuple(line for each in listed for line in each.forecasts),
    )


def list_shared_ids(metadata: Metadata, tables: Iterable[str]) -> list[str]:
    """List id columns that are not keys, as ``table.column`` if there are several tables.

    Columns of a composite key count as keys only in a database, where they identify rows of a unit.
    """
    several = len(metadata.tables) > 1
    found = []
    for table in tables:
        known = find_keys(metadata, table, composite=several)
        described = metadata.tables[table].columns
        ids = [name for name, facts in described.items() if facts['sdtype'] == 'id']
        found += [f'{table}.{name}' if several else name for name in ids if name not in known]
    return found


def check_database(
    schema: Schema,
    metadata: Metadata,
    made: Mapping[str, Any],
    children: Mapping[Link, Children],
    orders: Orders,
    *,
    released: Mapping[str, Any],
    harmless: Mapping[str, frozenset[str]],
) -> list[Check]:
    """Check each private table of a database; ``made`` are the synthesizers of these tables."""
    domains = {name: one.preprocessor.derive().derived for name, one in made.items()}
    settings = {name: one.settings for name, one in made.items()}
    read = {name: (max(round(own.size), 1), own.rows_per_unit) for name, own in released.items()}
    errors, checks = expect_database(schema, domains, settings, children, orders, read), []
    likely = errors
    for _ in range(ROUNDS):
        units = {name: (math.ceil(PER_CENT * own.count), 1) for name, own in likely.items() if own}
        likely = expect_database(schema, domains, settings, children, orders, units)
    for name, one in made.items():
        checked = check_table(
            *(name, metadata, one.preprocessor, one.settings),
            harmless=harmless.get(name, frozenset()),
            num_rows=max(round(released[name].size), 1) if name in released else None,
            errors=errors[name],
            alone=False,
        )
        said = name_shared(schema, name)
        notes, lines = (f'{said[:1].upper()}{said[1:]}.',) if said else (), list[str]()
        if (expected := likely[name]) is not None and name not in released:
            lines = [forecast_table(name, schema, one.settings, expected)]
        checks.append(replace(checked, notes=notes, forecasts=tuple(lines)))
    return checks


def expect_database(
    schema: Schema,
    domains: Mapping[str, Domain],
    settings: Mapping[str, Settings],
    children: Mapping[Link, Children],
    orders: Orders,
    read: Mapping[str, tuple[int, int]],
) -> dict[str, ExpectedError | None]:
    """Return the expected errors of each private table of a database, by name.

    Each table pays with its part of the budget. Errors are proportional to the rows read per unit.
    ``read`` gives the number of rows, and of rows per unit, of tables for which they are known.
    """
    # The number of rows of a public table is not known here, and hardly changes the errors.
    plans = plan_tables(
        schema,
        domains,
        dict.fromkeys(schema.public, 2),
        complete_children(schema, children),
        orders,
    )
    (budgets, _), found = share_budget(schema, plans, settings), {}
    for table in plans:
        size, times = read.get(table, (None, 1))
        domain = join_context(schema, plans, table)
        budget = budgets[table].part(rest_share(schema, table, settings[table]))
        given = len(domain.columns) - len(plans[table].domain.columns)
        errors = expect_table(domain, settings[table], size, budget, given)
        found[table] = errors and replace(
            errors, count=times * errors.count, category_rows=times * errors.category_rows
        )
    return found


def expect_table(
    domain: Domain,
    settings: Settings,
    num_rows: int | None,
    budget: Budget | None = None,
    num_given: int = 0,
) -> ExpectedError | None:
    """Return the expected errors of a fit; ``None`` if nothing is learned or no noise is added."""
    if not domain.columns or math.isinf(settings.epsilon) or settings.guarantee == 'paper':
        return None
    rows = max(num_rows or USUAL_ROWS, 1)
    budget = budget or settings.budget(thresholds=needs_threshold(domain))
    return expect(make_plan(domain, Known(settings, budget, rows, num_given)))


def _comes_out_empty(
    column: Column, errors: ExpectedError | None, num_rows: int | None, *, is_target: bool
) -> bool:
    """Return whether likely no value is released: all are too rare, or the name suggests dates."""
    if not isinstance(column, Category) or column.values is not None:
        return False
    if errors and num_rows and errors.category_rows > num_rows:
        return True
    return not is_target and guess_sdtype(column.name) == 'datetime'


def _resolve(column: Column, errors: ExpectedError | None, num_rows: int | None) -> str:
    if errors is None:
        return ''
    if isinstance(column, Category) and column.values is None:
        share = f' ({errors.category_rows / num_rows:.1%})' if num_rows else ''
        return f'values of {math.ceil(errors.category_rows):,} rows or more{share}'
    noise = ERRORS * errors.count
    share = f' ({noise / num_rows:.1%})' if num_rows else ''
    return f'± {math.ceil(noise):,} rows{share}'


def _advise_learned(column: Column) -> str:
    """Suggest a better sdtype for a learned column, or else public facts to state."""
    if isinstance(column, Category) and column.values is None:
        guess = guess_sdtype(column.name)
        if guess == 'datetime':
            return 'if it holds dates: datetime, with a format'
        if guess in ('numerical', 'id'):
            kind = 'keys: id' if guess == 'id' else 'numbers: numerical'
            return f'if it holds {kind}; values, if public'
        if column.many:
            return 'many values: rare ones are lost'
        if column.ordered:
            return 'values in their order, if public'
        return 'values, if public'
    if isinstance(column, Number):
        kind = 'if it holds keys: id' if guess_sdtype(column.name) == 'id' else ''
        return '; '.join(
            filter(None, (kind, 'range, if public' * (None in (column.low, column.high))))
        )
    return ''


def _name_made_up(name: str, sdtype: str, is_key: bool) -> tuple[str, str]:
    """Return the outcome of a column that is not learned, and how to have it learned."""
    guess = guess_sdtype(name)
    kind = f'as {guess}' if guess in MODELLED else 'what it holds'
    if is_key:
        return KEY, f'keys are made up; declare {kind} to learn it' if guess in MODELLED else ''
    if sdtype not in NEVER_LEARNED:
        return PERSONAL, 'pii: False learns it'
    return MADE_UP, f'declare {kind} to learn it'


def _find_moved(steps: Iterable[Any]) -> dict[str, str]:
    """Return advice on columns that a constraint computes from another column."""
    return {
        child: f'a difference is added to {steps.columns[0].name!r}: range, if public'
        for steps in steps
        for child, _ in getattr(steps, 'links', ())
        if None in (steps._by_name[child].low, steps._by_name[child].high)
    }


def _list_shown(columns: Iterable[Column], target: str | None) -> list[str]:
    opened = [each for each in columns if isinstance(each, Category) and each.values is None]
    return [each.name for each in opened if each.name != target and shows_people(each.name)]


def _stop(kind: str, columns: Sequence[str] = (), **facts: Any) -> Stop:
    said = SAYS[kind].format(list(columns), **facts)
    return Stop(kind=kind, said=said, columns=tuple(columns))


def _find_wrong(
    own: Mapping[str, Column], steps: Sequence[Any], increments: Mapping[str, float]
) -> list[str]:
    """List the columns whose constraints allow no value within the stated range."""
    ordered = [each for step in steps for each in getattr(step, 'columns', ())]
    wrong = [
        each.name
        for each in ordered
        if isinstance(each, Number) and each.low is not None and each.high is not None
        if each.low > each.high
    ]
    for name, step in increments.items():
        column = own[name]
        if isinstance(column, Number) and column.low is not None and column.high is not None:
            wrong += [name] if math.ceil(column.low / step) * step > column.high else []
    return wrong


def _stop_noise(errors: ExpectedError, epsilon: float) -> Iterator[Stop]:
    """Yield a stop if a value must occur in more than half of the rows to be released."""
    needed, rows = math.ceil(errors.category_rows), errors.num_rows
    if needed > rows / 2:
        yield _stop(NOISE, epsilon=epsilon, needed=needed, rows=rows)
