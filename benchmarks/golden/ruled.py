"""Cases of one table with constraints of every kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from case import DATE, NAME, NUM_ROWS, Case, describe, sample
from sdv.cag import (
    FixedCombinations,
    FixedIncrements,
    Inequality,
    OneHotEncoding,
    Range,
    SingleTableProgrammableConstraint,
)
from sdv.metadata import Metadata
from sdv.sampling import Condition
from ways import fit_processed, sample_loaded

from sdv_threea import ClustMixSynthesizer

RULED = {
    'start': DATE,
    'end': DATE,
    **dict.fromkeys(('low', 'middle', 'high', 'salary'), 'numerical'),
    **dict.fromkeys(('country', 'town', 'size', 'yes', 'no'), 'categorical'),
}


def make_ruled(num_rows: int = NUM_ROWS) -> pd.DataFrame:
    """Draw rows that obey all constraints."""
    rng = np.random.default_rng(3)
    start = pd.Timestamp('2020-01-01') + pd.to_timedelta(rng.integers(0, 300, num_rows), 'D')
    end = start + pd.to_timedelta(rng.integers(0, 300, num_rows), 'D')
    low, country = rng.integers(0, 50, num_rows), rng.integers(0, 2, num_rows)
    town = np.array([['Bern', 'Chur'], ['Graz', 'Wien']])[country, low % 2]
    middle = pd.Series(low + rng.integers(5, 30, num_rows))
    return pd.DataFrame(
        {
            'start': start.strftime('%Y-%m-%d'),
            'end': pd.Series(end.strftime('%Y-%m-%d')).mask(rng.random(num_rows) < 0.05),
            'low': low,
            'middle': middle.mask(rng.random(num_rows) < 0.05),
            'high': low + rng.integers(40, 80, num_rows),
            'salary': 500 * rng.integers(4, 20, num_rows),
            'country': np.array(['CH', 'AT'])[country],
            'town': town,
            'size': np.where(town == 'Wien', 'large', 'small'),
            'yes': (low < 20).astype(int),
            'no': (low >= 20).astype(int),
        }
    )


class EvenLow(SingleTableProgrammableConstraint):
    """A constraint of the user's own without a ``fit``: a number is even."""

    def get_updated_metadata(self, metadata: Metadata) -> Metadata:
        """Leave the metadata as it is."""
        return metadata

    def transform(self, data: pd.DataFrame) -> pd.DataFrame:
        """Halve the number."""
        return data.assign(salary=data['salary'] // 2)

    def reverse_transform(self, transformed_data: pd.DataFrame) -> pd.DataFrame:
        """Double the number."""
        return transformed_data.assign(salary=transformed_data['salary'] * 2)

    def is_valid(self, synthetic_data: pd.DataFrame) -> pd.Series:
        """Tell which numbers are even."""
        return synthetic_data['salary'] % 2 == 0


class BelowMean(EvenLow):
    """A constraint of the user's own that learns: most numbers are below twice the mean."""

    def fit(self, data: pd.DataFrame, metadata: Metadata) -> None:
        """Learn the mean."""
        self.most = 2 * data['salary'].mean()

    def transform(self, data: pd.DataFrame) -> pd.DataFrame:
        """Cut large numbers."""
        return data.assign(salary=data['salary'].clip(upper=self.most))

    def reverse_transform(self, transformed_data: pd.DataFrame) -> pd.DataFrame:
        """Leave the numbers as they are."""
        return transformed_data

    def is_valid(self, synthetic_data: pd.DataFrame) -> pd.Series:
        """Tell which numbers are small."""
        return synthetic_data['salary'] <= self.most


def _make_ruled(constraints: Callable[[], list[Any]], **settings: Any) -> ClustMixSynthesizer:
    synthesizer = ClustMixSynthesizer(
        describe(RULED), **{'epsilon': 8.0, 'delta': 1e-5, **settings}
    )
    synthesizer.add_constraints(constraints())
    return synthesizer


def _sample_towns(synthesizer: Any) -> Iterator[pd.DataFrame]:
    yield from sample(synthesizer)
    conditions = [Condition({'town': 'Wien'}, 20), Condition({'low': 20, 'country': 'CH'}, 20)]
    yield from synthesizer.sample_from_conditions(conditions).values()
    yield from synthesizer.sample_remaining_columns(make_ruled(30)[['start', 'high']]).values()


def list_constraints() -> dict[str, Case]:
    places, flags = ['country', 'town'], ['yes', 'no']
    dates, span = ('start', 'end'), ('low', 'middle', 'high')
    rules: dict[str, tuple[Callable[[], list[Any]], dict[str, Any]]] = {
        'FixedCombinations': (lambda: [FixedCombinations(places)], {}),
        'FixedCombinations that share a column': (
            lambda: [FixedCombinations(places), FixedCombinations(['town', 'size'])], {},
        ),
        'FixedCombinations of the target': (
            lambda: [FixedCombinations(places)], {'target_column': 'country'},
        ),
        'Inequality': (lambda: [Inequality('low', 'high')], {}),
        'Inequality, strict': (lambda: [Inequality('low', 'high', strict_boundaries=True)], {}),
        'Inequality of dates': (lambda: [Inequality(*dates)], {}),
        'Inequality of the target': (
            lambda: [Inequality('low', 'high')], {'target_column': 'low'},
        ),
        'Inequality, a tree': (
            lambda: [Inequality('low', 'middle'), Inequality('low', 'high')], {},
        ),
        'Inequality, a circle': (
            lambda: [Inequality(*pair) for pair in (span[:2], span[1:], span[::2])], {},
        ),
        'Range': (lambda: [Range(*span)], {}),
        'Range, not strict, no privacy': (
            lambda: [Range(*span, strict_boundaries=False)], {'epsilon': math.inf},
        ),
        'OneHotEncoding': (lambda: [OneHotEncoding(flags)], {}),
        'OneHotEncoding of the target': (
            lambda: [OneHotEncoding(flags)], {'target_column': 'yes'},
        ),
        'FixedIncrements': (lambda: [FixedIncrements('salary', 500)], {}),
        'one of the user': (lambda: [EvenLow()], {}),
        'one of the user that learns': (lambda: [BelowMean()], {}),
        'several': (
            lambda: [
                FixedCombinations(places), FixedIncrements('salary', 500), Inequality(*dates),
                Range(*span), OneHotEncoding(flags), EvenLow(),
            ],
            {'target_column': 'size'},
        ),
        'several, ranges not enforced': (
            lambda: [Range(*span), Inequality(*dates)],
            {'enforce_min_max_values': False, 'enforce_rounding': False},
        ),
    }  # fmt: skip
    ruled = {NAME: make_ruled()}
    cases = {
        f'constraint {name}': Case(partial(_make_ruled, listed, **settings), ruled)
        for name, (listed, settings) in rules.items()
    }
    several, settings = rules['several']
    make = partial(_make_ruled, several, **settings)
    return {
        **cases,
        'constraints, conditions': Case(make, ruled, sample=_sample_towns),
        'constraints, saved and loaded': Case(make, ruled, sample=sample_loaded),
        'constraints, preprocessed': Case(make, ruled, fit=fit_processed),
        'constraints, coerced rows': Case(
            partial(
                _make_ruled,
                lambda: [Range(*span), OneHotEncoding(flags), FixedCombinations(places)],
                invalid_cells='coerce',
            ),
            {NAME: make_ruled().assign(high=30, no=1)},
        ),
    }
