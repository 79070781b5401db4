"""Joins: the share of rows that break what one column says of another, at several budgets.

    python benchmarks/joins.py                                          # 15 minutes
    python benchmarks/joins.py --joins bank --epsilons 1 --repeats 1    # half a minute

Rows of a child table stand beside those of its parents, as people export databases: the bank's
payments with account and district (berka), stays in hospital with their lists of codes
(diabetes130_rel), order lines with product, order and customer (northwind, few rows), made flights,
and the made table of ``dependencies.py``. One column *follows* another one if nearly all real rows
with the same value of that one agree. A synthetic row breaks this if its value is another one; an
unknown number or date stands for the nearest known one. Metadata state types and nothing else.

A row of the results is a relation of a fit. A table of ``docs/lab/marginals.md`` is made of them:
by join and budget the number of relations, the mean share of rows that break one, the share of the
relations that 95 % of the rows keep, and the worst one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
from dependencies import make_split
from pages import LAB, write_epsilon, write_page, write_table
from runner import Benchmark, Job, Options, Row, grid
from sdv.metadata import Metadata

from sdv_threea import ClustMixSynthesizer
from sdv_threea.errors import ACCEPTABLE

#: Rows of joins that would have more.
NUM_ROWS = 33_000

#: A column follows another one if this share of the rows agrees, values repeat this often, and the
#: most frequent value does not say it all.
AGREEING, REPEATED, MOST_FREQUENT = 0.995, 8.0, 0.95

#: Numbers agree up to this part of their standard deviation.
SAME = 0.01

#: A relation holds if this share of the rows keeps it.
HOLDS = 0.95

#: The drugs that many are given.
DRUGS = ['metformin', 'repaglinide', 'glimepiride', 'glipizide', 'glyburide', 'insulin']


def join_bank(data: Path) -> pd.DataFrame:
    """Join payments with account and district, 25 columns."""
    read = {each: read_table(data, 'berka', each) for each in ('trans', 'account', 'district')}
    account = read['account'].rename(columns={'date': 'opened'})
    joined = read['trans'].merge(account, on='account_id').merge(read['district'], on='district_id')
    joined['year'], joined['month'] = joined['date'].str[:4], joined['date'].str[5:7]
    joined['district_id'] = joined['district_id'].astype(str)
    return joined.drop(
        columns=['trans_id', 'account_id', 'account_to', 'municipalities_500_1999', 'cities']
    )


def join_hospital(data: Path) -> pd.DataFrame:
    """Join stays with patient and three lists of codes, 30 columns."""
    joined = read_table(data, 'diabetes130_rel', 'encounter')
    joined = joined.sample(NUM_ROWS, random_state=0)
    for name in ('admission_type', 'discharge_disposition', 'admission_source'):
        listed = read_table(data, 'diabetes130_rel', name).rename(columns={'description': name})
        joined = joined.merge(listed, on=f'{name}_id', how='left')
        joined[f'{name}_id'] = joined[f'{name}_id'].astype(str)
    joined = joined.merge(read_table(data, 'diabetes130_rel', 'patient'), on='patient_nbr')
    kept = joined.columns.get_loc('metformin')
    names = [*joined.columns[2:kept], *DRUGS, 'diabetesMed', 'readmitted', *joined.columns[-5:]]
    return joined[list(dict.fromkeys(names))]


def join_orders(data: Path) -> pd.DataFrame:
    """Join order lines with order, product, supplier and customer, 24 columns, 2,155 rows."""
    names = ('order_details', 'orders', 'products', 'categories', 'suppliers', 'customers')
    lines, orders, products, kinds, suppliers, customers = (
        read_table(data, 'northwind', name) for name in names
    )
    products = products.rename(columns={'unitPrice': 'listPrice'})
    joined = lines.merge(orders, on='orderID').merge(products, on='productID')
    joined = joined.merge(kinds[['categoryID', 'categoryName']], on='categoryID')
    about = suppliers[['supplierID', 'companyName', 'country']].add_prefix('supplier_')
    joined = joined.merge(about, left_on='supplierID', right_on='supplier_supplierID')
    joined = joined.merge(customers[['customerID', 'companyName', 'city']], on='customerID')
    for name in ('productID', 'supplierID', 'employeeID', 'shipVia'):
        joined[name] = joined[name].astype(str)
    without = ['orderID', 'categoryID', 'supplier_supplierID', 'shipAddress', 'requiredDate']
    return joined.drop(columns=[*without, 'shipRegion', 'shipPostalCode', 'discontinued'])


def make_flights(_: Path) -> pd.DataFrame:
    """Make flights with carrier, airports and plane: most fly to a few of 100 places."""
    rng = np.random.default_rng(1)

    def skewed(size: int, power: float) -> np.ndarray:
        shares = np.arange(1, size + 1.0) ** -power
        return rng.permutation(size)[rng.choice(size, NUM_ROWS, p=shares / shares.sum())]

    def spell(letter: str, numbers: np.ndarray) -> list[str]:
        return [f'{letter}{number:03d}' for number in numbers]

    place, plane, start = skewed(100, 1.0), skewed(300, 0.6), rng.integers(0, 3, NUM_ROWS)
    carrier = np.where(rng.random(NUM_ROWS) < 0.7, place % 5, skewed(16, 1.2))
    zones = rng.integers(0, 4, 100)
    day = rng.integers(0, 365, NUM_ROWS)
    date = pd.Timestamp('2013-01-01') + pd.to_timedelta(day, unit='D')
    minute = np.clip(rng.normal(13.5 * 60, 280, NUM_ROWS), 300, 1_439).astype(int)
    minute -= np.where(rng.random(NUM_ROWS) < 0.6, minute % 5, 0)
    model = rng.integers(0, 40, 300)
    lasts = rng.uniform(40, 360, (3, 100))[start, place]
    late = np.round(rng.exponential(20, NUM_ROWS) - 10)
    hour = minute // 60
    return pd.DataFrame(
        {
            'date': date.strftime('%Y-%m-%d'),
            'month': spell('m', date.month),
            'weekday': spell('w', date.weekday),
            'time': 100 * hour + minute % 60,
            'hour': spell('h', hour),
            'carrier': spell('c', carrier),
            'airline': spell('a', 37 * carrier % 101),
            'origin': spell('o', start),
            'origin_name': spell('n', start),
            'place': spell('p', place),
            'place_name': spell('n', 53 * place % 997),
            'latitude': rng.uniform(20, 60, 100).round(3)[place],
            'longitude': -rng.uniform(70, 150, 100).round(3)[place],
            'zone': spell('z', zones[place]),
            'zone_name': spell('t', zones[place]),
            'plane': spell('x', plane),
            'model': spell('y', model[plane]),
            'maker': spell('k', rng.integers(0, 6, 40)[model][plane]),
            'seats': rng.integers(10, 60, 40)[model][plane] * 5,
            'built': rng.integers(1985, 2013, 300)[plane],
            'distance': np.round(7 * lasts),
            'air_time': np.round(lasts + rng.normal(0, 10, NUM_ROWS)),
            'late': late,
            'late_at_end': np.round(late + rng.normal(-4, 12, NUM_ROWS)),
            'wind': np.round(rng.gamma(3, 3, NUM_ROWS), 1),
            'visible': np.where(rng.random(NUM_ROWS) < 0.8, 10.0, rng.integers(0, 10, NUM_ROWS)),
        }
    )


JOINS: dict[str, Callable[[Path], pd.DataFrame]] = {
    'bank': join_bank,
    'hospital': join_hospital,
    'orders': join_orders,
    'flights': make_flights,
    'dependencies': lambda _: make_split().train,
}


def read_table(data: Path, folder: str, name: str) -> pd.DataFrame:
    """Read a table of a database as it is."""
    return pd.read_csv(data / folder / f'{name}.csv.gz', low_memory=False)


def state_types(table: pd.DataFrame) -> Metadata:
    """State the types of columns and nothing else."""
    columns: dict[str, dict[str, str]] = {}
    for name, own in table.items():
        if pd.api.types.is_numeric_dtype(own):
            columns[str(name)] = {'sdtype': 'numerical'}
        elif own.dropna().astype(str).str.fullmatch(r'\d{4}-\d\d-\d\d').all():
            columns[str(name)] = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}
        else:
            columns[str(name)] = {'sdtype': 'categorical'}
    return Metadata.load_from_dict({'tables': {'join': {'columns': columns}}})


class Column:
    """A column as values that compare: numbers, days since 1970 or texts.

    Args:
        own: The column of the real table.
    """

    def __init__(self, own: pd.Series) -> None:
        self.real = own
        self.dated = own.dropna().astype(str).str.fullmatch(r'\d{4}-\d\d-\d\d').all()
        self.ordered = bool(self.dated or pd.api.types.is_numeric_dtype(own))
        self.known = self.read(own)
        spread = float(np.nanstd(self.known)) if self.ordered else 0.0
        self.near = 0.0 if self.dated else SAME * spread

    def read(self, own: pd.Series) -> np.ndarray:
        """Read values: floats with NaN, or texts."""
        if self.dated:
            moments = pd.to_datetime(own, errors='coerce')
            return ((moments - pd.Timestamp(0)) / pd.Timedelta(days=1)).to_numpy()
        if self.ordered:
            return own.to_numpy(float)
        return own.astype(object).where(own.notna(), 'missing').astype(str).to_numpy(object)

    def agree(self, ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
        """Say which values agree."""
        if not self.ordered:
            return np.asarray(ours == theirs)
        return (np.isnan(ours) & np.isnan(theirs)) | (np.abs(ours - theirs) <= self.near)


def find_relations(columns: dict[str, Column]) -> dict[tuple[str, str], pd.Series]:
    """Find the relations of a table: of each, which value of the second the first one has."""
    found = {}
    for one, other in permutations(columns, 2):
        x, y = columns[one], columns[other]
        values = pd.Series(y.known).fillna(-np.inf) if y.ordered else pd.Series(y.known)
        if values.value_counts(normalize=True).iloc[0] > MOST_FREQUENT:
            continue
        groups = values.groupby(x.known)
        if len(groups) < 2 or len(values) < REPEATED * len(groups):
            continue
        says = groups.agg(lambda own: own.mode().iloc[0])
        agreeing = values.to_numpy() == pd.Series(x.known).map(says).to_numpy()
        # Of a number only what holds along it is a rule: a month of the day, no crimes of wages.
        changes = int((says.to_numpy()[1:] != says.to_numpy()[:-1]).sum()) + 1
        if agreeing.mean() >= AGREEING and not (x.ordered and 2 * changes > len(says)):
            found[one, other] = says.replace(-np.inf, np.nan) if y.ordered else says
    return found


def count_broken(
    columns: dict[str, Column],
    relations: dict[tuple[str, str], pd.Series],
    synthetic: pd.DataFrame,
) -> dict[str, float]:
    """Count the rows that break each relation, as shares of those with a known first value."""
    broken = {}
    for (one, other), says in relations.items():
        x, y = columns[one].read(synthetic[one]), columns[other].read(synthetic[other])
        if columns[one].ordered:
            known = ~np.isnan(x)
            ends = says.index.to_numpy(float)
            middles = (ends[:-1] + ends[1:]) / 2
            told = says.to_numpy()[np.searchsorted(middles, x)]
        else:
            known = np.isin(x, says.index)
            told = pd.Series(x).map(says).to_numpy()
        if known.any():
            agree = columns[other].agree(told[known], y[known])
            broken[f'{one}: {other}'] = float(1 - agree.mean())
    return broken


def list_jobs(options: Options) -> Iterator[Job]:
    """List the fits."""
    repeats = range(options.repeats)
    yield from grid(join=options.joins, epsilon=options.epsilons, repeat=repeats)


def measure(job: Job, options: Options) -> list[Row]:
    """Fit, sample as many rows, and say of each relation which share of them breaks it."""
    table = JOINS[job['join']](options.data).reset_index(drop=True)
    columns = {str(name): Column(own) for name, own in table.items()}
    relations = find_relations(columns)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer = ClustMixSynthesizer(
            state_types(table), epsilon=job['epsilon'], accept=ACCEPTABLE
        )
        synthesizer.fit({'join': table})
        drawn = synthesizer.sample(len(table))['join']
    broken = count_broken(columns, relations, drawn)
    size = {'rows': len(table), 'columns': table.shape[1]}
    return [size | {'relation': name, 'broken': share} for name, share in broken.items()]


def write_joins(runs: pd.DataFrame) -> str:
    """Write a line per join and budget, each relation the mean of its fits."""
    rows = []
    for (join, epsilon), own in runs.groupby(['join', 'epsilon'], sort=False):
        mean = own.groupby('relation')['broken'].mean()
        rows.append(
            [
                join,
                f'{own["rows"].iloc[0]:,.0f}',
                f'{own["columns"].iloc[0]:.0f}',
                write_epsilon(epsilon),
                f'{len(mean)}',
                f'{mean.mean():.1%}',
                f'{(mean <= 1 - HOLDS).mean():.0%}',
                f'{mean.idxmax()} {mean.max():.1%}',
            ]
        )
    header = ['join', 'rows', 'columns', 'ε', 'relations', 'broken', 'hold', 'worst']
    return write_table(header, rows)


BENCHMARK = Benchmark(
    name='joins',
    list_jobs=list_jobs,
    measure=measure,
    options={'joins': list(JOINS), 'epsilons': [1.0, 8.0], 'repeats': 3},
    write_pages=lambda runs: write_page(LAB / 'marginals.md', {'joins': write_joins(runs)}),
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
