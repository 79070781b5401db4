"""Planning: what a release will do, and what pays for it. Rows are not seen here.

Everything follows from public facts, the settings and released numbers.

* :mod:`~sdv_threea.planning.plan`: the plan, made as more becomes known,
* :mod:`~sdv_threea.planning.shares`: the shares of the budget,
* :mod:`~sdv_threea.planning.targets`: the target where the user named none,
* :mod:`~sdv_threea.planning.run`: the state that all stages share.
"""
