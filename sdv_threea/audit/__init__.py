"""How far one record moves the output of a fit, measured to check the code.

A proof on paper does not show that the code is right. There are two ways to check it.

*Arithmetic*, for synthesizers of this package: :func:`measure_mu` fits two neighbouring tables so
that both get the same noisy answers, and measures the distance between the exact values behind the
answers. Four fits give the exact ``mu`` between these two tables::

    from sdv_threea.audit import measure_mu

    print(measure_mu(make_and_fit, table, neighbour))

*Guessing*, for any synthesizer of SDV: :func:`audit_privacy` tosses a coin, fits a table with or
without a record that stands out (the *canary*), and lets an observer of the fit guess the coin. The
share of right guesses bounds epsilon from below (Jagielski, Ullman, Oprea 2020, arXiv 2006.07709;
Nasr et al. 2023, arXiv 2302.07956)::

    from sdv_threea.audit import audit_privacy, lone_class

    neighbours = lone_class(tables, 'diagnosis', 'measles')
    print(audit_privacy(make_synthesizer, neighbours, epsilon=1.0, delta=1e-6))

An audit reads the input, the computations and the messages of a fit. Its results describe the input
tables without any noise, so it must not be given private tables: pass public or made-up ones.

* :mod:`~sdv_threea.audit.arithmetic`: the exact ``mu`` of two neighbouring tables,
* :mod:`~sdv_threea.audit.doors`: fits recorded, and repeated with the same noisy answers,
* :mod:`~sdv_threea.audit.worlds`: two neighbouring tables, one of them with a canary,
* :mod:`~sdv_threea.audit.game`: many fits to one table or the other, and an observer who guesses,
* :mod:`~sdv_threea.audit.observations`: features of rows, fitted synthesizers and messages,
* :mod:`~sdv_threea.audit.bounds`: from right and wrong guesses to epsilon, and the verdict.
"""

from sdv_threea.audit.arithmetic import MovedAnswer, MuResult, measure_mu
from sdv_threea.audit.bounds import AuditResult, Guesses, LowerBound, bound_epsilon, bound_mu
from sdv_threea.audit.game import audit_privacy
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
