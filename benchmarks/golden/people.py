"""Cases of one table of people, each with other settings."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
import pandas as pd
from case import DATE, NAME, NUM_ROWS, Case, describe
from described import spell

from sdv_threea import ClustMixSynthesizer

PEOPLE = spell({
    'key': 'id', **dict.fromkeys(('age', 'hours', 'income'), 'numerical'), 'city': 'categorical',
    'team': 'categorical', 'member': 'boolean', 'joined': DATE,
    'email': {'sdtype': 'email', 'pii': True}, 'label': 'categorical',
})  # fmt: skip

FACTS = {
    'age': {'range_min': 18, 'range_max': 79, 'range_is_nullable': False},
    'city': {'range_values': ['Basel', 'Bern', 'Chur', 'Genf'], 'range_is_nullable': False},
    'income': {'decimal_places': 2},
    'joined': {'range_min': '2020-01-01', 'range_max': '2021-12-31'},
}


def make_people(num_rows: int = NUM_ROWS) -> pd.DataFrame:
    """Draw people whose label depends on age and income in a curve, so that components differ."""
    rng = np.random.default_rng(0)
    age = rng.integers(18, 80, num_rows)
    income = (rng.gamma(9, 2, num_rows) * np.where(age % 20 < 10, 1, 4)).round(2)
    member = rng.random(num_rows) < 0.2 + 0.6 * (age > 50)
    merit = np.sin(age / 8) + np.log(income) / 2 + rng.normal(0, 0.3, num_rows)
    hours = np.where(rng.random(num_rows) < 0.5, 40, rng.integers(5, 60, num_rows))
    days = pd.to_timedelta(rng.integers(0, 700, num_rows), 'D')
    team = pd.Series(rng.choice(['red', 'blue'], num_rows))
    return pd.DataFrame(
        {
            'key': rng.permutation(10 * num_rows)[:num_rows],
            'age': age,
            'hours': hours,
            'income': pd.Series(income).mask(rng.random(num_rows) < 0.1),
            'city': np.where(member, 'Bern', rng.choice(['Basel', 'Chur', 'Genf'], num_rows)),
            'team': team.mask(rng.random(num_rows) < 0.2),
            'member': member,
            'joined': (pd.Timestamp('2020-01-01') + days).strftime('%Y-%m-%d'),
            'email': [f'someone{row}@example.com' for row in range(num_rows)],
            'label': np.array(['low', 'middle', 'high'])[np.digitize(merit, [1.0, 1.8])],
        }
    )


def make_for_people(**settings: Any) -> ClustMixSynthesizer:
    """Make a synthesizer of people, with enough budget to tell them apart."""
    columns = PEOPLE
    if settings.get('public_metadata'):
        columns = {name: {**each, **FACTS.get(name, {})} for name, each in PEOPLE.items()}
    return ClustMixSynthesizer(
        describe(columns, 'key'), **{'epsilon': 5.0, 'delta': 1e-5, **settings}
    )


def _kernel(first: Any, second: Any) -> Any:
    return jnp.exp(-((first[:, None] - second[None]) ** 2).mean(axis=-1) / 2)


def list_settings() -> dict[str, Case]:
    classes = {'target_column': 'label'}
    clusters = {**classes, 'mixing': 'clusters', 'n_components': 3}
    settings = {
        'no target': {},
        'target of three classes': classes,
        'boolean target': {'target_column': 'member'},
        'numerical target': {'target_column': 'age'},
        'small budget': {**classes, 'epsilon': 0.3},
        'large budget': {**classes, 'epsilon': 50.0},
        'no privacy': {**classes, 'epsilon': math.inf},
        'no privacy, no target': {'epsilon': math.inf},
        'guarantee of the paper': {**clusters, 'guarantee': 'paper'},
        'neighbours by replacement': {**classes, 'neighbors': 'replace_one'},
        'ranges not enforced': {**classes, 'enforce_min_max_values': False},
        'rounding not enforced': {**classes, 'enforce_rounding': False},
        'alpha 0': {**classes, 'alpha': 0.0},
        'alpha 0.1': {**classes, 'alpha': 0.1},
        'alpha 1': {**classes, 'alpha': 1.0},
        'clusters': clusters,
        'clusters, no privacy': {**clusters, 'epsilon': math.inf},
        'clusters, numerical target': {**clusters, 'target_column': 'age'},
        'clusters, no target': {'mixing': 'clusters'},
        'random mixing': {**classes, 'mixing': 'random'},
        'a kernel': {**classes, 'kernel': _kernel},
        'public metadata': {**classes, 'public_metadata': True},
        'locales': {'locales': ['de_CH', 'fr_FR']},
    }
    people = make_people()
    return {
        name: Case(partial(make_for_people, **each), {NAME: people})
        for name, each in settings.items()
    }
