"""Planning: which statistics a release has, and which shares of the budget pay for them.

A plan follows from public facts, the settings and released numbers; no row is read.

* :mod:`~sdv_threea.planning.plan`: the plan, refined after each release,
* :mod:`~sdv_threea.planning.shares`: the shares of the budget,
* :mod:`~sdv_threea.planning.prices`: the prices of what is counted once the columns are,
* :mod:`~sdv_threea.planning.targets`: the choice of a target if the user named none,
* :mod:`~sdv_threea.planning.run`: the state that all stages share.
"""
