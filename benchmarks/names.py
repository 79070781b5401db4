"""Pseudonyms: are there as many made-up names as real ones, and are they as frequent?

    python benchmarks/names.py                                  # three minutes
    python benchmarks/names.py --tables doctors --repeats 5

A column of names is fitted beside three others, and as many rows are sampled. *names* is how many
different names they show, and *off* the share of rows that are wrong in the frequencies of names,
the most frequent first. *stated* is the same where the number of names is public. *threshold* is
the alternative: the values that a release shows word for word, which could be renamed; *lost* is
the share of rows whose values it does not show. Districts of accounts (Berka) and artists of tracks
(Chinook) are real; doctors are 300 for 30,000 rows, customers 3,000 by Zipf's law, and in *unique*
no name repeats.
"""

from __future__ import annotations

import argparse
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from runner import DATA
from sdv.metadata import Metadata

from sdv_threea import ClustMixSynthesizer

EPSILONS = 1.0, 3.0, 8.0, math.inf


def make(number: int, power: float, rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Make rows in which the k-th name has ``1 / k^power`` of them; a name has one group."""
    shares = np.arange(1.0, number + 1) ** -power
    chosen = rng.choice(number, rows, p=shares / shares.sum())
    names = np.array([f'Name {at}' for at in range(number)])
    return pd.DataFrame(
        {
            'name': names[chosen],
            'group': np.array(list('ABCDEF'))[chosen % 6],
            'kind': rng.choice(['a', 'b', 'c'], rows, p=[0.6, 0.3, 0.1]),
            'amount': rng.gamma(2, 100, rows).round(),
        }
    )


def load(table: str, data: Path, rng: np.random.Generator) -> pd.DataFrame:
    """Load or make a table with the column ``name``."""
    if table == 'accounts':
        accounts = pd.read_csv(data / 'berka/account.csv.gz')
        districts = pd.read_csv(data / 'berka/district.csv.gz').set_index('district_id')
        home = accounts['district_id']
        name = next(each for each in districts if 'name' in each)
        region = next(each for each in districts if 'region' in each)
        return pd.DataFrame(
            {
                'name': home.map(districts[name]),
                'region': home.map(districts[region]),
                'frequency': accounts['frequency'],
                'year': pd.to_datetime(accounts['date']).dt.year,
            }
        )
    if table == 'tracks':
        tracks = pd.read_csv(data / 'chinook/track.csv.gz')
        albums = pd.read_csv(data / 'chinook/album.csv.gz').set_index('AlbumId')['ArtistId']
        artists = pd.read_csv(data / 'chinook/artist.csv.gz').set_index('ArtistId')['Name']
        return pd.DataFrame(
            {
                'name': tracks['AlbumId'].map(albums).map(artists),
                'genre': tracks['GenreId'].astype(str),
                'price': tracks['UnitPrice'],
                'seconds': tracks['Milliseconds'] // 1000,
            }
        )
    if table == 'unique':
        return make(300, 0.0, 10_000, rng).assign(name=[f'Name {at}' for at in range(10_000)])
    return make(*{'doctors': (300, 0.0), 'customers': (3000, 1.0)}[table], 30_000, rng)


TABLES = 'doctors', 'customers', 'unique', 'accounts', 'tracks'


def fit(rows: pd.DataFrame, epsilon: float, pseudonyms: Any) -> ClustMixSynthesizer:
    """Fit a table whose names have pseudonyms, or are learned as any category (``None``)."""
    kinds = {
        name: 'categorical' if own.dtype == object else 'numerical' for name, own in rows.items()
    }
    described = {name: {'sdtype': kind} for name, kind in kinds.items()}
    described['name'] = {'sdtype': 'name', 'pii': pseudonyms is not None}
    metadata = Metadata.load_from_dict({'tables': {'table': {'columns': described}}})
    synthesizer = ClustMixSynthesizer(
        metadata, epsilon=epsilon, pseudonyms=pseudonyms, accept=('noise', 'verbatim')
    )
    synthesizer.fit({'table': rows})
    return synthesizer


def misplace(real: pd.Series, drawn: pd.Series) -> float:
    """Return the share of rows that differ in the frequencies of names, the largest first."""
    both = [each.value_counts(normalize=True).to_numpy() for each in (real, drawn)]
    length = max(map(len, both))
    one, other = (np.pad(each, (0, length - len(each))) for each in both)
    return float(np.abs(one - other).sum() / 2)


def measure(rows: pd.DataFrame, epsilon: float) -> dict[str, float]:
    """Fit a table with pseudonyms, with their number stated, and with a threshold."""
    real, found = rows['name'], {}
    for label, pseudonyms in (('', ['name']), ('stated ', {'name': real.nunique()})):
        drawn = fit(rows, epsilon, pseudonyms).sample(len(rows))['table']['name']
        found[f'{label}names'] = drawn.nunique()
        found[f'{label}off'] = misplace(real, drawn)
    losses = fit(rows, epsilon, None).get_losses().loc['name']
    shown = losses['shown'].split(' ')[0]
    return found | {'threshold': int(shown) if shown else 0, 'lost': losses['share']}


def main() -> None:
    """Print the means over repeats, by table and epsilon."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--tables', nargs='+', choices=TABLES, default=TABLES)
    parser.add_argument('--epsilons', type=float, nargs='+', default=EPSILONS)
    parser.add_argument('--repeats', type=int, default=1)
    parser.add_argument('--data', type=Path, default=DATA)
    asked = parser.parse_args()
    warnings.simplefilter('ignore')
    for table in asked.tables:
        rows = load(table, asked.data, np.random.default_rng(0))
        print(f'\n{table}: {len(rows):,} rows, {rows["name"].nunique():,} names')
        for at, epsilon in enumerate(asked.epsilons):
            found = pd.DataFrame([measure(rows, epsilon) for _ in range(asked.repeats)]).mean()
            line = found.round(3).to_frame(f'epsilon {epsilon:<4g}').T
            print(line.to_string(header=not at, col_space=12), flush=True)


if __name__ == '__main__':
    main()
