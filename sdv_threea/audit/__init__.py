"""Empirical audit: how well can an observer tell whether one record was in the fitted table?

A guarantee is proved, and code is written by people. So play the game that differential privacy is
about: toss a coin, fit a synthesizer with or without a record that stands out, show everything to
an observer, and let it guess the coin. How often it is right bounds epsilon from below (Jagielski,
Ullman, Oprea 2020, arXiv 2006.07709; Nasr et al. 2023, arXiv 2302.07956)::

    from sdv_threea.audit import audit_privacy, lone_class

    neighbours = lone_class(tables, 'diagnosis', 'measles')
    print(audit_privacy(make_synthesizer, neighbours, epsilon=1.0, delta=1e-6))

It works on any synthesizer of SDV. Nothing in this room is private: results are about the table
that was brought, which should be a public or a made-up one.

* :mod:`~sdv_threea.audit.worlds`: two neighbouring tables,
* :mod:`~sdv_threea.audit.game`: many fits of one or the other, and :func:`audit_privacy`,
* :mod:`~sdv_threea.audit.rows` and :mod:`~sdv_threea.audit.state`: what an observer looks at,
* :mod:`~sdv_threea.audit.guessing`: the observer,
* :mod:`~sdv_threea.audit.bounds`: from guesses to epsilon,
* :mod:`~sdv_threea.audit.result`: the verdict.
"""

from sdv_threea.audit.bounds import Guesses, bound_epsilon, bound_mu
from sdv_threea.audit.game import audit_privacy
from sdv_threea.audit.result import AuditResult, LowerBound
from sdv_threea.audit.worlds import Neighbours, far_out, lone_class, many_children, rare_category

__all__ = [
    'AuditResult',
    'Guesses',
    'LowerBound',
    'Neighbours',
    'audit_privacy',
    'bound_epsilon',
    'bound_mu',
    'far_out',
    'lone_class',
    'many_children',
    'rare_category',
]
