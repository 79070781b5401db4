"""Accounting: the price of a release. These modules see neither data nor noise.

* :mod:`~sdv_threea.accounting.gdp`: Gaussian differential privacy and ``(epsilon, delta)``,
* :mod:`~sdv_threea.accounting.receipts`: the prices of each release and of all together,
* :mod:`~sdv_threea.accounting.budget`: the budget, and its split between stages,
* :mod:`~sdv_threea.accounting.sensitivities`: how far a record moves a statistic, with proofs,
* :mod:`~sdv_threea.accounting.odds`: the meaning of a promise for one person.
"""

from sdv_threea.accounting.budget import SQUARED_DISTANCE, Budget
from sdv_threea.accounting.gdp import delta_from_mu, epsilon_from_mu, mu_from_epsilon
from sdv_threea.accounting.odds import Odds, count_exposed, odds_from_epsilon, odds_from_mu
from sdv_threea.accounting.receipts import Ledger, Receipt

__all__ = [
    'SQUARED_DISTANCE',
    'Budget',
    'Ledger',
    'Odds',
    'Receipt',
    'count_exposed',
    'delta_from_mu',
    'epsilon_from_mu',
    'mu_from_epsilon',
    'odds_from_epsilon',
    'odds_from_mu',
]
