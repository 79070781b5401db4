"""Rules that the real rows of the databases keep, and the share of synthetic rows that keep them.

Nobody stated them: they say how many rows the owner of the data would not believe.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

import numpy as np
import pandas as pd

Tables = Mapping[str, pd.DataFrame]

#: Measures the real and the synthetic tables; returns a share of rows, or a number of units.
Rule = Callable[[Tables, Tables], float]

#: The codes of stays that ended with the patient's death.
DIED = (11, 19, 20, 21)

#: How far numbers may be off that are equal but for rounding.
CENT = 0.011


def _occurs(real: pd.DataFrame, rows: pd.DataFrame, columns: list[str]) -> float:
    """Return the share of rows whose combination of values occurs in the real table."""
    known = pd.MultiIndex.from_frame(real[columns].astype(object).fillna('missing'))
    return float(
        pd.MultiIndex.from_frame(rows[columns].astype(object).fillna('missing')).isin(known).mean()
    )


def _join(tables: Tables, child: str, parent: str, key: str) -> pd.DataFrame:
    return tables[child].merge(tables[parent], on=key, suffixes=('', '_parent'))


def _loan_is_product(real: Tables, made: Tables) -> float:
    loans = made['loan']
    product = loans['duration'].astype(float) * loans['payments']
    return float((abs(product - loans['amount']) < 0.5).mean())


def _one_owner(real: Tables, made: Tables) -> float:
    owners = made['disp'].query("type == 'OWNER'")['account_id'].value_counts()
    return float((owners.reindex(made['account']['account_id'], fill_value=0) == 1).mean())


def _loan_after_account(real: Tables, made: Tables) -> float:
    joined = _join(made, 'loan', 'account', 'account_id')
    first, second = (pd.to_datetime(joined[each]) for each in ('date_parent', 'date'))
    return float((first <= second).mean())


def _moves_occur(real: Tables, made: Tables) -> float:
    return _occurs(real['trans'], made['trans'], ['type', 'operation', 'k_symbol'])


def _repaid_loan_exists(real: Tables, made: Tables) -> float:
    repaid = made['order'].query("k_symbol == 'UVER'")
    return float(repaid['account_id'].isin(made['loan']['account_id']).mean())


def _share_district(real: Tables, made: Tables) -> float:
    disp = _join(made, 'disp', 'account', 'account_id')
    joined = disp.merge(made['client'], on='client_id', suffixes=('', '_client'))
    return float((joined['district_id'] == joined['district_id_client']).mean())


def _ages(made: Tables) -> pd.Series:
    """Return the age band of stays as a number, by patient, of patients with two stays or more."""
    stays = made['encounter'].dropna(subset=['age'])
    bands = stays['age'].str.extract(r'(\d+)')[0].astype(float) / 10
    repeated = stays.groupby('patient_nbr')['age'].transform('size') > 1
    return bands[repeated].groupby(stays['patient_nbr'][repeated])


def _one_band(real: Tables, made: Tables) -> float:
    bands = _ages(made)
    return float((bands.max() == bands.min()).mean())


def _bands_near(real: Tables, made: Tables) -> float:
    bands = _ages(made)
    return float((bands.max() - bands.min() <= 1).mean())


def _died(made: Tables) -> pd.Series:
    return made['encounter']['discharge_disposition_id'].isin(DIED)


def _not_readmitted(real: Tables, made: Tables) -> float:
    return float((made['encounter']['readmitted'][_died(made)] == 'NO').mean())


def _die_twice(real: Tables, made: Tables) -> float:
    return float((_died(made).groupby(made['encounter']['patient_nbr']).sum() > 1).sum())


def _city_in_country(real: Tables, made: Tables) -> float:
    names = {'BillingCity': 'City', 'BillingCountry': 'Country'}
    parts = [_occurs(real['customer'], made['customer'], ['City', 'Country'])]
    both = [each['invoice'].rename(columns=names) for each in (real, made)]
    return float(np.mean([*parts, _occurs(*both, ['City', 'Country'])]))


def _billing_city(real: Tables, made: Tables) -> float:
    joined = _join(made, 'invoice', 'customer', 'CustomerId')
    return float((joined['BillingCity'] == joined['City']).mean())


def _invoice_total(real: Tables, made: Tables) -> float:
    lines = made['invoiceline']
    sums = lines['UnitPrice'].astype(float) * lines['Quantity'].astype(float)
    totals = sums.groupby(lines['InvoiceId']).sum().reindex(made['invoice']['InvoiceId']).fillna(0)
    return float((abs(totals.to_numpy() - made['invoice']['Total'].to_numpy()) < CENT).mean())


def _ordered_first(real: Tables, made: Tables) -> float:
    orders = made['orders'].dropna(subset=['shippedDate'])
    first, second = (pd.to_datetime(orders[each]) for each in ('orderDate', 'shippedDate'))
    return float((first <= second).mean())


#: The tables that a rule needs, and the rule, by name.
Rules = dict[str, tuple[tuple[str, ...], Rule]]

STAYS: Rules = {
    'one age band': (('encounter',), _one_band),
    'bands at most one apart': (('encounter',), _bands_near),
    'died, not readmitted': (('encounter',), _not_readmitted),
    'patients who die twice': (('encounter',), _die_twice),
}

#: The rules of each database.
RULES: dict[str, Rules] = {
    'berka': {
        'loan = duration x payment': (('loan',), _loan_is_product),
        'exactly one OWNER': (('account', 'disp'), _one_owner),
        'loan after account': (('account', 'loan'), _loan_after_account),
        'type x operation x symbol occurs': (('trans',), _moves_occur),
        'repayment has a loan': (('order', 'loan'), _repaid_loan_exists),
        'client and account share district': (('client', 'disp', 'account'), _share_district),
    },
    'diabetes130_rel': STAYS,
    'hospital': STAYS,
    'chinook': {
        'city in its country': (('customer', 'invoice'), _city_in_country),
        'billing city = city': (('customer', 'invoice'), _billing_city),
        'total = sum of lines': (('invoice', 'invoiceline'), _invoice_total),
    },
    'northwind': {'ordered before shipped': (('orders',), _ordered_first)},
}


def measure_rules(database: str, real: Tables, made: Tables) -> dict[str, float]:
    """Return how far synthetic tables keep the rules of a database, by name of the rule.

    Rules about columns or tables that a part of a database lacks are left out.
    """
    found = {}
    for name, (needed, rule) in RULES.get(database, {}).items():
        if set(needed) <= set(made) and all(_has_columns(real, made, each) for each in needed):
            with suppress(KeyError):
                found[f'rule: {name}'] = rule(real, made)
    return found


def _has_columns(real: Tables, made: Tables, table: str) -> bool:
    return set(made[table].columns) >= set(real[table].columns)
