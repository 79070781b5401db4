"""The first stage: estimate the unknown facts (*blanks*) of a domain privately.

These modules read canonical private columns only as sums through :mod:`~sdv_threea.privacy`. They
keep only a :class:`~sdv_threea.describe.description.Description`, which may be published.

* :mod:`~sdv_threea.describe.description`: the stage: releases the unknown facts of the domain,
* :mod:`~sdv_threea.describe.size`: the number of records,
* :mod:`~sdv_threea.describe.questions`: the questions to columns, and their prices,
* :mod:`~sdv_threea.describe.answers`: exact counts of a chunk of rows,
* :mod:`~sdv_threea.describe.values`: how often values occur,
* :mod:`~sdv_threea.describe.ranges`: noisy counts of numbers on a public grid,
* :mod:`~sdv_threea.describe.closer`: grids that are refined where numbers lie,
* :mod:`~sdv_threea.describe.sentinels`: numbers that stand for something else, such as 999,
* :mod:`~sdv_threea.describe.numbers`: the release of counts of numbers, in several looks,
* :mod:`~sdv_threea.describe.bulk`: the likely place of the bulk of a numerical column,
* :mod:`~sdv_threea.describe.ends`: the ends of an estimated range,
* :mod:`~sdv_threea.describe.lattice`: numbers that are multiples of a step,
* :mod:`~sdv_threea.describe.granularity`: counts of numbers by step, and the rounding of numbers,
* :mod:`~sdv_threea.describe.likely_steps`: the likely step of a numerical column,
* :mod:`~sdv_threea.describe.filling`: blanks of a domain, filled in,
* :mod:`~sdv_threea.describe.narrower`: the choice between a column and its difference from another,
"""
