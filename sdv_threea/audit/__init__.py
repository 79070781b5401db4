"""Audit: how much does one record move what a synthesizer releases?

A guarantee is proved, and code is written by people. There are two ways to check it.

*Arithmetic*, for synthesizers of this package: :func:`measure_mu` fits two neighbouring tables with
the same noisy answers, and measures how far apart the exact values behind them are. Three fits give
the ``mu`` of this pair, exactly::

    from sdv_threea.audit import measure_mu

    print(measure_mu(make_and_fit, table, neighbour))

*Guessing*, for any synthesizer of SDV: :func:`audit_privacy` tosses a coin, fits with or without a
record that stands out, shows everything to an observer, and lets it guess the coin. How often it is
right bounds epsilon from below (Jagielski, Ullman, Oprea 2020, arXiv 2006.07709; Nasr et al. 2023,
arXiv 2302.07956)::

    from sdv_threea.audit import audit_privacy, lone_class

    neighbours = lone_class(tables, 'diagnosis', 'measles')
    print(audit_privacy(make_synthesizer, neighbours, epsilon=1.0, delta=1e-6))

Nothing in this room is private: results are about the tables that were brought, which should be
public or made-up ones.

* :mod:`~sdv_threea.audit.arithmetic` and :mod:`~sdv_threea.audit.doors`: the exact ``mu``,
* :mod:`~sdv_threea.audit.worlds`: two neighbouring tables,
* :mod:`~sdv_threea.audit.game`: many fits of one or the other, and :func:`audit_privacy`,
* :mod:`~sdv_threea.audit.rows`, :mod:`~sdv_threea.audit.state` and
  :mod:`~sdv_threea.audit.messages`: what an observer looks at,
* :mod:`~sdv_threea.audit.guessing`: the observer,
* :mod:`~sdv_threea.audit.bounds`: from guesses to epsilon,
* :mod:`~sdv_threea.audit.result`: the verdict.
"""

from sdv_threea.audit.arithmetic import MovedAnswer, MuResult, measure_mu
from sdv_threea.audit.bounds import Guesses, bound_epsilon, bound_mu
from sdv_threea.audit.game import audit_privacy
from sdv_threea.audit.result import AuditResult, LowerBound
from sdv_threea.audit.worlds import Neighbours, far_out, lone_class, many_children, rare_category

__all__ = [
    'AuditResult',
    'Guesses',
    'LowerBound',
    'MovedAnswer',
    'MuResult',
    'Neighbours',
    'audit_privacy',
    'bound_epsilon',
    'bound_mu',
    'far_out',
    'lone_class',
    'many_children',
    'measure_mu',
    'rare_category',
]
