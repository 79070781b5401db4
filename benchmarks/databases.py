"""The databases of ``benchmarks/relational.py``: what is public, who is a unit, what is predicted.

They lie in ``../shared/data``, a folder per database: ``<table>.csv.gz`` and ``metadata.json``. The
hospital, 8,000 patients of diabetes130_rel, comes with the package.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sdv.metadata import Metadata
from tables import state_all_facts

from sdv_threea.datasets import load_hospital

#: The share of units whose rows are held out, where something is to be predicted.
HELD_OUT = 0.3

Tables = dict[str, pd.DataFrame]


@dataclass(frozen=True)
class Setup:
    """A database, or a part of it, and how it is to be protected.

    Args:
        database: The folder.
        unit: The table whose rows are the units of privacy.
        public: Tables that are published as they are.
        tables: The tables to use, in place of all.
        num_units: How many units to use, chosen at random, in place of all.
        targets: What models will predict, by table.
        join: Makes one table of several, with a target of two values; where there is a prediction.
        split: The table whose rows are divided into training and test; the unit's, by default.
    """

    database: str
    unit: str
    public: tuple[str, ...] = ()
    tables: tuple[str, ...] | None = None
    num_units: int | None = None
    targets: tuple[tuple[str, str], ...] = ()
    join: Callable[[Tables], pd.DataFrame] | None = None
    split: str | None = None


class Parts(NamedTuple):
    """What is fitted, what is held out (``None`` where nothing is predicted), and the metadata."""

    train: Tables
    test: Tables | None
    metadata: Metadata


def join_loans(tables: Tables) -> pd.DataFrame:
    """Set beside each loan of berka what the other tables know of its account."""
    loans = tables['loan'].merge(tables['account'], on='account_id', suffixes=('', '_account'))
    orders = tables['order'].groupby('account_id')['amount'].agg(['count', 'sum'])
    moves = (
        tables['trans']
        .groupby('account_id')
        .agg(
            moves=('amount', 'size'),
            amount=('amount', 'mean'),
            balance=('balance', 'mean'),
            lowest=('balance', 'min'),
        )
    )
    loans = loans.join(orders.add_prefix('orders_'), on='account_id')
    loans = loans.join(moves.add_prefix('trans_'), on='account_id')
    if 'client' in tables:
        owners = tables['disp'].query("type == 'OWNER'").drop_duplicates('account_id')
        owners = owners.merge(tables['client'], on='client_id').set_index('account_id')
        loans = loans.join(owners[['gender', 'birth_date']], on='account_id')
    dates = [name for name in loans if 'date' in name]
    loans[dates] = loans[dates].apply(pd.to_datetime)
    loans['bad'] = loans['status'].isin(['B', 'D'])
    return loans.drop(columns=['status', *_keys(loans)])


def join_encounters(tables: Tables) -> pd.DataFrame:
    """Set beside each encounter of diabetes130_rel the patient; the target is a quick return."""
    encounters = tables['encounter'].merge(tables['patient'], on='patient_nbr')
    encounters['soon'] = encounters['readmitted'] == '<30'
    return encounters.drop(columns=['readmitted', 'encounter_id', 'patient_nbr'])


LOANS = {'targets': (('loan', 'status'),), 'join': join_loans, 'split': 'account'}
ENCOUNTERS = {'targets': (('encounter', 'readmitted'),), 'join': join_encounters}
LOOKUPS = ('admission_type', 'discharge_disposition', 'admission_source')
CATALOGUE = ('artist', 'album', 'genre', 'mediatype', 'track', 'playlist', 'playlisttrack')
COMPANY = ('categories', 'suppliers', 'products', 'employees', 'shippers', 'regions', 'territories')

#: Whole databases, and parts that HMA accepts: at most five tables, none with grandparents. The
#: parts have no public tables, so that both synthesizers have the same to do.
SETUPS = {
    'berka, by account': Setup('berka', 'account', ('district',), **LOANS),
    'berka, by client': Setup('berka', 'client', ('district',), **LOANS),
    'berka, 5 tables': Setup(
        'berka', 'account', tables=('account', 'loan', 'order', 'trans', 'disp'), **LOANS
    ),
    'berka, 5 tables, 500 accounts': Setup(
        'berka',
        'account',
        tables=('account', 'loan', 'order', 'trans', 'disp'),
        num_units=500,
        **LOANS,
    ),
    'diabetes130_rel': Setup('diabetes130_rel', 'patient', LOOKUPS, **ENCOUNTERS),
    'diabetes130_rel, 2 tables': Setup(
        'diabetes130_rel', 'patient', tables=('patient', 'encounter'), **ENCOUNTERS
    ),
    'diabetes130_rel, 2 tables, 1,000 patients': Setup(
        'diabetes130_rel', 'patient', tables=('patient', 'encounter'), num_units=1000, **ENCOUNTERS
    ),
    'hospital': Setup('hospital', 'patient', LOOKUPS, **ENCOUNTERS),
    'chinook': Setup('chinook', 'customer', (*CATALOGUE, 'employee')),
    'chinook, 2 tables': Setup('chinook', 'customer', tables=('customer', 'invoice')),
    'northwind': Setup('northwind', 'customers', (*COMPANY, 'employee_territories')),
    'northwind, 2 tables': Setup('northwind', 'customers', tables=('customers', 'orders')),
}


def load(setup: Setup, data: Path, seed: int) -> Parts:
    """Read the tables of a setup, and hold out the rows of some units if it predicts."""
    tables, metadata = _read(data / setup.database, setup.tables)
    rng = np.random.default_rng(seed)
    if setup.num_units is not None:
        chosen = rng.permutation(len(tables[setup.unit])) < setup.num_units
        tables = keep_units(tables, metadata, setup.unit, setup.public, chosen)
    if setup.join is None:
        return Parts(tables, None, metadata)
    split = setup.split or setup.unit
    held_out = rng.random(len(tables[split])) < HELD_OUT
    train, test = (
        keep_units(tables, metadata, split, setup.public, chosen)
        for chosen in (~held_out, held_out)
    )
    return Parts(train, test, metadata)


def keep_units(
    tables: Tables,
    metadata: Metadata,
    unit: str,
    public: tuple[str, ...],
    chosen: NDArray[np.bool_],
) -> Tables:
    """Keep the chosen units: their rows, all that refers to those, and what only those refer to.

    Public tables are kept whole.
    """
    links = [each for each in metadata.relationships if each['parent_table_name'] not in public]
    reached = {unit}
    kept = {**tables, unit: tables[unit][chosen]}
    for _ in tables:  # a step for each level of the hierarchy
        for link in links:
            child, parent = link['child_table_name'], link['parent_table_name']
            key = kept[parent][link['parent_primary_key']]
            if parent in reached:
                reached.add(child)
                kept[child] = kept[child][kept[child][link['child_foreign_key']].isin(key)]
            elif child in reached:
                kept[parent] = kept[parent][key.isin(kept[child][link['child_foreign_key']])]
    return {name: table.reset_index(drop=True) for name, table in kept.items()}


def state_facts(parts: Parts) -> Parts:
    """State ranges, values and nullability in the metadata, as of all units.

    A public range or list of categories does not stop at the units that are fitted.
    """
    whole = parts.train
    if parts.test is not None:
        whole = {name: pd.concat([table, parts.test[name]]) for name, table in whole.items()}
    return parts._replace(metadata=state_all_facts(whole, parts.metadata))


def bound_children(
    tables: Tables, metadata: Metadata, public: tuple[str, ...]
) -> dict[str, dict[tuple[str, str], int]]:
    """State how many rows refer to one row: settings of the synthesizer, by foreign key.

    How many refer to a public row depends on how many units there are, so these are the bounds of
    the tables that are fitted.
    """
    least, most = {}, {}
    for link in metadata.relationships:
        child, column = link['child_table_name'], link['child_foreign_key']
        if child in public:
            continue
        keys = tables[link['parent_table_name']][link['parent_primary_key']]
        counts = tables[child][column].value_counts().reindex(keys, fill_value=0)
        least[child, column], most[child, column] = int(counts.min()), max(int(counts.max()), 1)
    return {'min_children': least, 'max_children': most}


def _read(folder: Path, names: tuple[str, ...] | None) -> tuple[Tables, Metadata]:
    """Read tables and their metadata: those of a folder, or of the package."""
    if folder.name == 'hospital':
        return load_hospital()
    metadata = _read_metadata(folder, names)
    tables = {
        name: pd.read_csv(folder / f'{name}.csv.gz', low_memory=False)[list(table.columns)]
        for name, table in metadata.tables.items()
    }
    return tables, metadata


def _read_metadata(folder: Path, tables: tuple[str, ...] | None) -> Metadata:
    """Read the metadata of some tables, without references to the others."""
    description = Metadata.load_from_json(folder / 'metadata.json').to_dict()
    names = tables or tuple(description['tables'])
    kept = []
    for link in description['relationships']:
        if link['child_table_name'] not in names:
            continue
        if link['parent_table_name'] in names:
            kept.append(link)
        else:
            columns = description['tables'][link['child_table_name']]['columns']
            del columns[link['child_foreign_key']]
    description['tables'] = {name: description['tables'][name] for name in names}
    return Metadata.load_from_dict({**description, 'relationships': kept})


def _keys(table: pd.DataFrame) -> list[str]:
    return [name for name in table if name.endswith('_id')]
