"""Databases of two to four tables: keys of odd types, gaps, lonely rows and crowds of children."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from sdv.metadata import Metadata

from hostile.columns import CANARY, TEXTS, Column, columns, wrong
from hostile.tables import SETTINGS
from hostile.verdict import ERRORS, Defect, check_dtype, check_refusal, check_values, spell_table
from sdv_threea import ClustMixMultiTableSynthesizer
from sdv_threea.accounting import delta_from_mu
from sdv_threea.errors import ACCEPTABLE

#: Foreign keys by schema: child, its column, parent.
SCHEMAS = {
    'chain': [('b', 'a_key', 'a'), ('c', 'b_key', 'b')],
    'diamond': [('b', 'a_key', 'a'), ('c', 'a_key', 'a'), ('d', 'b_key', 'b'), ('d', 'c_key', 'c')],
    'two_parents': [('b', 'a_key', 'a'), ('b', 'p_key', 'p')],
    'same_twice': [('b', 'one', 'a'), ('b', 'two', 'a')],
    'one_to_one': [('b', 'key', 'a')],
}


@dataclass(frozen=True)
class Case:
    """What a synthesizer of many tables is given.

    Args:
        tables: The private tables.
        metadata: Their metadata.
        settings: Arguments of the constructor.
        names: The columns of which some may be refused.
    """

    tables: dict[str, pd.DataFrame]
    metadata: Metadata
    settings: dict[str, Any]
    names: tuple[str, ...]


@st.composite
def databases(draw: st.DrawFn) -> Case:
    """Databases that are what their metadata says, but for a column now and then."""
    links = SCHEMAS[draw(st.sampled_from(list(SCHEMAS)))]
    order = sorted(
        {name for child, _, parent in links for name in (child, parent)}, key='apbcd'.index
    )
    is_bad = draw(st.integers(0, 3)) == 0
    tables: dict[str, pd.DataFrame] = {}
    described: dict[str, Any] = {}
    faulty: list[str] = []
    for at, name in enumerate(order):
        num_rows = draw(st.sampled_from([1, 3, 40, 150]))
        own = [link for link in links if link[0] == name]
        rows, about = _keys(draw, num_rows, own, tables)
        num_rows = len(rows['key'])
        drawn: dict[str, Column] = {}
        for label in draw(st.lists(TEXTS, max_size=3, unique=True)):
            bad = is_bad and at == len(order) - 1
            drawn[f'{name} {label}'] = draw(wrong(num_rows) if bad else columns(num_rows))
        for label, column in drawn.items():
            rows[label], about[label] = column.cells, column.about
            faulty += [label] if column.faulty else []
        tables[name] = pd.DataFrame(rows)
        described[name] = {'columns': about, 'primary_key': 'key'}
    relationships = [
        {'parent_table_name': parent, 'child_table_name': child, 'parent_primary_key': 'key',
         'child_foreign_key': column}
        for child, column, parent in links
    ]  # fmt: skip
    metadata = Metadata.load_from_dict({'tables': described, 'relationships': relationships})
    names = ('epsilon', 'delta', 'neighbors')
    settings = draw(
        st.fixed_dictionaries(
            {'privacy_unit': st.just('a')},
            optional={
                **{name: st.sampled_from(SETTINGS[name]) for name in names},
                'max_children': st.sampled_from([None, 1, 7]),
                'min_children': st.sampled_from([None, 0, 1]),
                'public_tables': st.just(['p'] if 'p' in order else []),
            },
        )
    )
    return Case(tables, metadata, settings, tuple(faulty))


def _keys(
    draw: st.DrawFn,
    num_rows: int,
    links: list[tuple[str, str, str]],
    tables: dict[str, pd.DataFrame],
) -> tuple[dict[str, pd.Series], dict[str, Any]]:
    """Draw the primary key, and foreign keys: evenly, or all to a few parents, some to none."""
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    kind = draw(st.sampled_from(['integer', 'text', 'large']))
    for _, column, parent in links:
        if column == 'key':
            known = tables[parent]['key']
            rows = {
                'key': known.sample(max(1, len(known) // 2), random_state=1).reset_index(drop=True)
            }
            return rows, {'key': {'sdtype': 'id'}}
    keys = rng.permutation(10 * num_rows)[:num_rows]
    values: Any = keys if kind == 'integer' else keys + 2**60
    values = [f'{CANARY}-{key}' for key in keys] if kind == 'text' else values
    rows, about = {'key': pd.Series(values)}, {'key': {'sdtype': 'id'}}
    for _, column, parent in links:
        known = tables[parent]['key']
        crowd = draw(st.sampled_from([1, len(known)]))
        found = pd.Series(known.to_numpy()[rng.integers(0, crowd, num_rows)])
        missing = draw(st.sampled_from([0.0, 0.3]))
        if missing:
            # As floats, large keys would lose their last digits.
            is_large = known.dtype == np.int64 and known.max() > 2**53
            found = found.astype('Int64') if is_large else found
            found = found.mask(rng.random(num_rows) < missing)
        rows[column] = found
        about[column] = {'sdtype': 'id'}
    return rows, about


def judge_database(case: Case) -> str:
    """Fit and sample a database, and say how it ended, as :func:`hostile.verdict.judge` does."""
    before = {name: spell_table(table) for name, table in case.tables.items()}
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        warnings.simplefilter('error', RuntimeWarning)
        try:
            terms = {'accept': ACCEPTABLE, **case.settings}
            synthesizer = ClustMixMultiTableSynthesizer(case.metadata, **terms)
            synthesizer.fit(case.tables)
            sampled = synthesizer.sample_scale(0.5)
        except ERRORS as error:
            return check_refusal(error, case.names)
    if {name: spell_table(table) for name, table in case.tables.items()} != before:
        raise Defect('the private tables were changed')
    check_database(case, sampled)
    statement = synthesizer.get_privacy_statement()
    str(statement)
    for receipts in statement.receipts.values():
        failure = sum(receipt.delta for receipt in receipts)
        if delta_from_mu(statement.mu, statement.epsilon) + failure > statement.delta * (1 + 1e-9):
            raise Defect(f'more was spent than promised: {statement}')
    return 'valid'


def check_database(case: Case, sampled: dict[str, pd.DataFrame]) -> None:
    """Check tables, columns, dtypes and keys."""
    if list(sampled) != list(case.metadata.tables):
        raise Defect(f'tables {list(sampled)}')
    for name, rows in sampled.items():
        about = case.metadata.tables[name].columns
        if list(rows.columns) != list(about):
            raise Defect(f'columns {list(rows.columns)} of {name!r}')
        real = case.tables[name]
        for column, each in about.items():
            check_values(real[column], rows[column], each['sdtype'])
            if column not in ('key', *(link['child_foreign_key'] for link in _links(case))):
                check_dtype(real[column], rows[column])
        if not (rows['key'].is_unique and rows['key'].notna().all()):
            raise Defect(f'keys of {name!r} repeat or are missing')
    check_references(case, sampled)


def check_references(case: Case, sampled: dict[str, pd.DataFrame]) -> None:
    """Check that every foreign key refers to a row that is there."""
    for link in _links(case):
        child, parent = link['child_table_name'], link['parent_table_name']
        referred = sampled[child][link['child_foreign_key']].dropna()
        if not referred.isin(sampled[parent]['key']).all():
            raise Defect(f'{child!r} refers to keys that {parent!r} has not')


def _links(case: Case) -> list[dict[str, Any]]:
    return list(case.metadata.relationships)
