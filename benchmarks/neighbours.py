"""Tables with a place for one hostile record, and a search for the record that moves most.

A *schema* says how data is made of ordinary rows and a record, which cells a record may have, and
what is fitted: the public synthesizers, as users have them. The search starts with records that are
hostile in one way, and replaces cell by cell what moves the released answers further.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import dask.dataframe as dd
import numpy as np
import pandas as pd
from record_cells import (
    NUMBER,
    RULES,
    Cell,
    Facts,
    Record,
    append_record,
    by_name,
    draw_rows,
    list_columns,
    make_category,
    make_date,
    make_flag,
    make_number,
    mix_cells,
    obey_rules,
)
from sdv.cag import Inequality
from sdv.metadata import Metadata

from sdv_threea import (
    ClustMixMultiTableSynthesizer,
    ClustMixSequentialSynthesizer,
    ClustMixSynthesizer,
)
from sdv_threea.audit.doors import Question, compare, record, replay
from sdv_threea.errors import ACCEPTABLE
from sdv_threea.privacy.mechanism import Noise

#: Ordinary rows of a table, or units of a database: enough that thresholds show their values.
NUM_ROWS = 2000

#: Times that the search goes through all cells.
SWEEPS = 2

#: How many rows refer to a unit that is tried, in a table of several.
ROWS = {'commonest': (1,), 'none': (0,), 'many': (20,), 'very many': (300,)}


class Schema(NamedTuple):
    """What is audited: the cells of a record, what it is put into, and what that is fitted by."""

    cells: Mapping[str, Cell]
    build: Callable[[Record], dict[str, Any]]
    make: Callable[..., Any]
    metadata: Metadata

    def fit(self, epsilon: float, relation: str, data: dict[str, Any]) -> Any:
        """Fit a fresh synthesizer, and return it."""
        synthesizer = self.make(epsilon=epsilon, neighbors=relation, accept=ACCEPTABLE)
        synthesizer.fit(data)
        return synthesizer


def make_schemas(size: int = NUM_ROWS) -> dict[str, Schema]:
    """Make what is audited, by name, with this many ordinary rows."""
    mixed, private = mix_cells(public=False), {'target_column': 'target'}
    public = {'public_metadata': True}
    number, target = make_number('x', 0.0, public=True), make_category('target', public=True)
    dates = [
        make_date('day', '%d/%m/%Y'),
        make_date('second', '%Y-%m-%d %H:%M:%S'),
        make_flag('flag'),
    ]
    return {
        'one number, public': _one_table([number], size, public),
        'number and target, public': _one_table([number, target], size, {**public, **private}),
        'mixed types': _one_table(mixed, size, private),
        'mixed types, public': _one_table(mix_cells(public=True), size, {**public, **private}),
        'constraints': _one_table(obey_rules(), size, {}, obey=True),
        'dates': _one_table(dates, size, {}),
        'Dask, three partitions': _one_table(mixed, size, private, parts=3),
        'relational': _several_tables('patient', size),
        'relational, other root': _several_tables('doctor', size),
        'composite keys': _composite_keys(size),
        'composite keys, coerced': _composite_keys(size, coerce=True),
        'several paths': _several_paths(size),
        'sequences': _sequences(size),
    }


def list_canaries(schema: Schema) -> dict[str, dict[str, str]]:
    """List the records that are of one kind in all cells that have it, and commonest in others."""
    kinds = dict.fromkeys(kind for cell in schema.cells.values() for kind in cell.kinds)
    canaries = {
        kind: {
            name: kind if kind in cell.kinds else 'commonest' for name, cell in schema.cells.items()
        }
        for kind in kinds
    }
    if 'target' in schema.cells:
        canaries['lone class'] = {**canaries['commonest'], 'target': 'rare'}
    return canaries


def search(schema: Schema, epsilon: float, relation: str) -> tuple[Record, Record]:
    """Search for the record, or the two records, that move the released answers most.

    The noise of the answers is seeded, so that records compare like with like. What is returned is
    what the neighbours have beside ordinary rows: one of them nothing, if records are added.
    """
    fit = partial(schema.fit, epsilon, relation)
    _, transcript = record(lambda: fit(schema.build(None)), seed_noise(), seed=0)
    scales = np.array([receipt.noise_scale for receipt in transcript.receipts])
    known: dict[str, list[Question]] = {}

    def ask(tried: Record) -> list[Question]:
        if repr(tried) not in known:
            _, known[repr(tried)] = replay(lambda: fit(schema.build(tried)), transcript)
        return known[repr(tried)]

    def measure(one: Record, other: Record) -> float:
        moves = compare(replace(transcript, questions=ask(one)), ask(other))
        return float(np.linalg.norm(np.array([move.seen for move in moves]) / scales))

    canaries = list(list_canaries(schema).values())
    if relation == 'add_remove':
        start = max(canaries, key=partial(measure, None))
        return None, _improve(schema, start, partial(measure, None))
    pairs = [(one, other) for at, one in enumerate(canaries) for other in canaries[:at]]
    one, other = max(pairs, key=lambda pair: measure(*pair))
    other = _improve(schema, other, partial(measure, one))
    return _improve(schema, one, partial(measure, other)), other


def _improve(
    schema: Schema, best: dict[str, str], measure: Callable[[Record], float]
) -> dict[str, str]:
    """Replace cell by cell what moves the answers further."""
    for _ in range(SWEEPS):
        before = best
        for name, cell in schema.cells.items():
            tried = [{**best, name: kind} for kind in cell.kinds]
            best = max([best, *tried], key=measure)
        if best == before:
            break
    return best


def seed_noise() -> Noise:
    """Make Gaussian noise from a seed."""
    rng = np.random.default_rng(0)
    return lambda size, scale: np.rint(rng.normal(0, scale, size)).astype(np.int64)


def _one_table(
    cells: list[Cell], size: int, settings: dict[str, Any], *, obey: bool = False, parts: int = 0
) -> Schema:
    metadata = Metadata.load_from_dict({'tables': {'table': {'columns': list_columns(cells)}}})
    rows = draw_rows(cells, size)

    def build(record: Record) -> dict[str, Any]:
        table = append_record(rows, cells, record)
        return {'table': dd.from_pandas(table, npartitions=parts) if parts else table}

    def make(kind: Callable[..., Any] = ClustMixSynthesizer, **claim: Any) -> Any:
        synthesizer = kind(metadata, **{'accept': 'noise', **settings, **claim})
        if obey:
            synthesizer.add_constraints([rule() for rule in RULES])
        return synthesizer

    return Schema(by_name(cells), build, make, metadata)


def _several_tables(unit: str, size: int) -> Schema:
    """Make patients with stays, and doctors whom stays name: units of their own.

    No stay names a doctor who is added: without that doctor it would lead nowhere, which no table
    can hold. ``tests/relational/test_degrees.py`` takes away doctors whom stays name.
    """
    about = {
        'patient': [make_number('x', 0.0), make_category('c')],
        'stay': [make_number('y', 20.0), make_flag('flag')],
        'doctor': [make_number('z', 0.0), make_category('d')],
    }
    ordinary = {table: draw_rows(cells, size) for table, cells in about.items()}
    owners = np.repeat(np.arange(size), np.arange(size) % 4 * 2)  # none, two, four or six stays
    ordinary['stay'] = draw_rows(about['stay'], len(owners))
    cells = [*about[unit], *(about['stay'] if unit == 'patient' else [])]
    tables = {}
    for name, own in about.items():
        keys = ('stay_id', 'patient_id', 'doctor_id') if name == 'stay' else (f'{name}_id',)
        columns = list_columns(own) | dict.fromkeys(keys, {'sdtype': 'id'})
        tables[name] = {'primary_key': f'{name}_id', 'columns': columns}
    metadata = Metadata.load_from_dict({'tables': tables})
    for parent in ('patient', 'doctor'):
        metadata.add_relationship(parent, 'stay', f'{parent}_id', f'{parent}_id')

    def build(record: Record) -> dict[str, Any]:
        tables, patients, doctors = dict(ordinary), owners, np.arange(len(owners)) % 50
        if record is not None:
            tables[unit] = append_record(ordinary[unit], about[unit], record)
            if unit == 'patient':
                (many,) = ROWS[record['rows']]
                tables['stay'] = append_record(ordinary['stay'], about['stay'], record, many)
                patients = np.append(patients, np.full(many, size))
                doctors = np.append(doctors, np.zeros(many, dtype=int))
        for name, table in tables.items():
            tables[name] = table.assign(**{f'{name}_id': np.arange(len(table))})
        tables['stay'] = tables['stay'].assign(patient_id=patients, doctor_id=doctors)
        return tables

    make = partial(ClustMixMultiTableSynthesizer, metadata, privacy_unit='patient')
    return Schema({**by_name(cells), 'rows': Cell({}, ROWS)}, build, make, metadata)


def _composite_keys(size: int, *, coerce: bool = False) -> Schema:
    """Make patients whose key is modelled in part: a day, of which a constraint makes another.

    Or a group, which metadata says to be whole: of the patient that is tried it is 7.25, and cells
    that break what is stated are coerced.
    """
    day = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}
    first, theirs = ({**NUMBER, 'decimal_places': 0}, NUMBER) if coerce else (day, day)
    mine, keys = (
        [make_number('x', 0.0), make_date('end', '%Y-%m-%d')][: 2 - coerce],
        ['first', 'num'],
    )
    stays, ids = [make_number('y', 20.0), make_flag('flag')], {'num': {'sdtype': 'id'}}
    metadata = state_tables(
        {
            'patient': (keys, list_columns(mine) | {'first': first} | ids),
            'stay': ('stay', list_columns(stays) | {'first': theirs, 'stay': ids['num']} | ids),
        },
        [('patient', 'stay', keys)],
    )
    ordinary, owners = draw_rows(mine, size), np.repeat(np.arange(size), np.arange(size) % 4)
    ordinary_stays = draw_rows(stays, len(owners))

    def build(record: Record) -> dict[str, Any]:
        patient, stay, own = ordinary, ordinary_stays, owners
        if record is not None:
            (many,) = ROWS[record['rows']]
            patient, own = append_record(patient, mine, record), np.append(own, np.full(many, size))
            stay = append_record(stay, stays, record, many)
        at = np.arange(size + 1)
        days = pd.Timestamp('2200-01-01') + pd.to_timedelta(at % 28, 'D')
        firsts = at % 5 + 2.25 * (at == size) if coerce else np.asarray(days.strftime('%Y-%m-%d'))
        patient = patient.assign(first=firsts[: len(patient)], num=at[: len(patient)])
        stay = stay.assign(first=firsts[own], num=own, stay=np.arange(len(own)))
        return {'patient': patient, 'stay': stay}

    settings = {'public_metadata': True, 'invalid_cells': 'coerce'} if coerce else {}

    def make(**claim: Any) -> Any:
        made = ClustMixMultiTableSynthesizer(metadata, privacy_unit='patient', **settings, **claim)
        if not coerce:
            made.add_constraints([Inequality('end', 'first', table_name='patient')])
        return made

    cells = by_name([*mine, *stays]) | {'rows': Cell({}, ROWS)}
    return Schema(cells, build, make, metadata)


def _several_paths(size: int) -> Schema:
    """Make patients with stays and visits, and bills that name one of each."""
    patients, bills = (
        [make_number('x', 0.0), make_category('c')],
        [make_number('y', 20.0), make_flag('flag')],
    )
    one = {'sdtype': 'id'}
    keys = {name: {name: one, 'patient': one} for name in ('stay', 'visit')}
    metadata = state_tables(
        {
            'patient': ('patient', list_columns(patients) | {'patient': one}),
            **{name: (name, own) for name, own in keys.items()},
            'bill': (None, list_columns(bills) | dict.fromkeys(keys, one)),
        },
        [('patient', each, 'patient') for each in keys] + [(each, 'bill', each) for each in keys],
    )
    ordinary, owners = draw_rows(patients, size), np.repeat(np.arange(size), np.arange(size) % 4)
    ordinary_bills = draw_rows(bills, len(owners))

    def build(record: Record) -> dict[str, Any]:
        patient, bill, own = ordinary, ordinary_bills, owners
        if record is not None:
            (many,) = ROWS[record['rows']]
            patient, own = (
                append_record(patient, patients, record),
                np.append(own, np.full(many, size)),
            )
            bill = append_record(bill, bills, record, many)
        at = np.arange(len(own))
        both = {name: pd.DataFrame({name: at, 'patient': own}) for name in keys}
        patient = patient.assign(patient=np.arange(len(patient)))
        return {'patient': patient, **both, 'bill': bill.assign(stay=at, visit=at)}

    cells = by_name([*patients, *bills]) | {'rows': Cell({}, ROWS)}
    make = partial(ClustMixMultiTableSynthesizer, metadata, privacy_unit='patient')
    return Schema(cells, build, make, metadata)


def _sequences(size: int) -> Schema:
    """Make sequences of one to four rows; all rows of the one that is tried are alike."""
    contexts, rows = [make_category('c')], [make_number('y', 20.0), make_flag('flag')]
    index, keys = make_number('at', 0.0), {'key': {'sdtype': 'id'}}
    del index.kinds['missing']
    cells = [*contexts, *rows, index]
    metadata = state_tables({'table': (None, list_columns(cells) | keys)}, [])
    metadata.tables['table'].set_sequence_key('key')
    metadata.tables['table'].set_sequence_index('at')
    owners = np.repeat(np.arange(size), np.arange(size) % 4 + 1)
    ordinary = draw_rows(contexts, size).iloc[owners].reset_index(drop=True)
    ordinary = pd.concat([ordinary, draw_rows([*rows, index], len(owners))], axis=1)

    def build(record: Record) -> dict[str, Any]:
        table, own = ordinary, owners
        if record is not None:
            (many,) = ROWS[record['rows']]
            table = append_record(ordinary, cells, record, many)
            own = np.append(own, np.full(many, size))
        return {'table': table.assign(key=own)}

    make = partial(ClustMixSequentialSynthesizer, metadata, context_columns=['c'])
    lengths = {kind: rows for kind, rows in ROWS.items() if kind != 'none'}
    return Schema({**by_name(cells), 'rows': Cell({}, lengths)}, build, make, metadata)


def state_tables(
    tables: Mapping[str, tuple[Any, Mapping[str, Facts]]], links: list[tuple[str, str, Any]]
) -> Metadata:
    """Write the metadata of tables, by their key and columns, and of foreign keys to those."""
    about = {
        name: {'columns': dict(columns)} | ({'primary_key': key} if key else {})
        for name, (key, columns) in tables.items()
    }
    metadata = Metadata.load_from_dict({'tables': about})
    for parent, child, columns in links:
        metadata.add_relationship(parent, child, tables[parent][0], columns)
    return metadata
