"""The tables of the benchmarks: what is predicted in each, what gives it away, and how it is split.

They are read from ``../shared/data``: a folder per table with ``<name>.csv.gz`` and
``metadata.json``; others that are laid out alike will do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from runner import DATA
from sdv.metadata import Metadata
from sklearn.model_selection import train_test_split

#: Codes of ``discharge_disposition_id`` that say that a patient died.
DIED = (11, 19, 20, 21)


@dataclass(frozen=True)
class Problem:
    """What is predicted, from which table.

    Args:
        table: The folder.
        target: The column to predict.
        leaks: Columns that give it away, or that a model should not see.
        label: Makes the target of the table, where no column holds it.
        num_train: Rows of the official training part, where the table starts with one.
    """

    table: str
    target: str
    leaks: tuple[str, ...] = ()
    label: Callable[[pd.DataFrame], pd.Series] | None = None
    num_train: int | None = None


def _readmitted(table: pd.DataFrame) -> pd.Series:
    return (table['readmitted'] == '<30').map({True: 'within 30 days', False: 'no'})


def _died(table: pd.DataFrame) -> pd.Series:
    return table['discharge_disposition_id'].isin(DIED).map({True: 'died', False: 'no'})


#: All problems; diabetes130_died is the open stand-in for MIMIC-III mortality in the 3A paper.
PROBLEMS = {
    'adult': Problem('adult', 'income', num_train=32_561),
    'census_kdd': Problem('census_kdd', 'income', ('instance_weight',), num_train=199_523),
    'default_credit': Problem('default_credit', 'default_next_month'),
    'diabetes130': Problem('diabetes130', 'early', ('readmitted',), _readmitted),
    'diabetes130_died': Problem('diabetes130', 'died', ('discharge_disposition_id',), _died),
    'compas': Problem('compas', 'two_year_recid'),
    'telco_churn': Problem('telco_churn', 'Churn'),
    'german_credit': Problem('german_credit', 'class'),
    'creditcard_fraud': Problem('creditcard_fraud', 'Class'),
    'covtype_compact': Problem('covtype_compact', 'Cover_Type'),
    'epileptic_seizure': Problem('epileptic_seizure', 'seizure'),
    'isolet': Problem('isolet', 'vowel'),
    'mushroom': Problem('mushroom', 'class'),
    'california_housing': Problem('california_housing', 'median_house_value'),
    'bike_sharing': Problem('bike_sharing', 'cnt', ('casual', 'registered')),
    'titanic': Problem('titanic', 'survived'),
    'pima_diabetes': Problem('pima_diabetes', 'outcome'),
    'breast_cancer': Problem('breast_cancer', 'diagnosis'),
    'covtype': Problem('covtype', 'Cover_Type'),
    'eeg_eye_state': Problem('eeg_eye_state', 'eyeDetection'),
    'walking_activity': Problem('walking_activity', 'person'),
    'protein_casp': Problem('protein_casp', 'RMSD'),
}


@dataclass(frozen=True)
class Split:
    """A table, split once and for all.

    Args:
        name: The problem.
        target: The column to predict.
        train: What synthesizers may see.
        test: What only models are scored on.
        metadata: Types of the columns; no ranges and no values.
        numeric: Whether the target is a number.
    """

    name: str
    target: str
    train: pd.DataFrame
    test: pd.DataFrame
    metadata: Metadata
    numeric: bool

    @property
    def table_name(self) -> str:
        """The name of the table in the metadata."""
        return next(iter(self.metadata.tables))


def load(name: str, data: Path = DATA) -> tuple[pd.DataFrame, Metadata]:
    """Load a whole table and its metadata as they are."""
    table = pd.read_csv(data / name / f'{name}.csv.gz', low_memory=False)
    return table, Metadata.load_from_json(data / name / 'metadata.json')


def load_split(name: str, data: Path = DATA) -> Split:
    """Load a problem: official parts where there are, else 70/30, stratified by class.

    Ids, dates and leaks are left out: no model is trained on them.
    """
    problem = PROBLEMS[name]
    table, metadata = load(problem.table, data)
    facts = next(iter(metadata.to_dict()['tables'].values()))['columns']
    if problem.label is not None:
        table[problem.target] = problem.label(table)
        facts[problem.target] = {'sdtype': 'categorical'}
    kept = {
        column: about
        for column, about in facts.items()
        if about['sdtype'] not in ('id', 'datetime') and column not in problem.leaks
    }
    numeric = kept[problem.target]['sdtype'] == 'numerical'
    table = table[list(kept)]
    if problem.num_train is not None:
        train, test = table[: problem.num_train], table[problem.num_train :]
    else:
        train, test = _cut(table, None if numeric else problem.target)
    return Split(
        name,
        problem.target,
        train.reset_index(drop=True),
        test.reset_index(drop=True),
        Metadata.load_from_dict({'tables': {problem.table: {'columns': kept}}}),
        numeric,
    )


def load_coded(name: str, data: Path = DATA) -> Split:
    """Load one of PrivMRF's coded tables, ``'privmrf adult'`` and the like, all of it to be fitted.

    Its values are categories, and their domains are public. The last column stands for a target.
    """
    folder, _, short = name.partition(' ')
    table = pd.read_csv(data / folder / f'{short}.csv.gz', dtype=str)
    domains = json.loads((data / folder / f'{short}.json').read_text())
    columns = {
        column: {
            'sdtype': 'categorical',
            'range_values': np.arange(about['domain']).astype(str).tolist(),
            'range_is_nullable': False,
        }
        for column, about in domains.items()
    }
    metadata = Metadata.load_from_dict({'tables': {short: {'columns': columns}}})
    return Split(name, table.columns[-1], table, table[:0], metadata, numeric=False)


def hold_out(split: Split) -> Split:
    """Cut the training part in two, 70/30: what decides between settings must not see the test."""
    train, test = _cut(split.train, None if split.numeric else split.target)
    return replace(split, train=train.reset_index(drop=True), test=test.reset_index(drop=True))


def state_facts(table: pd.DataFrame, metadata: Metadata) -> Metadata:
    """State the ranges, values and nullability of a table in a copy of its metadata.

    What is stated there already stays.
    """
    return state_all_facts({next(iter(metadata.tables)): table}, metadata)


def state_all_facts(tables: Mapping[str, pd.DataFrame], metadata: Metadata) -> Metadata:
    """State the ranges, values and nullability of several tables in a copy of their metadata."""
    facts = metadata.to_dict()
    for name, description in facts['tables'].items():
        for column, about in description['columns'].items():
            stated = _state_column(tables[name][column].reset_index(drop=True), about)
            description['columns'][column] = stated | about
    return Metadata.load_from_dict(facts)


def _cut(table: pd.DataFrame, target: str | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    classes = None if target is None else table[target]
    train, test = train_test_split(table, test_size=0.3, random_state=0, stratify=classes)
    return train, test


def _state_column(values: pd.Series, about: Mapping[str, Any]) -> dict[str, Any]:
    present = values.dropna()
    nullable = len(present) < len(values)
    if about['sdtype'] in ('categorical', 'ordinal'):
        return {'range_values': present.unique().tolist(), 'range_is_nullable': nullable}
    if about['sdtype'] == 'datetime':
        moments = pd.to_datetime(present, format=about.get('datetime_format'))
        ends = present[moments.idxmin()], present[moments.idxmax()]
    elif about['sdtype'] == 'numerical':
        ends = present.min(), present.max()
    else:
        return {'range_is_nullable': nullable}
    return {'range_min': ends[0], 'range_max': ends[1], 'range_is_nullable': nullable}
