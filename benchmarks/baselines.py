"""What a private synthesizer has to beat: histograms by class, and random mixing.

Both take ranges, categories and class sizes for public, as the papers do. They are written for the
benchmark: noise comes from NumPy.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sdv.metadata import Metadata
from tables import Split

from sdv_threea.accounting import mu_from_epsilon

#: Bins of a number in the histograms, and bins of a numerical target.
NUM_BINS = 24
TARGET_BINS = 10

#: Random mixing mixes as many records as bring the noise of a scaled feature down to this.
MIXING_NOISE = 0.25


class Coder:
    """A column as codes, from public facts: bins of a range, or places in a list; 0 is missing."""

    def __init__(self, column: dict, num_bins: int) -> None:
        self.values: list | None = None
        if column['sdtype'] == 'numerical':
            self.edges = np.linspace(column['range_min'], column['range_max'], num_bins + 1)
            self.whole = all(float(each).is_integer() for each in self.edges[[0, -1]])
            self.size = num_bins + 1
        else:
            self.values = list(column.get('range_values', [True, False]))
            self.size = len(self.values) + 1

    def encode(self, column: pd.Series) -> NDArray[np.int64]:
        """Find the codes, shape (n,)."""
        if self.values is not None:
            return pd.Index(self.values).get_indexer(column) + 1
        places = np.searchsorted(self.edges[1:-1], column.to_numpy(float), side='right') + 1
        return np.where(column.isna(), 0, places)

    def decode(self, codes: NDArray[np.int64], rng: np.random.Generator) -> pd.Series:
        """Draw values: uniform inside a bin."""
        if self.values is not None:
            return pd.Series([None, *self.values], dtype=object)[codes].reset_index(drop=True)
        low, high = self.edges[np.maximum(codes - 1, 0)], self.edges[np.maximum(codes, 1)]
        drawn = rng.uniform(low, high)
        return pd.Series(np.where(codes == 0, np.nan, np.rint(drawn) if self.whole else drawn))


def naive_histograms(
    split: Split, facts: Metadata, epsilon: float, delta: float, seed: int
) -> pd.DataFrame:
    """Draw each column from its noisy histogram in the row's class, independently."""
    rng = np.random.default_rng(seed)
    columns = facts.to_dict()['tables'][split.table_name]['columns']
    coders = {name: Coder(columns[name], NUM_BINS) for name in columns if name != split.target}
    target = Coder(columns[split.target], TARGET_BINS)
    labels = target.encode(split.train[split.target])
    noise = math.sqrt(len(columns)) / mu_from_epsilon(epsilon, delta)
    sizes = _noisy(np.bincount(labels, minlength=target.size), noise, rng)
    drawn = rng.choice(target.size, size=len(split.train), p=sizes)
    synthetic = {split.target: target.decode(drawn, rng)}
    for name, coder in coders.items():
        table = np.zeros((target.size, coder.size))
        np.add.at(table, (labels, coder.encode(split.train[name])), 1)
        codes = np.zeros(len(drawn), dtype=np.int64)
        for label, counts in enumerate(table):
            rows = drawn == label
            codes[rows] = rng.choice(coder.size, size=rows.sum(), p=_noisy(counts, noise, rng))
        synthetic[name] = coder.decode(codes, rng)
    return pd.DataFrame(synthetic)[list(columns)]


def random_mixing(
    split: Split, facts: Metadata, epsilon: float, delta: float, seed: int
) -> pd.DataFrame:
    """Replace random groups of records of a class by their noisy mean (Lee et al. 2019).

    Numbers are scaled to [0, 1], categories one-hot, so a record of ``m`` columns has norm at most
    ``sqrt(m)`` and moves the mean of its ``l`` by ``sqrt(m) / l``; each record is in one group. A
    numerical target is mixed like any other column.
    """
    rng = np.random.default_rng(seed)
    columns = facts.to_dict()['tables'][split.table_name]['columns']
    features = [name for name in columns if split.numeric or name != split.target]
    mu = mu_from_epsilon(epsilon, delta)
    group_size = max(1, math.ceil(math.sqrt(len(features)) / (mu * MIXING_NOISE)))
    noise = math.sqrt(len(features)) / (group_size * mu)
    labels = pd.Series(0, split.train.index) if split.numeric else split.train[split.target]
    parts = []
    for label, rows in split.train.groupby(labels, sort=False):
        order = rng.permutation(len(rows)) % max(len(rows) // group_size, 1)
        mixed = _mix(rows[features], columns, order, noise, rng)
        # As many rows as the class has: mixtures are drawn with replacement.
        part = mixed.sample(len(rows), replace=True, random_state=seed)
        parts.append(part if split.numeric else part.assign(**{split.target: label}))
    return pd.concat(parts, ignore_index=True)[list(columns)]


def _mix(
    rows: pd.DataFrame,
    columns: dict,
    groups: NDArray[np.int64],
    noise: float,
    rng: np.random.Generator,
) -> pd.DataFrame:
    sizes = np.maximum(np.bincount(groups), 1)
    mixed = {}
    for name, column in rows.items():
        facts = columns[name]
        if facts['sdtype'] == 'numerical':
            low, width = facts['range_min'], max(facts['range_max'] - facts['range_min'], 1e-12)
            scaled = ((column.fillna(low + width / 2) - low) / width).to_numpy(float)
            means = np.bincount(groups, scaled) / sizes + rng.normal(0, noise, len(sizes))
            mixed[name] = low + width * np.clip(means, 0, 1)
        else:
            coder = Coder(facts, NUM_BINS)
            shares = np.zeros((len(sizes), coder.size))
            np.add.at(shares, (groups, coder.encode(column)), 1)
            noisy = shares / sizes[:, None] + rng.normal(0, noise, shares.shape)
            mixed[name] = coder.decode(noisy.argmax(axis=1), rng)
    return pd.DataFrame(mixed)


def _noisy(
    counts: NDArray[np.float64], noise: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    noisy = np.maximum(counts + rng.normal(0, noise, len(counts)), 0) if noise else counts * 1.0
    return noisy / noisy.sum() if noisy.sum() else np.full(len(noisy), 1 / len(noisy))
